import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createIdGenerator } from '@tradepost/domain/kernel/context';
import { aListing } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import { startPostgres } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';
import { confirmNow, Poller, placeNow } from '../conformance/polling';

const postgres = await startPostgres();
afterAll(postgres.stop);

/** Opens two stores in a new database, as two processes have them, with a trade. */
async function openTwo() {
  const { url, remove } = await postgres.createDatabase();
  onTestFinished(remove);
  const stores: Store[] = [];
  for (let count = 0; count < 2; count += 1) {
    const store = await openPostgresStore(url);
    onTestFinished(() => store.close());
    stores.push(store);
  }
  const [one, other] = stores as [Store, Store];
  return { url, one, other, trade: await Trade.open(one, { availableQuantity: 1_000_000 }) };
}

/** Connects as another program does. */
async function connect(url: string, application_name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Starts a change of another process, which copies an order, and does not commit it. Returns the ID of the copy. */
async function holdChange(client: pg.Client, { id }: { id: string }): Promise<string> {
  const copy = createIdGenerator()('ord', Date.now());
  await client.query('BEGIN');
  await client.query('SELECT pg_current_xact_id()');
  await client.query(
    `INSERT INTO orders SELECT $1, status, buyer_id, seller_id, agent_id, listing_id, quantity, version, now.ms, now.ms
     FROM orders, (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS now WHERE id = $2`,
    [copy, id],
  );
  return copy;
}

async function listSince(trade: Trade, store: Store, updatedAfter: number): Promise<string[]> {
  const page = { after: null, limit: 100, isFinal: true };
  const found = await store.orders.listOrders(trade.seller, { updatedAfter }, page);
  return found.map(({ id }) => id).sort();
}

describe('a poller on PostgreSQL that continues after the latest time that it has seen', () => {
  for (const by of ['updatedAt', 'createdAt'] as const) {
    test(`by ${by} misses no order that is committed after later ones`, async () => {
      const { url, one, other, trade } = await openTwo();
      const poller = new Poller(trade, by);
      const first = await placeNow(trade);
      const late = await connect(url, 'tradepost');
      const held = await holdChange(late, first);
      const second = await placeNow(trade, { store: other });
      await poller.poll(one);
      expect([...poller.seen.keys()]).toEqual([`${first.id} 1`]);
      await late.query('COMMIT');
      await poller.poll(other);
      const all = [first.id, held, second.id].map((id) => `${id} 1`);
      expect([...poller.seen.keys()].sort()).toEqual(all.sort());
      expect([...poller.seen.values()]).toEqual([1, 1, 1]);
    });
  }

  test('misses none of 960 orders that 16 writers place and change in two processes', async () => {
    const { one, other, trade } = await openTwo();
    const pollers = [new Poller(trade), new Poller(trade)] as const;
    const newId = createIdGenerator();
    // A listing each: otherwise its lock would let one change commit after the other.
    const listings = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const { sellerId, agentId } = trade.listing;
        const listing = aListing({ sellerId, agentId, availableQuantity: 1_000 });
        await one.listings.addListing(listing);
        return listing;
      }),
    );
    const placed: string[] = [];
    const write = async (writer: number) => {
      const store = writer % 2 === 0 ? one : other;
      for (let count = 0; count < 60; count += 1) {
        const order = await placeNow(trade, { store, newId, listing: listings[writer] });
        // Half of them change at once.
        const isChanged = count % 2 === 0;
        if (isChanged) await confirmNow(trade, order, store);
        placed.push(`${order.id} ${isChanged ? 2 : 1}`);
      }
    };
    let isDone = false;
    const polling = Promise.all([
      (async () => {
        while (!isDone) await pollers[0].poll(one, 100);
      })(),
      (async () => {
        while (!isDone) await pollers[1].poll(other, 5);
      })(),
    ]);
    await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)));
    isDone = true;
    await polling;
    for (const poller of pollers) {
      await poller.poll();
      const missed = placed.filter((version) => !poller.seen.has(version));
      expect([placed.length, missed.length]).toEqual([960, 0]);
    }
  }, 60_000);

  test('sees its own change at once, whatever other programs do', async () => {
    const { url, one, trade } = await openTwo();
    const dump = await connect(url, 'pg_dump');
    await dump.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM orders');
    const operator = await connect(url, 'psql');
    await operator.query('BEGIN; CREATE TABLE notes (id INT)');
    const report = await connect(url, 'tradepost');
    await report.query('BEGIN; SELECT count(*) FROM orders');
    for (let count = 0; count < 10; count += 1) {
      const { id, updatedAt } = await placeNow(trade);
      expect(await listSince(trade, one, updatedAt - 1)).toEqual([id]);
      await nextTurn();
    }
  });

  test.each(['another', 'tradepost%20reports'])(
    'counts the changes of a process whose URL has application_name=%s',
    async (name) => {
      const { url, one, trade } = await openTwo();
      const named = new URL(url);
      named.search = `?application_name=${name}`;
      const store = await openPostgresStore(named.href);
      onTestFinished(() => store.close());
      const reader = await connect(url, 'psql');
      const { rows } = await reader.query<{ name: string }>(
        'SELECT application_name AS name FROM pg_stat_activity WHERE datname = current_database()',
      );
      expect(rows).toContainEqual({
        name: decodeURIComponent(`${name.replace(/^another/, 'tradepost%20another')}`),
      });
      const { id, updatedAt } = await placeNow(trade, { store });
      expect(await listSince(trade, store, updatedAt - 1)).toEqual([id]);
      expect(await listSince(trade, one, updatedAt - 1)).toEqual([id]);
    },
  );

  test('counts the changes of every role, whose sessions name it and its host', async () => {
    const { url, one, trade } = await openTwo();
    const sessionRole = 'worker'.repeat(20);
    const [short, long] = await Promise.all([
      openPostgresStore(url, { sessionRole: 'worker' }),
      openPostgresStore(url, { sessionRole }),
    ]);
    onTestFinished(short.close);
    onTestFinished(long.close);
    const reader = await connect(url, 'psql');
    const { rows } = await reader.query<{ name: string }>(
      'SELECT application_name AS name FROM pg_stat_activity WHERE datname = current_database()',
    );
    const names = rows.map(({ name }) => name);
    expect(names).toContain(`tradepost ${hostname()}`.slice(0, 63));
    expect(names).toContain(`tradepost worker ${hostname()}`.slice(0, 63));
    expect(names).toContain(`tradepost ${sessionRole}`.slice(0, 63));
    for (const store of [short, long]) {
      const { id, updatedAt } = await placeNow(trade, { store });
      expect(await listSince(trade, one, updatedAt - 1)).toEqual([id]);
    }
  });

  test('is rejected where the transactions of other processes are hidden', async () => {
    const { url, one, trade } = await openTwo();
    const { updatedAt } = await placeNow(trade);
    const untracked = await connect(url, 'tradepost');
    await untracked.query('SET track_activities = off');
    await expect(listSince(trade, one, updatedAt)).rejects.toMatchObject({
      code: 'validation_failed',
      issues: [{ path: 'updatedAfter' }],
    });
    // What is only sorted is listed as before.
    const page = { after: null, limit: 10, sort: 'updatedAt', isFinal: true } as const;
    expect(await one.orders.listOrders(trade.seller, {}, page)).toHaveLength(1);
  });
});
