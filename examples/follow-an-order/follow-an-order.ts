/**
 * Creates an order and follows it until it is completed or cancelled, or until Ctrl-C.
 *
 *   npm run follow -- LISTING_ID QUANTITY [PURCHASE]
 *
 * PURCHASE is your own reference. If you run the program again with the same one within 24 hours,
 * after a crash for example, it continues with the order that it created before. All three may also
 * be environment variables with these names. TRADEPOST_BASE_URL and TRADEPOST_API_KEY (the key of a
 * buyer) have to be.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isTradepostError, type Notification, type Order, Tradepost } from '@tradepost/sdk';

/** Milliseconds between two polls. If you need to know sooner, register a webhook instead. */
const pollIntervalMs = 2_000;

const [
  listingId = process.env.LISTING_ID ?? '',
  quantity = process.env.QUANTITY ?? '',
  purchase = process.env.PURCHASE ?? randomUUID(),
] = process.argv.slice(2);

const interrupted = new AbortController();
const { signal } = interrupted;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());

/** Prints the unread notifications about an order, oldest first, and marks them read. */
async function printUnread(tradepost: Tradepost, order: Order): Promise<void> {
  const unread: Notification[] = [];
  for await (const notification of tradepost.notifications.list({ read: false }, { signal })) {
    // Newest first: all that follow are older than the order.
    if (notification.createdAt < order.createdAt) break;
    if (notification.orderId === order.id && !notification.read) unread.unshift(notification);
  }
  for (const { id, createdAt, message } of unread) {
    console.log(`${createdAt}  ${message}`);
    await tradepost.notifications.markRead(id, { signal });
  }
}

/** Follows an order until its status is final. Continues through failures that outlast the client's own retries. */
async function follow(tradepost: Tradepost, orderId: string): Promise<Order> {
  for (;;) {
    try {
      const order = await tradepost.orders.get(orderId, { signal });
      // Read after the order, so that they include every change that led to its status.
      await printUnread(tradepost, order);
      if (order.status === 'completed' || order.status === 'cancelled') return order;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      console.error(`${explain(error)}\nRetrying.`);
    }
    await pause(pollIntervalMs, undefined, { signal });
  }
}

function isTemporary(error: unknown): boolean {
  if (!isTradepostError(error)) return false;
  const temporary = ['ConnectionError', 'TimeoutError', 'RateLimitError', 'ServerError'];
  return temporary.includes(error.name);
}

/** Describes an error and what to do about it, in one sentence. */
function explain(error: unknown): string {
  if (!isTradepostError(error)) return String(error);
  switch (error.name) {
    case 'AuthenticationError':
      return 'The service does not accept this API key. Check TRADEPOST_API_KEY.';
    case 'PermissionError':
      return 'This account cannot create orders. Use the key of a buyer.';
    case 'ConflictError':
      return `The order cannot be created: ${error.problem?.detail ?? error.message}`;
    case 'ValidationError': {
      const fields = error.errors.map(({ path, message }) => `${path} ${message}`);
      return `The service rejected the order: ${fields.join('; ') || error.problem?.detail || error.message}`;
    }
    case 'ConnectionError':
    case 'TimeoutError':
      return 'The service does not respond.';
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
  const order = await tradepost.orders.create(
    { listingId, quantity: Number(quantity) },
    { signal, idempotencyKey: `purchase-${purchase}` },
  );
  console.log(
    `Order ${order.id} is created, as purchase ${purchase}. Press Ctrl-C to stop following it.`,
  );
  const { status } = await follow(tradepost, order.id);
  console.log(`The order is ${status}. This status is final.`);
} catch (error) {
  if (signal.aborted) {
    console.log('Stopped following. The order is not affected.');
    process.exitCode = 130;
  } else {
    console.error(explain(error));
    process.exitCode = 1;
  }
}
