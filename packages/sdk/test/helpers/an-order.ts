import type { Order } from '../../src/index';

/** A whole order, with what a test wants to differ. */
export function anOrder(overrides: Partial<Order> = {}): Order {
  return {
    id: 'ord_1',
    status: 'pending',
    buyerId: 'usr_1',
    sellerId: 'usr_2',
    agentId: null,
    listingId: 'lst_1',
    quantity: 5,
    createdAt: '2026-11-21T09:30:00.000Z',
    updatedAt: '2026-11-21T09:30:00.000Z',
    ...overrides,
  };
}
