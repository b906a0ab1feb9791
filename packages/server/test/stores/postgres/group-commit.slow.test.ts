import { type OrderStatus, orderTransitions } from '@tradepost/contract';
import { leaseMs, newDelivery } from '@tradepost/domain/deliveries/delivery';
import { deliveryNotFound, replayDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import { createTestEvent } from '@tradepost/domain/events/test-event';
import type { CommandContext, IdPrefix } from '@tradepost/domain/kernel/context';
import {
  DomainError,
  OutcomeUnknownError,
  StoreUnavailableError,
} from '@tradepost/domain/kernel/errors';
import type { Order, OrderContext } from '@tradepost/domain/orders/order';
import { changeStatus, placeOrder } from '@tradepost/domain/orders/order';
import {
  aCaller,
  aContext,
  aListing,
  anAccount,
  anIdempotencyKey,
  aWebhook,
  noon,
} from '@tradepost/domain/test/builders';
import { type Webhook, webhookNotFound } from '@tradepost/domain/webhooks/webhook';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import { aKey } from '../../helpers/a-key';
import { startCommitBreaker } from '../../helpers/commit-breaker';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import { aResult } from '../../helpers/leasing';
import { ReusedDatabases, startPostgres, type TestDatabase } from '../../helpers/postgres';
import { addCaller, addWebhook, Trade } from '../../helpers/trade';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

/** An ID of a record that the test names by a number. */
const toId = (prefix: IdPrefix, number: number) =>
  `${prefix}_01${String(number).padStart(24, '0')}`;

/** The context of a change, with the same IDs whenever it is made. `restart` starts them again. */
function contextOf(change: number): CommandContext & { restart(): void } {
  let used = 0;
  return {
    now: noon,
    newId(prefix) {
      used += 1;
      return toId(prefix, (change + 1) * 1_000 + used);
    },
    restart() {
      used = 0;
    },
  };
}

const buyer = aCaller({ accountId: toId('usr', 1) });
const seller = aCaller({ accountId: toId('usr', 2), kind: 'seller' });
const agent = aCaller({ accountId: toId('usr', 3), kind: 'agent' });
const listings = [0, 1, 2].map((number) =>
  aListing({
    id: toId('lst', number),
    sellerId: seller.accountId,
    agentId: number === 0 ? agent.accountId : null,
    availableQuantity: 12,
    lowThreshold: 8,
  }),
);
const webhooks = [buyer, seller].map(({ accountId }, number) =>
  aWebhook({
    id: toId('whk', number),
    accountId,
    events: ['order.created', 'order.status_changed', 'listing.availability_low'],
  }),
);
/** How many orders there are at first. */
const placedAtFirst = 4;
/** Changes have numbers above those of the first orders. */
const firstChange = 100;

interface Placing {
  kind: 'place';
  /** 3 does not exist. */
  listing: number;
  quantity: number;
  /** The number of its idempotency key; null if it has none. */
  key: number | null;
  fails: boolean;
}

interface Changing {
  kind: 'change';
  /** 4 does not exist. */
  order: number;
  to: OrderStatus;
  fails: boolean;
}

interface Replaying {
  kind: 'replay';
  /** The number of a delivery of the first orders to the seller. 4 does not exist. */
  delivery: number;
  hasKey: boolean;
  fails: boolean;
}

interface Testing {
  kind: 'test';
  /** 1 is the seller's, 2 does not exist. */
  webhook: number;
  hasKey: boolean;
  fails: boolean;
}

type Change = Placing | Changing | Replaying | Testing;

const rarely = fc.nat(19).map((number) => number === 0);

const anyChange: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('place' as const),
    listing: fc.nat(3),
    quantity: fc.integer({ min: 1, max: 6 }),
    key: fc.option(fc.nat(2), { freq: 2 }),
    fails: rarely,
  }),
  fc.record({
    kind: fc.constant('change' as const),
    order: fc.nat(placedAtFirst),
    to: fc.constantFrom(...(Object.keys(orderTransitions) as OrderStatus[])),
    fails: rarely,
  }),
  fc.record({
    kind: fc.constant('replay' as const),
    delivery: fc.nat(placedAtFirst),
    hasKey: fc.boolean(),
    fails: rarely,
  }),
  fc.record({
    kind: fc.constant('test' as const),
    webhook: fc.nat(2),
    hasKey: fc.boolean(),
    fails: rarely,
  }),
);

