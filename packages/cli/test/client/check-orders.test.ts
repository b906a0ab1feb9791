import type { OrderStatus } from '@tradepost/sdk';
import { describe, expect, it } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { assertSelected, type OrderQuery } from '../../src/client/check-orders';

const order = anOrder();

describe('orders that were selected by a query', () => {
  it.each<[OrderQuery]>([
    [{}],
    [{ buyerId: order.buyerId, listingId: order.listingId }],
    [{ createdAfter: '2026-11-21T09:29:59Z', createdBefore: '2026-11-21T09:30:01Z' }],
    [{ status: 'cancelled' }],
    [{ status: ['cancelled', order.status as OrderStatus] }],
    [{ updatedAfter: '2026-11-21T10:29:59+01:00', sort: '-updatedAt' }],
  ])('%j are accepted if they match it', (query) => {
    expect(() => assertSelected([order, order], query)).not.toThrow();
  });

  it.each<[OrderQuery, string]>([
    [{ status: ['cancelled', 'completed'] }, 'status'],
    [{ buyerId: 'usr_other' }, 'buyerId'],
    [{ listingId: 'lst_other' }, 'listingId'],
    [{ createdAfter: order.createdAt }, 'createdAfter'],
    [{ createdBefore: order.createdAt }, 'createdBefore'],
    [{ updatedAfter: order.updatedAt }, 'updatedAfter'],
  ])('%j are rejected if the service ignored it', (query, name) => {
    expect(() => assertSelected([order], query)).toThrow(`The service ignored the filter ${name}`);
  });

  it('are rejected if the service did not sort them', () => {
    const later = anOrder({ createdAt: '2026-11-21T09:31:00.000Z' });
    expect(() => assertSelected([later, order], { sort: 'createdAt' })).toThrow('did not sort');
    expect(() => assertSelected([later, order], { sort: '-createdAt' })).not.toThrow();
  });
});
