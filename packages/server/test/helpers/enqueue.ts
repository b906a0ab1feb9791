import { createEvent } from '@tradepost/domain/events/event';
import type { Order } from '@tradepost/domain/orders/order';
import { aContext, anOrderRecord, noon } from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { addCaller, type Trade } from './trade';

/** Registers a webhook of a new account, so that its deliveries are queued for no other account. */
export async function addEndpoint(
  trade: Trade,
  overrides: Partial<Webhook> = {},
): Promise<Webhook> {
  return trade.subscribe(await addCaller(trade.store, 'buyer'), ['order.created'], overrides);
}

/** The deliveries to queue. */
export interface EnqueueOptions {
  /** The account of the webhooks. */
  accountId: string;
  /** The number of deliveries for each webhook; 1 by default. */
  count?: number;
  /** When they are due, in milliseconds since 1970: at noon by default. */
  now?: number;
}

/**
 * Queues deliveries in one commit: events of an order with one recipient.
 *
 * @returns The events' ids.
 */
export async function enqueueDelivery(
  trade: Trade,
  { accountId, count = 1, now = noon }: EnqueueOptions,
): Promise<string[]> {
  const context = aContext(now);
  const parties = { buyerId: trade.buyer.accountId, sellerId: trade.seller.accountId };
  const order: Order = anOrderRecord({ ...parties, agentId: null, listingId: trade.listing.id });
  const { id: orderId, buyerId, sellerId, agentId, listingId, quantity, status } = order;
  const data = { orderId, buyerId, sellerId, agentId, listingId, quantity, status };
  const about = {
    orderId,
    orderVersion: order.version,
    recipients: [accountId],
    message: 'An order was created.',
  };
  const events = Array.from({ length: count }, () =>
    createEvent({ event: 'order.created', data }, about, context),
  );
  const request = { listingId, idempotencyKey: null, context };
  await trade.store.orders.placeOrder(request, () => ({
    change: { order, listing: trade.listing, task: null, events },
    response: { status: 201, headers: {}, body: order },
  }));
  return events.map(({ id }) => id);
}
