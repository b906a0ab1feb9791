import { type Order, Tradepost } from '@tradepost/sdk';
import { shorten } from '../narrate';
import type { Stage } from '../stage';
import type { Shop } from './open-shop';

const quantity = 3;

/** Orders something with the SDK, as the buyer. */
export async function placeOrder({ narrator, signal }: Stage, shop: Shop): Promise<Order> {
  const { url: baseUrl, buyer, listing } = shop;
  narrator.step('Create an order with the SDK, as the buyer');
  narrator.code(
    `const tradepost = new Tradepost({ baseUrl, apiKey: '${shorten(buyer.apiKey)}' });`,
    `await tradepost.orders.create({ listingId: '${listing.id}', quantity: ${quantity} });`,
  );
  const tradepost = new Tradepost({ baseUrl, apiKey: buyer.apiKey });
  const order = await tradepost.orders.create({ listingId: listing.id, quantity }, { signal });
  narrator.fields({ id: order.id, status: order.status, quantity: String(order.quantity) });
  narrator.confirm(
    order.status === 'pending',
    'A new order is pending. Its listing has an agent, whom a task now asks for approval.',
  );
  return order;
}
