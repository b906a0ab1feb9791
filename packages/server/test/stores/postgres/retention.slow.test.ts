import { anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { startPostgres } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

const postgres = await startPostgres();
afterAll(postgres.stop);

describe('the removal of idempotency keys', () => {
  test('removes no more than its limit, whatever the plan of the query', async () => {
    const { url, remove } = await postgres.createDatabase();
    onTestFinished(remove);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // Only a nested loop is left, which may run a subquery again for each row.
    const name = new URL(url).pathname.slice(1);
    for (const setting of ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material']) {
      await client.query(`ALTER DATABASE ${name} SET enable_${setting} = off`);
    }
    await client.end();
    const store = await openPostgresStore(url);
    onTestFinished(() => store.close());
    const trade = await Trade.open(store);
    const { accountId } = trade.buyer;
    for (const key of ['one', 'two', 'three', 'four', 'five']) {
      await trade.place({
        idempotencyKey: anIdempotencyKey({ accountId, key, expiresAt: noon + 1_000 }),
      });
    }
    const removed: number[] = [];
    for (let step = 0; step < 4; step += 1) {
      const pruned = await store.retention.pruneIdempotencyKeys({ now: noon + 1_000, limit: 2 });
      removed.push(pruned.removed);
    }
    expect(removed).toEqual([2, 2, 1, 0]);
  });
});
