import { noon } from '@tradepost/domain/test/builders';
import { StatsTally } from '@tradepost/domain/webhooks/stats-counts';
import type pg from 'pg';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { PostgresDatabase, Transaction } from '../../../src/stores/postgres/database';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { addStats, removeOldStats, sumStats } from '../../../src/stores/postgres/webhook-stats';
import { WriteSet } from '../../../src/stores/postgres/write-set';
import { connectForTest } from '../../helpers/connect-for-test';
import { addEndpoint } from '../../helpers/enqueue';
import { startPostgres } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

const hour = 60 * 60 * 1000;

const postgres = await startPostgres();
afterAll(postgres.stop);

test('statistics are read and removed by the indexes of the table', async () => {
  const { url } = await postgres.createDatabase();
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  const { id } = await addEndpoint(await Trade.open(store));
  const db = new PostgresDatabase(url, { maxConnections: 1 });
  onTestFinished(() => db.close());
  const tally = new StatsTally();
  for (let at = noon; at < noon + 2_000 * hour; at += hour) tally.addFinished(id, 'delivered', at);
  await db.write(async (tx) => {
    const writes = new WriteSet();
    addStats(writes, tally);
    writes.send(tx);
  });
  const client = await connectForTest(url);
  await client.query('ANALYZE webhook_stats');

  /** Runs work and returns the plans of its statements. */
  const plan = (work: (tx: Transaction) => Promise<unknown>) =>
    db.withConnection(async (connection) => {
      const seen: pg.QueryConfig[] = [];
      const toQuery = (text: string, values: unknown[]) => {
        seen.push({ text: `EXPLAIN ${text}`, values });
        return { text, values };
      };
      await work(new Transaction(connection, toQuery, null));
      const plans = await Promise.all(seen.map((query) => client.query(query)));
      return plans.flatMap(({ rows }) => rows.map((row) => row['QUERY PLAN'])).join('\n');
    });
  const period = { width: hour, since: noon, until: noon + 2 * hour, bucketMs: hour };
  const reading = await plan(async (tx) => {
    expect(await sumStats(tx, [id], period)).toHaveLength(2);
  });
  expect(reading).toMatch(/Index Cond: .*webhook_id = .*width = .*start >= .*start </);
  const removing = await plan(async (tx) => {
    expect(await removeOldStats(tx, { width: hour, before: noon + hour, limit: 10 })).toBe(1);
  });
  expect(removing).toContain('using webhook_stats_by_start');
  for (const text of [reading, removing]) expect(text).not.toContain('Seq Scan');
});
