import {
  createIdGenerator,
  type IdGenerator,
  openSqliteStore,
  type Store,
} from '@tradepost/server';
import type { Trade } from './trade';

/** For how many days past orders are over: longer than anything is kept by default. */
export const pastDays = 200;

const dayMs = 24 * 60 * 60 * 1000;
const ordersAtOnce = 50;
const claimsAtOnce = 128;
const kinds = ['order.created', 'task.approval_requested'] as const;

type Parties = Omit<Trade, 'webhooks' | 'orders'>;

/** Writes what one order with an agent writes: two events that three accounts are told of, and an idempotency key. */
async function addOrder({ orders }: Store, trade: Parties, newId: IdGenerator, now: number) {
  const { buyer, seller, agent, listingId } = trade;
  const moment = { now, newId: (prefix: Parameters<IdGenerator>[0]) => newId(prefix, now) };
  const id = moment.newId('ord');
  const parties = { buyerId: buyer.id, sellerId: seller.id, agentId: agent.id };
  const order = { ...parties, listingId, quantity: 1, status: 'pending' as const };
  const response = { id, ...order, createdAt: now, updatedAt: now };
  const createdAt = new Date(now).toISOString();
  const event = (eventType: (typeof kinds)[number]) => ({
    id: moment.newId('evt'),
    eventType,
    createdAt: now,
    body: JSON.stringify({ event: eventType, createdAt, data: { orderId: id, ...order } }),
    orderId: id,
    recipients: [buyer.id, seller.id, agent.id],
    message: `Order ${id} was created.`,
  });
  const idempotencyKey = {
    accountId: buyer.id,
    operation: 'createOrder',
    key: crypto.randomUUID(),
    fingerprint: id.padEnd(64, '0'),
    expiresAt: now + dayMs,
  };
  await orders.placeOrder({ listingId, idempotencyKey, context: moment }, (listing) => {
    if (listing === null) throw new Error(`There is no listing ${listingId}.`);
    return {
      change: { order: { ...response, version: 1 }, listing, task: null, events: kinds.map(event) },
      response: { status: 201, headers: { ETag: '"1"' }, body: response },
    };
  });
}

/** Makes every delivery that is due, without sending anything. */
async function deliverAll({ deliveries }: Store, now: number): Promise<void> {
  for (let round = 0; ; round += 1) {
    const token = `past-${round}`;
    const claimed = await deliveries.leaseDue({
      now,
      leaseUntil: now + dayMs,
      leaseToken: token,
      limit: claimsAtOnce,
    });
    if (claimed.length === 0) return;
    const outcomes = claimed.map(({ id, leaseToken, url }) => ({
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

/** Adds orders of long ago by the store's own verbs, delivered and with notifications that nobody has read. */
export async function addPastOrders(file: string, trade: Parties, count: number): Promise<void> {
  if (count === 0) return;
  // Ids go up whatever the clock says: makers that have made younger ones make no old ones any more.
  const newId = createIdGenerator();
  const store = openSqliteStore(file, { synchronous: 'off' });
  try {
    const began = Date.now() - pastDays * dayMs;
    for (let number = 0; number < count; number += ordersAtOnce) {
      const orders = Math.min(ordersAtOnce, count - number);
      await Promise.all(
        Array.from({ length: orders }, (_, at) =>
          addOrder(store, trade, newId, began + number + at),
        ),
      );
    }
    await deliverAll(store, began + count);
  } finally {
    await store.close();
  }
}
