import { type Order, Tradepost } from '@tradepost/sdk';
import type { DemoContext } from '../context';
import { shorten } from '../narrator';
import type { DemoService } from './start-service';

const quantity = 3;

/** Creates an order with the SDK, as the buyer. */
export async function placeOrder(
  { narrator, signal }: DemoContext,
  service: DemoService,
): Promise<Order> {
  const { url: baseUrl, buyer, listing } = service;
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
    'The order is pending. Its listing has an agent, so an approval task was created too.',
  );
  return order;
}
