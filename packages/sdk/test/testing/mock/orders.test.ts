import { describe, expect, test } from 'vitest';
import {
  ConflictError,
  NotFoundError,
  type OrderListParams,
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

  test('filters and sorts lists of orders', async () => {
    const { as, addAccount, addListing, addOrder, accounts } = mockTradepost();
    const listing = addListing();
    const other = addAccount({ kind: 'buyer' });
    const at = (minute: number) => `2026-11-21T09:0${minute}:00.000Z`;
    const first = addOrder({ createdAt: at(1), updatedAt: at(6), status: 'confirmed' });
    const second = addOrder({ createdAt: at(2), updatedAt: at(5), listingId: listing.id });
    const third = addOrder({ createdAt: at(3), updatedAt: at(4), buyerId: other.id });
    const list = async (params: OrderListParams) => {
      const orders = await as('seller')
        .orders.list({ ...params, limit: 1 })
        .toArray({ limit: 10 });
      return orders.map(({ id }) => [first.id, second.id, third.id].indexOf(id) + 1);
    };
    expect(await list({})).toEqual([3, 2, 1]);
    expect(await list({ sort: 'createdAt' })).toEqual([1, 2, 3]);
    expect(await list({ sort: 'updatedAt' })).toEqual([3, 2, 1]);
    expect(await list({ sort: '-updatedAt' })).toEqual([1, 2, 3]);
    expect(await list({ status: ['confirmed', 'cancelled'] })).toEqual([1]);
    expect(await list({ status: ['confirmed', 'pending'] })).toEqual([3, 2, 1]);
    expect(await list({ buyerId: other.id })).toEqual([3]);
    expect(await list({ buyerId: accounts.buyer.id })).toEqual([2, 1]);
    expect(await list({ listingId: listing.id })).toEqual([2]);
    expect(await list({ updatedAfter: at(5) })).toEqual([1]);
    const { nextCursor } = await as('seller').orders.list({ limit: 1 });
    const mixed = as('seller').orders.list({ sort: 'createdAt', cursor: nextCursor ?? '' });
    const error = await catchTradepostError(mixed);
    expect(error).toMatchObject({ code: 'invalid_cursor', status: 400 });
  });

  test.each(['updatedAt', 'createdAt'] as const)(
    'a poller that continues after the latest %s misses no order, although the clock stands still',
    async (by) => {
      const { as, addListing, client } = mockTradepost();
      const listing = addListing();
      let latest = '1970-01-01T00:00:00Z';
      for (let count = 0; count < 3; count += 1) {
        const order = await client.orders.create({ listingId: listing.id, quantity: 1 });
        const filter = by === 'updatedAt' ? { updatedAfter: latest } : { createdAfter: latest };
        const { data } = await as('seller').orders.list(filter);
        expect(data.map(({ id }) => id)).toEqual([order.id]);
        latest = data[0]?.[by] ?? '';
        if (by === 'createdAt') continue;
        await as('seller').orders.update(order.id, { status: 'confirmed' });
        const { data: changed } = await as('seller').orders.list({ updatedAfter: latest });
        expect(changed).toMatchObject([{ id: order.id, status: 'confirmed' }]);
        latest = changed[0]?.updatedAt ?? '';
      }
    },
  );

  test('expands orders with names', async () => {
    const { client, accounts, addListing, addOrder } = mockTradepost();
    const { id } = addListing({ title: 'Coffee' });
    const order = addOrder({ listingId: id });
    const { data } = await client.orders.list({ expand: ['buyer', 'agent', 'listing'] });
    const buyer = { id: accounts.buyer.id, name: accounts.buyer.name };
    expect(data).toEqual([{ ...order, buyer, agent: null, listing: { id, title: 'Coffee' } }]);
    const { seller } = await client.orders.get(order.id, { expand: 'seller' });
    expect(seller).toEqual({ id: accounts.seller.id, name: accounts.seller.name });
    expect(await client.orders.get(order.id)).toEqual(order);
  });

  test('lists all invalid fields', async () => {
    const { client } = mockTradepost();
    const params = { listingId: 'x', quantity: 1.5, note: '' };
    const error = await catchTradepostError(client.orders.create(params));
    expect(error).toMatchObject({
      status: 422,
      errors: [
        { path: 'listingId', message: 'must be a listing ID (lst_<id>)' },
        { path: 'quantity', message: 'must be an integer' },
        { path: 'note', message: 'unknown field; known: listingId, quantity' },
      ],
    });
  });

  test('says whether an update made the change', async () => {
    const { as, addOrder } = mockTradepost();
    const { id } = addOrder();
    const update = async (status: 'confirmed' | 'cancelled') => {
      const call = as('seller').orders.update(id, { status });
      return (await call.withResponse()).headers.get('Tradepost-Changed');
    };
    expect([await update('confirmed'), await update('confirmed')]).toEqual(['true', 'false']);
    expect([await update('cancelled'), await update('cancelled')]).toEqual(['true', 'false']);
    const { headers } = await as('seller').orders.get(id).withResponse();
    expect(headers.get('Tradepost-Changed')).toBeNull();
  });

  test('has the reason of an update in its event, unless it changed nothing', async () => {
    const { as, addOrder } = mockTradepost();
    const { id } = addOrder();
    const seller = as('seller');
    await seller.orders.update(id, { status: 'confirmed', reason: 'Paid.' });
    await seller.orders.update(id, { status: 'confirmed', reason: 'Again.' });
    await seller.orders.update(id, { status: 'fulfilling' });
    const events = await seller.events.list().toArray({ limit: 100 });
    const data = events.flatMap((event) =>
      event.event === 'order.status_changed' ? [event.data] : [],
    );
    expect(data).toEqual([
      { orderId: id, previousStatus: 'pending', status: 'confirmed', reason: 'Paid.' },
      { orderId: id, previousStatus: 'confirmed', status: 'fulfilling' },
    ]);
    const rejected = seller.orders.update(id, { status: 'completed', reason: 'two\nlines' });
    expect(await catchTradepostError(rejected)).toMatchObject({ errors: [{ path: 'reason' }] });
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

  test('returns the units of a cancelled order, and reports a low quantity once per crossing', async () => {
    const { client, as, accounts, addListing, getListing } = mockTradepost();
    const { id: listingId } = addListing({ availableQuantity: 10, lowThreshold: 8 });
    const placed = [];
    for (const quantity of [3, 1]) placed.push(await client.orders.create({ listingId, quantity }));
    for (const { id } of placed) await as('seller').orders.update(id, { status: 'cancelled' });
    expect(getListing(listingId).availableQuantity).toBe(10);
    await client.orders.create({ listingId, quantity: 3 });
    const events = await as('seller').events.list().toArray({ limit: 100 });
    const low = events.filter(({ event }) => event === 'listing.availability_low');
    expect(low.map(({ data }) => data)).toEqual([
      { listingId, sellerId: accounts.seller.id, availableQuantity: 7, threshold: 8 },
      { listingId, sellerId: accounts.seller.id, availableQuantity: 7, threshold: 8 },
    ]);
    const seenByBuyer = await client.notifications.list().toArray({ limit: 100 });
    expect(seenByBuyer.map(({ type }) => type)).not.toContain('listing_availability_low');
  });

  test('lists newest first, in pages', async () => {
    const { client, addOrder, advance } = mockTradepost();
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      ids.unshift(addOrder({ status: index % 2 ? 'confirmed' : 'pending' }).id);
      if (index % 2) advance(1);
    }
    const page = await client.orders.list({ limit: 2 });
    expect(page.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const all: string[] = [];
    for await (const { id } of client.orders.list({ limit: 2 })) all.push(id);
    expect(all).toEqual(ids);
    const createdAfter = page.data[1]?.createdAt ?? '';
    expect((await client.orders.list({ createdAfter })).data).toHaveLength(1);
    expect((await client.orders.list({ status: 'confirmed' })).data).toHaveLength(2);
  });
});
