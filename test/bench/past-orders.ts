import {
  createIdGenerator,
  type IdGenerator,
  openSqliteStore,
  type Store,
} from '@tradepost/server';
import type { TradingAccounts } from './trading-accounts';

/** The age of past orders in days: longer than anything is kept by default. */
export const pastDays = 200;

const dayMs = 24 * 60 * 60 * 1000;
const orderBatchSize = 50;
const leaseBatchSize = 128;
const eventTypes = ['order.created', 'task.approval_requested'] as const;

type Parties = Omit<TradingAccounts, 'webhooks' | 'orders'>;

/** Writes the rows of one order with an agent: two events for three accounts, and an idempotency key. */
async function addOrder({ orders }: Store, trade: Parties, newId: IdGenerator, now: number) {
  const { buyer, seller, agent, listingId } = trade;
  const context = { now, newId: (prefix: Parameters<IdGenerator>[0]) => newId(prefix, now) };
  const id = context.newId('ord');
  const parties = { buyerId: buyer.id, sellerId: seller.id, agentId: agent.id };
  const order = { ...parties, listingId, quantity: 1, status: 'pending' as const };
  const response = { id, ...order, createdAt: now, updatedAt: now };
  const createdAt = new Date(now).toISOString();
  const event = (eventType: (typeof eventTypes)[number]) => ({
    id: context.newId('evt'),
    eventType,
    createdAt: now,
    body: JSON.stringify({ event: eventType, createdAt, data: { orderId: id, ...order } }),
    orderId: id,
    orderVersion: 1,
    recipients: [buyer.id, seller.id, agent.id],
    message: `Order ${id} was created.`,
    actorId: null,
    actorKind: null,
  });
  const idempotencyKey = {
    accountId: buyer.id,
    operation: 'createOrder',
    key: crypto.randomUUID(),
    fingerprint: id.padEnd(64, '0'),
    expiresAt: now + dayMs,
  };
  await orders.placeOrder({ listingId, idempotencyKey, context }, (listing) => {
    if (listing === null) throw new Error(`There is no listing ${listingId}.`);
    return {
      change: {
        order: { ...response, version: 1 },
        listing,
        task: null,
        events: eventTypes.map(event),
      },
      response: { status: 201, headers: { ETag: '"1"' }, body: response },
    };
  });
}

/** Records every due delivery as made, without sending anything. */
async function deliverAll({ deliveries }: Store, now: number): Promise<void> {
  for (let round = 0; ; round += 1) {
    const token = `past-${round}`;
    const leased = await deliveries.leaseDue({
      now,
      leaseUntil: now + dayMs,
      leaseToken: token,
      limit: leaseBatchSize,
    });
    if (leased.length === 0) return;
    const outcomes = leased.map(({ id, leaseToken, url }) => ({
      deliveryId: id,
      leaseToken,
      number: 1,
      attempt: {
        startedAt: now,
        durationMs: 5,
        url,
        headers: { 'Content-Type': 'application/json', 'Webhook-Id': id },
        status: 204,
        error: null,
        responseSnippet: '',
        retryAfter: null,
      },
      state: 'delivered' as const,
      nextAttemptAt: null,
    }));
    await deliveries.recordAttempts(outcomes, now);
  }
}

/** Adds old orders through the store, with deliveries made and notifications unread. */
export async function addPastOrders(file: string, trade: Parties, count: number): Promise<void> {
  if (count === 0) return;
  // IDs never decrease: a generator that has created recent IDs creates no old ones, so this needs a new one.
  const newId = createIdGenerator();
  const store = openSqliteStore(file, { synchronous: 'off' });
  try {
    const startedAt = Date.now() - pastDays * dayMs;
    for (let number = 0; number < count; number += orderBatchSize) {
      const orders = Math.min(orderBatchSize, count - number);
      await Promise.all(
        Array.from({ length: orders }, (_, at) =>
          addOrder(store, trade, newId, startedAt + number + at),
        ),
      );
    }
    await deliverAll(store, startedAt + count);
  } finally {
    await store.close();
  }
}
