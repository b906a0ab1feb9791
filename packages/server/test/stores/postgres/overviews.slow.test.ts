import { accountKinds } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectPast } from '../../../src/stores/postgres/order-timelines';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { countAll } from '../../../src/stores/postgres/summaries';
import type { Store } from '../../../src/stores/store';
import { startPostgres } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

const postgres = await startPostgres();
afterAll(postgres.stop);

let client: pg.Client;
let store: Store;
let trade: Trade;

/** How many orders there are, each with an event and what it caused. */
const count = 20_000;

beforeAll(async () => {
  const { url } = await postgres.createDatabase();
  store = await openPostgresStore(url);
  trade = await Trade.open(store);
  const { id: webhook } = await trade.subscribe(trade.buyer, ['order.created']);
  client = new pg.Client({ connectionString: url });
  await client.connect();
  const { buyer, seller, agent, listing } = trade;
  const rows = `FROM generate_series(1, ${count}) AS i`;
  const time = `${noon} + i`;
  await client.query(`
    INSERT INTO orders SELECT 'ord_' || i, CASE WHEN i % 2 = 0 THEN 'pending' ELSE 'completed' END, '${buyer.accountId}',
      '${seller.accountId}', '${agent.accountId}', '${listing.id}', 1, 1, ${time}, ${time} ${rows};
    INSERT INTO events (id, event_type, order_id, body, created_at, order_version)
      SELECT 'evt_' || i, 'order.created', 'ord_' || i, '{}', ${time}, 1 ${rows};
    INSERT INTO account_events (event_id, account_id, created_at, seq)
      SELECT 'evt_' || i, '${buyer.accountId}', ${time}, i ${rows};
    INSERT INTO notifications SELECT 'ntf_' || i, '${buyer.accountId}', 'evt_' || i, 'order_created', 'ord_' || i, '', i % 2 = 0,
      ${time} ${rows};
    INSERT INTO deliveries SELECT 'dlv_' || i, 'evt_' || i, '${webhook}', 'order.created', FALSE, 'delivered', 1, ${time}, 200, NULL,
      ${time}, ${time} ${rows};
    INSERT INTO pending_deliveries (id, event_id, webhook_id, event_type, test, attempts, tries, deadline_at, lease_counts, created_at)
      SELECT 'dlv_p' || i, 'evt_' || i, '${webhook}', 'order.created', FALSE, 0, 0, ${time}, FALSE, ${time} ${rows};
    INSERT INTO attempts SELECT 'dlv_' || i, 1, ${time}, 1, '', '{}', 200, NULL, '' ${rows}`);
});
afterAll(async () => {
  await client.end();
  await store.close();
});

/** Returns which tables a plan reads completely, or sorts. */
function findScans(plan: Record<string, unknown>): string[] {
  const scanned = plan['Node Type'] === 'Seq Scan' ? [String(plan['Relation Name'])] : [];
  const parts = (plan.Plans ?? []) as Record<string, unknown>[];
  return [...scanned, ...parts.flatMap(findScans)];
}

async function explain(sql: string, values: unknown[]) {
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Record<string, unknown> }[] }>(
    `EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) ${sql}`,
    values,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
  return {
    scans: findScans(plan),
    pages: Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']),
  };
}

/** Tables of an account's few webhooks, which are smaller than their indexes. */
const small = new Set(['webhooks', 'queues', 'event_logs']);

describe.each(['before', 'after'])('%s the tables were analysed,', (when) => {
  beforeAll(async () => {
    if (when === 'after') await client.query('VACUUM ANALYZE');
  });

  test('the timeline of an order is read by indexes, in a few pages', async () => {
    const { buyer } = trade;
    const values = ['ord_7', buyer.accountId, 100, 10];
    const { scans, pages } = await explain(selectPast, values);
    expect(scans.filter((table) => !small.has(table))).toEqual([]);
    expect(pages).toBeLessThan(120);
    const past = await store.timelines.readPast(buyer.accountId, 'ord_7', {
      entries: 100,
      attempts: 10,
    });
    expect(past?.events[0]?.deliveries.map(({ id }) => id)).toEqual(['dlv_7', 'dlv_p7']);
    expect(past?.events[0]?.notification).toEqual({ id: 'ntf_7', read: false });
  });

  test.each(accountKinds)(
    'a summary of a %s reads no more than its limit of each range',
    async (kind) => {
      const { accountId } = trade[kind];
      const { scans, pages } = await explain(countAll(kind), [accountId, 1_001, noon]);
      expect(scans.filter((table) => !small.has(table))).toEqual([]);
      // At most one page for each row that is counted, and a few for each range.
      expect(pages).toBeLessThan(3 * 1_001 + 60);
      const counted = await store.summaries.countAccount(trade[kind], 1_001, noon);
      expect(counted.orders).toMatchObject({ pending: 1_001, completed: 1_001, cancelled: 0 });
    },
  );
});