/** A fault in a rule, which is no reason to reject others. */
const fault = new Error('a fault');

async function place(
  store: Store,
  { listing, quantity, key, fails }: Placing,
  number: number,
): Promise<unknown> {
  const listingId = toId('lst', listing);
  const context = contextOf(number);
  const { accountId } = buyer;
  const idempotencyKey =
    key === null
      ? null
      : anIdempotencyKey({ accountId, key: `key-${key}`, fingerprint: `${listing} ${quantity}` });
  const request = { listingId, buyerId: accountId, idempotencyKey, context };
  return await store.orders.placeOrder(request, (found) => {
    context.restart();
    if (fails) throw fault;
    const change = placeOrder(buyer, { listingId, quantity }, found, context);
    return { change, response: { status: 201, headers: {}, body: change.order } };
  });
}

async function change(store: Store, { order, to, fails }: Changing, number: number) {
  const id = toId('ord', (order + 1) * 1_000 + 1);
  const context = contextOf(number);
  return await store.orders.changeOrder(id, context, (found: OrderContext | null) => {
    context.restart();
    if (fails) throw fault;
    return changeStatus({ caller: seller, id, to, ifMatch: undefined }, found, context);
  });
}

/**
 * The seller's key of a request, which no other one has: requests that lock different rows are not written in the order in which they
 * arrive.
 */
const aKeyOf = (operation: string, hasKey: boolean, number: number) =>
  hasKey
    ? anIdempotencyKey({ accountId: seller.accountId, operation, key: `key-${number}` })
    : null;

async function replay(store: Store, { delivery: index, hasKey, fails }: Replaying, number: number) {
  const { accountId } = seller;
  const all = await store.deliveryLog.listDeliveries(accountId, {}, { after: null, limit: 100 });
  const first = all.filter(({ id }) => id < toId('dlv', firstChange * 1_000)).reverse();
  const id = first[index]?.id ?? toId('dlv', 0);
  const idempotencyKey = aKeyOf('replay', hasKey, number);
  const context = contextOf(number);
  return await store.deliveryLog.replayDeliveries(
    { accountId, ids: [id], idempotencyKey, context },
    ([found]) => {
      if (fails) throw fault;
      if (found === undefined) throw deliveryNotFound(id);
      const delivery = replayDelivery(found, noon);
      return { deliveries: [delivery], response: { status: 202, headers: {}, body: delivery } };
    },
  );
}

async function sendTest(store: Store, { webhook, hasKey, fails }: Testing, number: number) {
  const { accountId } = seller;
  const webhookId = toId('whk', webhook);
  const context = contextOf(number);
  const idempotencyKey = aKeyOf('test', hasKey, number);
  return await store.deliveryLog.enqueueTestDelivery(
    { accountId, webhookId, idempotencyKey, context },
    (found) => {
      context.restart();
      if (fails) throw fault;
      if (found === null) throw webhookNotFound(webhookId);
      const event = createTestEvent('order.created', context);
      const delivery = { ...newDelivery(event, webhookId, context), test: true };
      return { event, delivery, response: { status: 202, headers: {}, body: delivery } };
    },
  );
}

function makeOne(store: Store, one: Change, number: number): Promise<unknown> {
  if (one.kind === 'place') return place(store, one, number);
  if (one.kind === 'change') return change(store, one, number);
  return one.kind === 'replay' ? replay(store, one, number) : sendTest(store, one, number);
}

/** Makes a change, and returns its result or what it was rejected for. */
async function make(store: Store, one: Change, number: number): Promise<unknown> {
  try {
    return await makeOne(store, one, firstChange + number);
  } catch (error) {
    if (error === fault) return 'fault';
    if (error instanceof DomainError) return [error.code, error.message];
    throw error;
  }
}

/** What each table has, in an order that does not depend on how the rows were written. */
const tables = {
  orders: 'SELECT * FROM orders ORDER BY id',
  tasks: 'SELECT * FROM tasks ORDER BY id',
  listings: 'SELECT * FROM listings ORDER BY id',
  events: 'SELECT * FROM events ORDER BY id',
  account_events: 'SELECT event_id, account_id FROM account_events ORDER BY position',
  notifications: 'SELECT * FROM notifications ORDER BY id',
  pending_deliveries: 'SELECT * FROM pending_deliveries ORDER BY id',
  deliveries: 'SELECT * FROM deliveries ORDER BY id',
  queues: 'SELECT * FROM queues ORDER BY webhook_id',
  signals:
    'SELECT webhook_id, sum(deliveries) FROM queue_signals GROUP BY webhook_id ORDER BY webhook_id',
  idempotency_keys: 'SELECT * FROM idempotency_keys ORDER BY account_id, operation, key',
};

