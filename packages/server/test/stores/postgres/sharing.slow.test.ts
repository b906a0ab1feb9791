import type { AttemptResult, LeasedDelivery } from '@tradepost/domain/deliveries/delivery';
import type { OrderContext } from '@tradepost/domain/orders/order';
import { aContext, anAttempt, anIdempotencyKey, noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import type { Store } from '../../../src/stores/store';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import { aResult, deliveredResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { ReusedDatabases, startPostgres, type TestDatabase } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';

const postgres = await startPostgres();
const databases = new ReusedDatabases(postgres);
afterAll(postgres.stop);

const second = 1_000;
const hour = 3_600 * second;
const page = { after: null, limit: 100 };
/** How many deliveries of a new endpoint may be in flight. */
const concurrencyLimit = 4;

let database: TestDatabase;
/** Two stores have connections and a memory of their own, as in two processes. */
let one: Store;
let other: Store;
let trade: Trade;

beforeEach(async () => {
  database = await databases.take();
  one = await openPostgresStore(database.url);
  other = await openPostgresStore(database.url);
  trade = await Trade.open(one);
});

afterEach(async () => {
  await one.close();
  await other.close();
  await database.remove();
});

/** Leases from both stores at the same time, again and again, until neither finds anything. */
async function leaseAll(now: number, limit?: number): Promise<LeasedDelivery[][]> {
  const leased: LeasedDelivery[][] = [[], []];
  for (;;) {
    const round = await Promise.all([one, other].map((store) => leaseDue(store, now, limit)));
    for (const [index, deliveries] of round.entries()) leased[index]?.push(...deliveries);
    if (round.flat().length === 0) return leased;
  }
}

const ids = (deliveries: readonly LeasedDelivery[]) => deliveries.map(({ id }) => id);

/** A response with 503 that requests a wait. */
function busyResult(delivery: LeasedDelivery, now: number, retryAfter: number): AttemptResult {
  const attempt = anAttempt({ startedAt: now, durationMs: 0, status: 503, retryAfter });
  return aResult(delivery, { attempt, state: 'pending', nextAttemptAt: now + retryAfter });
}

describe('two stores on one database', () => {
  test('lease each delivery once, and all of them', async () => {
    const count = 4;
    const endpoints = await Promise.all(Array.from({ length: 12 }, () => addEndpoint(trade)));
    for (const { accountId } of endpoints) await enqueueDelivery(trade, { accountId, count });
    const [own = [], others = []] = await leaseAll(noon, 5);
    const all = ids([...own, ...others]);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(endpoints.length * count);
    // Each takes queues that the other one has not locked.
    expect(own.length).toBeGreaterThan(0);
    expect(others.length).toBeGreaterThan(0);
  });

  test('number the events of what they lease while the logs are read, without a deadlock', async () => {
    const endpoints = await Promise.all(Array.from({ length: 8 }, () => addEndpoint(trade)));
    const accountIds = endpoints.map(({ accountId }) => accountId);
    const leased: LeasedDelivery[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (const accountId of accountIds) await enqueueDelivery(trade, { accountId, count: 2 });
      const reads = accountIds.map((id) => other.events.readEvents(id, 0, 1_000));
      const found = await Promise.all([
        leaseDue(one, noon),
        leaseDue(other, noon),
        leaseDue(one, noon),
      ]);
      await Promise.all(reads);
      for (const delivery of found.flat()) {
        leased.push(delivery);
        await one.deliveries.recordAttempts([deliveredResult(delivery, noon)], noon + 10);
      }
    }
    for (const deliveries of await leaseAll(noon)) leased.push(...deliveries);
    expect(leased).toHaveLength(endpoints.length * 2 * 10);
    const logs = await Promise.all(accountIds.map((id) => one.events.readEvents(id, 0, 1_000)));
    const numbers = new Map(logs.flat().map(({ id, seq }) => [id, seq]));
    for (const { eventId, sequence } of leased) expect(sequence).toBe(numbers.get(eventId));
    for (const log of logs) expect(new Set(log.map(({ seq }) => seq)).size).toBe(20);
  });

  test('lease what others queue meanwhile, each once', async () => {
    const endpoints = await Promise.all(Array.from({ length: 6 }, () => addEndpoint(trade)));
    const queued = endpoints.flatMap(({ accountId }, index) => {
      const by = index % 2 === 0 ? trade : trade.on(other);
      return [enqueueDelivery(by, { accountId }), enqueueDelivery(by, { accountId })];
    });
    const early = await leaseAll(noon, 3);
    await Promise.all(queued);
    const all = ids([...early, ...(await leaseAll(noon, 3))].flat());
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(queued.length);
  });

  test('keep to the concurrency limit of an endpoint together', async () => {
    const { accountId } = await addEndpoint(trade);
    await enqueueDelivery(trade, { accountId, count: 60 });
    let now = noon;
    for (let limit = concurrencyLimit; limit < 20; ) {
      const [own = [], others = []] = await leaseAll(now, 3);
      expect(own.length + others.length).toBe(limit);
      now += second;
      // Both record at once, and each success raises the limit by one.
      const results = [own, others].map((leased) => leased.map((one) => deliveredResult(one, now)));
      await Promise.all([
        one.deliveries.recordAttempts(results[0] ?? [], now),
        other.deliveries.recordAttempts(results[1] ?? [], now),
      ]);
      limit += own.length + others.length;
      expect(await other.deliveries.queueStatus(now)).toMatchObject({ inFlight: 0 });
    }
  });

  test('give one effect to an idempotency key that both use at once', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const { accountId } = trade.buyer;
      const idempotencyKey = anIdempotencyKey({ accountId, key: `key-${round}` });
      const request = { quantity: 3, idempotencyKey };
      const orders = await Promise.all(
        [one, other, one, other].map((store) => trade.on(store).place(request)),
      );
      for (const order of orders) expect(order).toEqual(orders[0]);
      expect(await trade.unitsLeft()).toBe(1_000 - 3 * round);
      expect(await one.orders.listOrders(trade.buyer, {}, page)).toHaveLength(round);
    }
  });

  test('change an order once if both make the same change at once, and agree on which did', async () => {
    for (const to of ['confirmed', 'fulfilling', 'completed'] as const) {
      const orders = await Promise.all([1, 2, 3, 4].map(() => trade.place({ quantity: 1 })));
      for (const order of orders) {
        if (to === 'completed') await trade.move(order, 'fulfilling');
        const results = await Promise.all(
          [one, other, one, other, one, other].map((store) => trade.on(store).change(order, to)),
        );
        expect(results.filter(({ changed }) => changed)).toHaveLength(1);
        for (const result of results) expect(result.order).toEqual(results[0]?.order);
      }
    }
  });

  test('pause a webhook for both, and resume it for both', async () => {
    const webhook = await addEndpoint(trade);
    const { accountId } = webhook;
    await enqueueDelivery(trade, { accountId });
    // It has counted deliveries, and later also new ones.
    const leased = await leaseOne(other, noon);
    await other.deliveries.recordAttempts([busyResult(leased, noon, 1)], noon);
    await changeWebhook(one, webhook, { status: 'paused' });
    await enqueueDelivery(trade.on(other), { accountId });
    expect((await leaseAll(noon + hour)).flat()).toEqual([]);
    expect(await one.deliveries.nextDueAt()).toBeNull();
    expect(await other.deliveries.nextDueAt()).toBeNull();

    await changeWebhook(other, webhook, { status: 'active' }, { now: noon + hour });
    expect((await leaseAll(noon + hour)).flat()).toHaveLength(2);
  });

  test('wait together as long as a receiver requests with Retry-After', async () => {
    const { accountId } = await addEndpoint(trade);
    await enqueueDelivery(trade, { accountId });
    const leased = await leaseOne(one, noon);
    await enqueueDelivery(trade.on(other), { accountId, count: 3 });
    const wait = 30 * second;
    await one.deliveries.recordAttempts([busyResult(leased, noon, wait)], noon);

    expect((await leaseAll(noon + wait - 1)).flat()).toEqual([]);
    expect(await one.deliveries.nextDueAt()).toBe(noon + wait);
    expect(await other.deliveries.nextDueAt()).toBe(noon + wait);
    const all = (await leaseAll(noon + wait)).flat();
    // After a failure, half as many may be in flight.
    expect(all).toHaveLength(concurrencyLimit / 2);
  });

  test('keep to a long backoff for what was queued before it started', async () => {
    const { accountId } = await addEndpoint(trade);
    await enqueueDelivery(trade, { accountId, count: concurrencyLimit });
    const leased = await leaseDue(one, noon);
    await enqueueDelivery(trade.on(other), { accountId, now: noon + second });
    const endedAt = noon + 10 * second;
    const wait = 300 * second;
    const results = leased.map((delivery) => busyResult(delivery, endedAt, wait));
    await one.deliveries.recordAttempts(results, endedAt);

    expect(await other.deliveries.nextDueAt()).toBe(endedAt + wait);
    expect((await leaseAll(endedAt + wait - 1)).flat()).toEqual([]);
    expect((await leaseAll(endedAt + wait)).flat()).not.toEqual([]);
  });

  test('find what the other one queues after the clock was set back', async () => {
    const { accountId } = await addEndpoint(trade);
    await enqueueDelivery(trade, { accountId });
    const leased = await leaseOne(one, noon);
    await one.deliveries.recordAttempts([deliveredResult(leased, noon)], noon);
    expect(await one.deliveries.nextDueAt()).toBeNull();

    const now = noon - hour;
    await one.deliveries.adjustToClock({ expected: noon, now });
    await enqueueDelivery(trade.on(other), { accountId, now });
    expect(await one.deliveries.nextDueAt()).toBe(now);
  });

  test('decide about an order with its task as it is when they get their turn', async () => {
    const { id } = await trade.place();
    const first = new pg.Client({ connectionString: database.url });
    await first.connect();
    onTestFinished(() => first.end());
    await first.query('BEGIN');
    await first.query('UPDATE orders SET version = version + 1 WHERE id = $1', [id]);
    await first.query('UPDATE tasks SET completed_at = $2 WHERE order_id = $1', [id, noon]);

    const seen: (OrderContext | null)[] = [];
    const decided = one.orders.changeOrder(id, aContext(), (found) => {
      seen.push(found);
      return null;
    });
    let isWaiting = false;
    while (!isWaiting) {
      const { rows } = await first.query('SELECT 1 FROM pg_locks WHERE NOT granted');
      isWaiting = rows.length > 0;
    }
    await first.query('COMMIT');
    await decided;
    expect(seen).toEqual([expect.objectContaining({ task: null })]);
    expect(seen[0]?.order.version).toBe(2);
  });
});
