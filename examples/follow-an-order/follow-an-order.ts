/**
 * Places an order and follows it until it is completed or cancelled, or until Ctrl-C.
 *
 *   npm run follow -- LISTING_ID QUANTITY [PURCHASE]
 *
 * PURCHASE is how your own books call it. Run it again with the same one, after a crash say, and it
 * goes on with the order that it placed before (for 24 hours) instead of placing another. All three
 * may come from the environment, under these names. TRADEPOST_BASE_URL and TRADEPOST_API_KEY, the
 * key of a buyer, have to.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isTradepostError, type Notification, type Order, Tradepost } from '@tradepost/sdk';

/** Milliseconds between two looks. Whoever must know sooner registers a webhook instead. */
const interval = 2_000;

const [
  listingId = process.env.LISTING_ID ?? '',
  quantity = process.env.QUANTITY ?? '',
  purchase = process.env.PURCHASE ?? randomUUID(),
] = process.argv.slice(2);

const interrupted = new AbortController();
const { signal } = interrupted;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());

/** Shows what is new about an order, oldest first, and marks it read: it is not shown again. */
async function showNews(tradepost: Tradepost, order: Order): Promise<void> {
  const news: Notification[] = [];
  for await (const notification of tradepost.notifications.list({ read: false }, { signal })) {
    // Newest first: what follows is older than the order.
    if (notification.createdAt < order.createdAt) break;
    if (notification.orderId === order.id && !notification.read) news.unshift(notification);
  }
  for (const { id, createdAt, message } of news) {
    console.log(`${createdAt}  ${message}`);
    await tradepost.notifications.markRead(id, { signal });
  }
}

/** Follows an order to its end. The client repeats what fails for a moment; we outlast the rest. */
async function follow(tradepost: Tradepost, orderId: string): Promise<Order> {
  for (;;) {
    try {
      const order = await tradepost.orders.get(orderId, { signal });
      // Asked for after the order: so the news hold every change that led to its status.
      await showNews(tradepost, order);
      if (order.status === 'completed' || order.status === 'cancelled') return order;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      console.error(`${explain(error)}\nTrying again.`);
    }
    await pause(interval, undefined, { signal });
  }
}

function isTemporary(error: unknown): boolean {
  if (!isTradepostError(error)) return false;
  const passing = ['ConnectionError', 'TimeoutError', 'RateLimitError', 'ServerError'];
  return passing.includes(error.name);
}

/** Says in a sentence what went wrong and what to do. */
function explain(error: unknown): string {
  if (!isTradepostError(error)) return String(error);
  switch (error.name) {
    case 'AuthenticationError':
      return 'The service does not know this API key: check TRADEPOST_API_KEY.';
    case 'PermissionError':
      return 'This account may not place orders: take the key of a buyer.';
    case 'ConflictError':
      return `The order cannot be placed: ${error.problem?.detail ?? error.message}`;
    case 'ValidationError': {
      const fields = error.errors.map(({ path, message }) => `${path} ${message}`);
      return `The service refuses the order: ${fields.join('; ') || error.problem?.detail || error.message}`;
    }
    case 'ConnectionError':
    case 'TimeoutError':
      return 'The service does not answer.';
    default:
      return error.message;
  }
}

try {
  const tradepost = new Tradepost({
    baseUrl: process.env.TRADEPOST_BASE_URL ?? '',
    apiKey: process.env.TRADEPOST_API_KEY ?? '',
    userAgent: 'follow-an-order/1.0',
  });
  const placed = await tradepost.orders.create(
    { listingId, quantity: Number(quantity) },
    { signal, idempotencyKey: `purchase-${purchase}` },
  );
  console.log(`Order ${placed.id} is placed, as purchase ${purchase}. Ctrl-C stops following it.`);
  const { status } = await follow(tradepost, placed.id);
  console.log(`The order is ${status}: nothing more will come.`);
} catch (error) {
  if (signal.aborted) {
    console.log('Stopped following. The order goes on without us.');
    process.exitCode = 130;
  } else {
    console.error(explain(error));
    process.exitCode = 1;
  }
}
