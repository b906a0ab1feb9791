import { describe, expect, test } from 'vitest';
import {
  ConflictError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  ValidationError,
} from '../../../src/index';
import { mockTradepost } from '../../../src/testing/index';
import { catchTradepostError } from '../../helpers/catch-tradepost-error';

describe('a mock', () => {
  test('lets a buyer place an order that its seller and agent see and update', async () => {
    const { client, as, accounts, addListing, getListing } = mockTradepost();
    const listing = addListing({ availableQuantity: 10, agentId: accounts.agent.id });
    const order = await client.orders.create({ listingId: listing.id, quantity: 4 });
    expect(order).toEqual({
      id: 'ord_01M7YQ1WE00000000000000000',
      status: 'pending',
      buyerId: accounts.buyer.id,
      sellerId: accounts.seller.id,
      agentId: accounts.agent.id,
      listingId: listing.id,
      quantity: 4,
      createdAt: '2026-11-21T09:30:00.000Z',
      updatedAt: '2026-11-21T09:30:00.000Z',
    });
    expect(getListing(listing.id).availableQuantity).toBe(6);
    expect(await as('seller').orders.get(order.id)).toEqual(order);
    const updated = await as('agent').orders.update(order.id, { status: 'confirmed' });
    expect(updated).toEqual({ ...order, status: 'confirmed' });
    expect(await client.orders.get(order.id)).toEqual(updated);
  });

  test('rejects what the service rejects, with the classes and codes of the client', async () => {
    const { client, as, addListing, addOrder, addAccount } = mockTradepost();
    const listing = addListing({ availableQuantity: 3 });
    const order = addOrder({ status: 'completed' });
    const stranger = as(addAccount({ kind: 'seller' }));
    const create = (quantity: number, listingId = listing.id) =>
      client.orders.create({ listingId, quantity });
    const cases = [
      [create(4), ConflictError, 'insufficient_quantity'],
      [create(0), ValidationError, 'validation_failed'],
      [create(1, 'lst_1'), ValidationError, 'listing_not_found'],
      [
        as('seller').orders.create({ listingId: listing.id, quantity: 1 }),
        PermissionError,
        'account_kind_not_allowed',
      ],
      [
        client.orders.update(order.id, { status: 'cancelled' }),
        PermissionError,
        'account_kind_not_allowed',
      ],
      [
        as('seller').orders.update(order.id, { status: 'cancelled' }),
        ConflictError,
        'invalid_transition',
      ],
      [stranger.orders.get(order.id), NotFoundError, 'order_not_found'],
      [client.orders.list({ cursor: 'x' }), ValidationError, 'invalid_cursor'],
    ] as const;
    for (const [call, Class, code] of cases) {
      const error = await catchTradepostError(call);
      expect(error).toBeInstanceOf(Class);
      expect(error.code).toBe(code);
    }
  });

  test('checks ifMatch against the ETag of an order', async () => {
    const { as, addOrder } = mockTradepost();
    const { orders } = as('seller');
    const { id } = addOrder();
    const { headers } = await orders.get(id).withResponse();
    const ifMatch = headers.get('ETag') ?? '';
    expect(ifMatch).toBe('"1"');
    await orders.update(id, { status: 'confirmed' }, { ifMatch });
    await expect(orders.update(id, { status: 'fulfilling' }, { ifMatch })).rejects.toThrow(
      PreconditionFailedError,
    );
    // The current status is accepted, whatever the ETag.
    expect(await orders.update(id, { status: 'confirmed' }, { ifMatch })).toMatchObject({ id });
  });

  test('places one order for one idempotency key', async () => {
    const { client, addListing, advance } = mockTradepost();
    const { id: listingId } = addListing();
    const place = (quantity: number) =>
      client.orders.create({ listingId, quantity }, { idempotencyKey: 'k-1' }).withResponse();
    const first = await place(2);
    advance(1_000);
    const second = await place(2);
    expect(second.data).toEqual(first.data);
    expect(first.headers.get('Idempotent-Replayed')).toBeNull();
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    await expect(place(3)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    advance(24 * 60 * 60 * 1_000);
    expect((await place(3)).data.id).not.toBe(first.data.id);
  });
});
