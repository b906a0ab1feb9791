import type { IdGenerator, Store } from '@tradepost/server';

/** The accounts and the listing of a bench database. */
export interface TradingAccounts {
  buyer: { id: string; apiKey: string };
  /** The account with the webhooks. */
  seller: { id: string; apiKey: string };
  /** The agent of the listing if it has one, and of filled and past orders. */
  agent: { id: string; apiKey: string };
  /** A listing of more units than a bench can order, by default without an agent. */
  listingId: string;
  /** Pending orders. */
  orders: string[];
  /** The seller's webhooks, in the order of their URLs. */
  webhooks: { id: string; url: string; secret: string }[];
}

type Parties = Pick<TradingAccounts, 'buyer' | 'seller' | 'listingId'>;

/** The bytes of a request for an order of one unit, on a keep-alive connection. */
export function createOrderRequest({ buyer, listingId }: TradingAccounts): string {
  const body = JSON.stringify({ listingId, quantity: 1 });
  return [
    'POST /v1/orders HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${buyer.apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

/** The envelope of an `order.created`, as the server renders it. */
export function orderCreatedBody(trade: Parties, orderId: string, now: number): string {
  const { buyer, seller, listingId } = trade;
  const parties = { orderId, buyerId: buyer.id, sellerId: seller.id, agentId: null };
  return JSON.stringify({
    event: 'order.created',
    createdAt: new Date(now).toISOString(),
    data: { ...parties, listingId, quantity: 1, status: 'pending' },
  });
}

/**
 * Creates an order of one unit through the store: everything that the service does except HTTP and the rules.
 *
 * @param events The number of events. Each becomes a delivery for each of the seller's webhooks.
 * @param notifyBuyer Whether the buyer is notified too, as by the service.
 * @returns The ID of the order.
 */
export async function placeOrder(
  { orders }: Store,
  trade: Parties,
  newId: IdGenerator,
  { events = 1, notifyBuyer = true } = {},
): Promise<string> {
  const { buyer, seller, listingId } = trade;
  const now = Date.now();
  const context = { now, newId: (prefix: Parameters<IdGenerator>[0]) => newId(prefix, now) };
  const id = context.newId('ord');
  const dates = { createdAt: now, updatedAt: now };
  const parties = { buyerId: buyer.id, sellerId: seller.id, agentId: null, listingId };
  const event = () => ({
    id: context.newId('evt'),
    eventType: 'order.created' as const,
    createdAt: now,
    body: orderCreatedBody(trade, id, now),
    orderId: id,
    orderVersion: 1,
    recipients: notifyBuyer ? [buyer.id, seller.id] : [seller.id],
    message: `Order ${id} was created.`,
    actorId: null,
    actorKind: null,
  });
  await orders.placeOrder({ listingId, idempotencyKey: null, context }, (listing) => {
    if (listing === null) throw new Error(`There is no listing ${listingId}.`);
    return {
      change: {
        order: { id, status: 'pending', ...parties, quantity: 1, version: 1, ...dates },
        listing: { ...listing, availableQuantity: listing.availableQuantity - 1 },
        task: null,
        events: Array.from({ length: events }, event),
      },
      response: { status: 201, headers: {}, body: { data: { id } } },
    };
  });
  return id;
}
