import type { IdGenerator, Store } from '@tradepost/server';

/** Who trades what in a database of the benches. */
export interface Trade {
  buyer: { id: string; apiKey: string };
  /** Whose webhooks are told. */
  seller: { id: string; apiKey: string };
  /** The listing's agent, where it has one. */
  agent: { id: string };
  /** A listing of more units than a bench can order, without an agent unless one was wanted. */
  listingId: string;
  /** Pending orders. */
  orders: string[];
  /** The seller's webhooks, in the order of the URLs they were registered for. */
  webhooks: { url: string; secret: string }[];
}

type Parties = Pick<Trade, 'buyer' | 'seller' | 'listingId'>;

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
 * Places an order of one unit by the store's own verb: all that the service does for it but HTTP and the
 * decision itself.
 *
 * @param events How many events it is to have; each becomes a delivery for each of the seller's webhooks.
 * @param tellBuyer Whether the buyer is told too, as the service does.
 * @returns The order's id.
 */
export async function placeOrder(
  { orders }: Store,
  trade: Parties,
  newId: IdGenerator,
  { events = 1, tellBuyer = true } = {},
): Promise<string> {
  const { buyer, seller, listingId } = trade;
  const now = Date.now();
  const moment = { now, newId: (prefix: Parameters<IdGenerator>[0]) => newId(prefix, now) };
  const id = moment.newId('ord');
  const dates = { createdAt: now, updatedAt: now };
  const parties = { buyerId: buyer.id, sellerId: seller.id, agentId: null, listingId };
  const event = () => ({
    id: moment.newId('evt'),
    eventType: 'order.created' as const,
    createdAt: now,
    body: orderCreatedBody(trade, id, now),
    orderId: id,
    recipients: tellBuyer ? [buyer.id, seller.id] : [seller.id],
    message: `Order ${id} was created.`,
  });
  await orders.placeOrder({ listingId, idempotencyKey: null, context: moment }, (listing) => {
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
