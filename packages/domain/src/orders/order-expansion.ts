import type { OrderExpansion, OrderParty, Order as OrderResponse } from '@tradepost/contract';
import { formatEtag, type Order, toOrderResponse } from './order';
import type { OrderStore } from './order-store';

/**
 * Converts orders to the contract's orders, with what a request expands. Names are read in one query for all orders. The
 * participants of an order may know the names of each other and of the listing, and nothing else.
 */
export async function toExpandedResponses(
  store: OrderStore,
  orders: readonly Order[],
  expand: readonly OrderExpansion[],
): Promise<OrderResponse[]> {
  const parties = (['buyer', 'seller', 'agent'] as const).filter((one) => expand.includes(one));
  const accountIds = orders.flatMap((order) => parties.map((party) => order[`${party}Id`]));
  const listingIds = expand.includes('listing') ? orders.map(({ listingId }) => listingId) : [];
  const known = accountIds.filter((id) => id !== null);
  const names = await store.findNames([...new Set(known)], [...new Set(listingIds)]);

  function toParty(id: string): OrderParty {
    const name = names.get(id);
    if (name == null) throw new Error(`There is no account ${id}.`);
    return { id, name };
  }
  return orders.map((order) => {
    const { buyerId, sellerId, agentId, listingId } = order;
    return {
      ...toOrderResponse(order),
      ...(parties.includes('buyer') && { buyer: toParty(buyerId) }),
      ...(parties.includes('seller') && { seller: toParty(sellerId) }),
      ...(parties.includes('agent') && { agent: agentId === null ? null : toParty(agentId) }),
      ...(expand.includes('listing') && {
        listing: { id: listingId, title: names.get(listingId) ?? null },
      }),
      ...(expand.includes('etag') && { etag: formatEtag(order) }),
    };
  });
}
