import { noon } from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import { leaseDue } from '../../helpers/leasing';
import { ReusedDatabases, startPostgres, type TestDatabase } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

describe('signals of new deliveries', () => {
  let database: TestDatabase;
  let store: Store;
  let trade: Trade;
  let client: pg.Client;

  beforeEach(async () => {
    database = await databases.take();
    store = await openPostgresStore(database.url);
    trade = await Trade.open(store);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });

  afterEach(async () => {
    await client.end();
    await store.close();
    await database.remove();
  });

  /** Adds signals, as transactions do whose deliveries were made or removed meanwhile. */
  async function addSignals({ id }: Webhook, count: number): Promise<void> {
    await client.query(
      'INSERT INTO queue_signals (due_at, webhook_id, deliveries) SELECT $1, $2, 0 FROM generate_series(1, $3)',
      [noon, id, count],
    );
  }

  async function countSignals(): Promise<number> {
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM queue_signals');
    return Number(rows[0]?.count);
  }

  test('are taken a part at a time, so that no number of them keeps deliveries from being leased', async () => {
    const endpoint = await addEndpoint(trade);
    await enqueueDelivery(trade, endpoint);
    await addSignals(endpoint, 100_000);
    expect(await leaseDue(store, noon)).toHaveLength(1);
    const left = await countSignals();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(100_000);
  });

  test('of a removed webhook hide no deliveries to others', async () => {
    const [removed, endpoint] = [await addEndpoint(trade), await addEndpoint(trade)];
    await addSignals(removed, 300);
    await store.webhooks.deleteWebhook(removed.accountId, removed.id, noon);
    const webhooks = () => client.query('SELECT 1 FROM webhooks WHERE id = $1', [removed.id]);
    while ((await webhooks()).rowCount !== 0) {
      expect(await store.retention.pruneRemovedWebhooks({ limit: 100 })).toMatchObject({
        removed: expect.toSatisfy((count: number) => count > 0 && count <= 100),
      });
    }
    expect(await countSignals()).toBe(0);
    await enqueueDelivery(trade, endpoint);
    expect(await leaseDue(store, noon)).toHaveLength(1);
  });

  test('of a webhook that was removed before they were added are removed with their deliveries', async () => {
    const endpoint = await addEndpoint(trade);
    await enqueueDelivery(trade, endpoint);
    await client.query('DELETE FROM webhooks WHERE id = $1', [endpoint.id]);
    await store.retention.pruneRemovedWebhooks({ limit: 100 });
    expect(await countSignals()).toBe(0);
    expect((await client.query('SELECT 1 FROM pending_deliveries')).rowCount).toBe(0);
  });
});
