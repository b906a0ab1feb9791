import type { Order } from '../../packages/sdk/src/index';

/** An order with every field, as the service responds with it; a test names the fields that matter to it. */
export function anOrder(overrides: Partial<Order> = {}): Order {
  return {
    id: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
    status: 'pending',
    buyerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB',
    sellerId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
    agentId: null,
    listingId: 'lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL',
    quantity: 5,
    createdAt: '2026-11-21T09:30:00.000Z',
    updatedAt: '2026-11-21T09:30:00.000Z',
    ...overrides,
  };
}