async function readTables(url: string): Promise<Record<string, unknown[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const rows: Record<string, unknown[]> = {};
  for (const [name, sql] of Object.entries(tables)) rows[name] = (await client.query(sql)).rows;
  await client.end();
  return rows;
}

/** Leases all deliveries. The first one is delivered then, the second one failed, and the third one waits for its next attempt. */
async function deliverSome({ deliveries }: Store): Promise<void> {
  const request = { now: noon, leaseUntil: noon + leaseMs, leaseToken: 'lease', limit: 100 };
  const [first, second, third] = await deliveries.leaseDue(request);
  if (!(first && second && third)) throw new Error('three deliveries are due');
  const results = [
    aResult(first),
    aResult(second, { state: 'failed' }),
    aResult(third, { state: 'pending', nextAttemptAt: noon + 1 }),
  ];
  await deliveries.recordAttempts(results, noon);
}

/** Makes changes in an empty database after some orders were placed. Returns what each led to, and all rows. */
async function inDatabase(
  makeChanges: (store: Store, url: string) => Promise<unknown[]>,
): Promise<{ results: unknown[]; rows: Record<string, unknown[]> }> {
  const database = await databases.take();
  const store = await openPostgresStore(database.url);
  try {
    for (const { accountId, kind } of [buyer, seller, agent]) {
      const { record } = aKey({ accountId });
      await store.accounts.addAccount(anAccount({ id: accountId, kind }), record);
    }
    for (const listing of listings) await store.listings.addListing(listing);
    for (const webhook of webhooks) await addWebhook(store, webhook);
    for (let order = 0; order < placedAtFirst; order += 1) {
      const first = {
        kind: 'place',
        listing: order % 2,
        quantity: 2,
        key: null,
        fails: false,
      } as const;
      await place(store, first, order);
    }
    await deliverSome(store);
    const results = await makeChanges(store, database.url);
    return { results, rows: await readTables(database.url) };
  } finally {
    await store.close();
    await database.remove();
  }
}

const oneByOne = (changes: readonly Change[]) =>
  inDatabase(async (store) => {
    const results: unknown[] = [];
    for (const [number, one] of changes.entries()) results.push(await make(store, one, number));
    return results;
  });

const together = (store: Store, changes: readonly Change[]) =>
  Promise.all(changes.map((one, number) => make(store, one, number)));

test('changes that are written together have the results, rows and events of the same ones one by one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { minLength: 2, maxLength: 30 }), async (changes) => {
      const grouped = await inDatabase((store) => together(store, changes));
      expect(grouped).toEqual(await oneByOne(changes));
    }),
    { numRuns: 40, interruptAfterTimeLimit: 40_000 },
  );
});

test.each(['before the commit', 'after the commit'] as const)(
  'the same holds if the connection breaks %s',
  async (at) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { minLength: 2, maxLength: 10 }), async (changes) => {
        const grouped = await inDatabase(async (_store, url) => {
          const proxy = await startCommitBreaker(url);
          const store = await openPostgresStore(proxy.url);
          try {
            proxy.breakNext(at);
            return await together(store, changes);
          } finally {
            await store.close();
            await proxy.close();
          }
        });
        expect(grouped).toEqual(await oneByOne(changes));
      }),
      { numRuns: 15, interruptAfterTimeLimit: 20_000 },
    );
  },
);

describe('changes that arrive together', () => {
  let database: TestDatabase;
  let store: Store;
  let trade: Trade;
  let session: pg.Client;

  beforeEach(async () => {
    database = await databases.take();
    store = await openPostgresStore(database.url);
    trade = await Trade.open(store);
    session = new pg.Client({ connectionString: database.url });
    await session.connect();
  });

  afterEach(async () => {
    await session.end();
    await store.close();
    await database.remove();
  });

  /** Locks a row in the session, until `unlock`. */
  async function lock(table: 'listings' | 'orders' | 'queues', id: string): Promise<void> {
    const key = table === 'queues' ? 'webhook_id' : 'id';
    await session.query('BEGIN');
    await session.query(`SELECT 1 FROM ${table} WHERE ${key} = $1 FOR UPDATE`, [id]);
  }

  const unlock = () => session.query('ROLLBACK');

  /** How many transactions wrote some orders. */
  async function countTransactions(orders: readonly Order[]): Promise<number> {
    const { rows } = await session.query<{ count: string }>(
      'SELECT count(DISTINCT xmin::text) FROM orders WHERE id = ANY ($1)',
      [orders.map(({ id }) => id)],
    );
    return Number(rows[0]?.count);
  }

  const addTrade = () => Trade.open(store);

  /** Replays all deliveries of a webhook at once. Returns how many transactions wrote them. */
  async function replayAll({ accountId, id: webhookId }: Webhook): Promise<number> {
    const log = store.deliveryLog;
    const all = await log.listDeliveries(accountId, { webhookId }, { after: null, limit: 100 });
    const request = { accountId, idempotencyKey: null, context: aContext() };
    await Promise.all(
      all.map(({ id }) =>
        log.replayDeliveries({ ...request, ids: [id] }, (found) => ({
          deliveries: found.map((one) => replayDelivery(one, noon)),
          response: { status: 202, headers: {}, body: null },
        })),
      ),
    );
    const { rows } = await session.query<{ count: string }>(
      'SELECT count(DISTINCT xmin::text) FROM pending_deliveries WHERE webhook_id = $1 AND due_at IS NOT NULL',
      [webhookId],
    );
    return Number(rows[0]?.count);
  }

  test('replay deliveries in one transaction, and wait only for their own queue', async () => {
    const [free, locked] = [await addEndpoint(trade), await addEndpoint(trade)];
    for (const { accountId } of [free, locked])
      await enqueueDelivery(trade, { accountId, count: 50 });
    await lock('queues', locked.id);
    const later = replayAll(locked);
    expect(await replayAll(free)).toBe(1);
    await unlock();
    expect(await later).toBe(1);
  });

  test('share one transaction', async () => {
    const orders = await Promise.all(
      Array.from({ length: 50 }, () => trade.place({ quantity: 1 })),
    );
    expect(await countTransactions(orders)).toBe(1);
    expect(await trade.unitsLeft()).toBe(950);
  });

  test('do not wait for a listing that another session has locked, unless they are of that one', async () => {
    const others = await addTrade();
    await lock('listings', trade.listing.id);
    const locked = Promise.all(Array.from({ length: 3 }, () => trade.place()));
    const free = await Promise.all(Array.from({ length: 3 }, () => others.place()));
    expect(await countTransactions(free)).toBe(1);
    expect(await trade.unitsLeft()).toBe(1_000);
    // So requests for others are admitted.
    expect(store.getWriteDelay()).toBe(0);
    await unlock();
    expect(await countTransactions(await locked)).toBe(1);
    expect(await trade.unitsLeft()).toBe(970);
  });

  test('do not wait for an order that another session has locked, unless they are of that one', async () => {
    const [held, free] = [await trade.place(), await trade.place()];
    await lock('orders', held.id);
    const locked = trade.move(held, 'fulfilling');
    await trade.move(free, 'fulfilling');
    await unlock();
    expect(await locked).toMatchObject({ status: 'fulfilling', version: 2 });
  });

  test('do not wait for the listing of an order that is cancelled', async () => {
    const [cancelled, other] = [await trade.place(), await trade.place()];
    await lock('listings', trade.listing.id);
    const waiting = trade.move(cancelled, 'cancelled');
    expect(await trade.move(other, 'fulfilling')).toMatchObject({ status: 'fulfilling' });
    await unlock();
    expect(await waiting).toMatchObject({ status: 'cancelled' });
    expect(await trade.unitsLeft()).toBe(990);
  });

  test('are rejected as unavailable if their row stays locked, and nothing else is', async () => {
    const others = await addTrade();
    await lock('listings', trade.listing.id);
    const rejected = [trade.place(), trade.place()].map((placed) =>
      expect(placed).rejects.toThrow(StoreUnavailableError),
    );
    await others.place();
    await Promise.all(rejected);
    await others.place();
    await unlock();
    await trade.place();
    expect(await trade.unitsLeft()).toBe(990);
    expect(await others.unitsLeft()).toBe(980);
  });

  test('are reported as unknown one by one if no connection follows their commit', async () => {
    const proxy = await startCommitBreaker(database.url);
    onTestFinished(proxy.close);
    const behind = await openPostgresStore(proxy.url);
    onTestFinished(() => behind.close());
    const order = await trade.place();
    proxy.breakAllAtNext();
    const { accountId } = trade.buyer;
    const results = await Promise.allSettled([
      trade.on(behind).place(),
      trade.on(behind).place({ idempotencyKey: anIdempotencyKey({ accountId }) }),
      trade.on(behind).move(order, 'fulfilling'),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ reason: expect.any(OutcomeUnknownError) });
    }
    expect(await trade.unitsLeft()).toBe(970);
    expect(await store.orders.findOrder(order.id)).toMatchObject({ status: 'fulfilling' });
  });

  test('of two processes keep the stock of a listing that both sell', async () => {
    const second = await openPostgresStore(database.url);
    onTestFinished(() => second.close());
    const clients = Array.from({ length: 16 }, async (_, client) => {
      const by = client % 2 === 0 ? trade : trade.on(second);
      for (let order = 0; order < 20; order += 1) await by.place({ quantity: 1 });
    });
    await Promise.all(clients);
    expect(await trade.unitsLeft()).toBe(1_000 - 16 * 20);
  });

  test('of an account that was never added are rejected alone', async () => {
    const stranger = aCaller();
    const context = contextOf(1);
    const { id: listingId } = trade.listing;
    const strange = store.orders.placeOrder(
      { listingId, idempotencyKey: null, context },
      (found) => {
        context.restart();
        const placed = placeOrder(stranger, { listingId, quantity: 1 }, found, context);
        return { change: placed, response: { status: 201, headers: {}, body: null } };
      },
    );
    const rejected = expect(strange).rejects.toThrow(
      `Account ${stranger.accountId} does not exist`,
    );
    const order = await trade.place({ quantity: 2 });
    await rejected;
    expect(await store.orders.findOrder(order.id)).toEqual(order);
    expect(await trade.unitsLeft()).toBe(998);
  });

  test('do not fail because one of them always conflicts', async () => {
    const others = await addTrade();
    await session.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE serialization_failure USING MESSAGE = 'always'; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON orders FOR EACH ROW
         WHEN (NEW.listing_id = '${trade.listing.id}') EXECUTE FUNCTION fail()`,
    );
    onTestFinished(async () => {
      const cleaning = new pg.Client({ connectionString: database.url });
      await cleaning.connect();
      await cleaning.query('DROP FUNCTION fail CASCADE');
      await cleaning.end();
    });
    const failed = expect(trade.place()).rejects.toThrow('always');
    await Promise.all(Array.from({ length: 20 }, () => others.place({ quantity: 1 })));
    await failed;
    expect(await others.unitsLeft()).toBe(980);
  });

  test('are made although all connections break, again and again', async () => {
    for (let round = 0; round < 8; round += 1) {
      const placed = Promise.all(Array.from({ length: 50 }, () => trade.place({ quantity: 1 })));
      await session.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      expect(await placed).toHaveLength(50);
    }
    expect(await trade.unitsLeft()).toBe(1_000 - 8 * 50);
  });

  test('do not fail because another session reserves the idempotency key of one', async () => {
    const { accountId } = trade.buyer;
    const others = await addTrade();
    await session.query('BEGIN');
    await session.query(
      `INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, response, expires_at)
       VALUES ($1, 'createOrder', 'held', '', '', 9000000000000)`,
      [accountId],
    );
    const idempotencyKey = anIdempotencyKey({ accountId, key: 'held' });
    const rejected = expect(trade.place({ idempotencyKey })).rejects.toThrow(StoreUnavailableError);
    await Promise.all(Array.from({ length: 5 }, () => others.place({ quantity: 1 })));
    await rejected;
    await unlock();
    await trade.place({ idempotencyKey });
    expect(await others.unitsLeft()).toBe(995);
  });

  test('are all made before the store is closed', async () => {
    const closing = await openPostgresStore(database.url);
    const placed = Promise.all([trade.on(closing).place(), trade.on(closing).place()]);
    await closing.close();
    expect(await placed).toHaveLength(2);
  });

  test('are written by a pool of one connection', async () => {
    const small = await openPostgresStore(database.url, { maxConnections: 1 });
    onTestFinished(() => small.close());
    const by = trade.on(small);
    const others = (await addTrade()).on(small);
    await Promise.all([by.place(), others.place(), by.place(), others.place()]);
    expect(await trade.unitsLeft()).toBe(980);
    await addCaller(small, 'buyer');
  });
});
