import type { Order } from '@tradepost/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, getData, getProblem, type Service, startService } from './service';

let service: Service;
let buyer: Actor;
let seller: Actor;
let agent: Actor;
let stranger: Actor;

beforeAll(async () => {
  service = await startService();
  [buyer, seller, agent, stranger] = await Promise.all([
    service.account('buyer'),
    service.account('seller'),
    service.account('agent'),
    service.account('buyer'),
  ]);
});
afterAll(() => service.close());

async function placeOrder(quantity = 1, units = 100): Promise<Order> {
  const listing = await service.listing(seller, agent, units);
  const got = await service.request('POST /v1/orders', {
    as: buyer,
    body: { listingId: listing.id, quantity },
  });
  return getData<Order>(got);
}

function moveOrder(id: string, status: string, as = seller, headers: Record<string, string> = {}) {
  return service.request(`PATCH /v1/orders/${id}`, { as, body: { status }, headers });
}

describe('POST /v1/orders', () => {
  it('creates a pending order that takes its seller and agent from the listing', async () => {
    const listing = await service.listing(seller, agent);
    const got = await service.request('POST /v1/orders', {
      as: buyer,
      body: { listingId: listing.id, quantity: 7 },
    });
    expect(got.status).toBe(201);
    const order = getData<Order>(got);
    expect(order).toEqual({
      id: expect.stringMatching(/^ord_/),
      status: 'pending',
      buyerId: buyer.id,
      sellerId: seller.id,
      agentId: agent.id,
      listingId: listing.id,
      quantity: 7,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updatedAt: order.createdAt,
    });
    expect(got.headers.get('location')).toBe(`/v1/orders/${order.id}`);
    expect(got.headers.get('etag')).toBe('"1"');
  });

  it('subtracts the units from the listing and rejects more than are left', async () => {
    const listing = await service.listing(seller, null, 10);
    const order = (quantity: number) =>
      service.request('POST /v1/orders', { as: buyer, body: { listingId: listing.id, quantity } });
    expect((await order(8)).status).toBe(201);
    const problem = getProblem(await order(3));
    expect(problem.code).toBe('insufficient_quantity');
    expect(problem.detail).toContain('has 2 units left, but 3 were requested');
    expect((await order(2)).status).toBe(201);
  });

  it.each(['seller', 'agent'] as const)('is rejected for a %s', async (kind) => {
    const listing = await service.listing(seller);
    const problem = getProblem(
      await service.request('POST /v1/orders', {
        as: kind === 'seller' ? seller : agent,
        body: { listingId: listing.id, quantity: 1 },
      }),
    );
    expect(problem).toMatchObject({ status: 403, code: 'account_kind_not_allowed' });
  });

  it('names the field when the listing does not exist', async () => {
    const problem = getProblem(
      await service.request('POST /v1/orders', {
        as: buyer,
        body: { listingId: 'lst_none', quantity: 1 },
      }),
    );
    expect(problem).toMatchObject({ status: 422, code: 'listing_not_found' });
    expect(problem.errors).toEqual([{ path: 'listingId', message: 'does not exist' }]);
  });

  it('reports all issues of a body at once', async () => {
    const problem = getProblem(
      await service.request('POST /v1/orders', { as: buyer, body: { quantity: 0, colour: 'red' } }),
    );
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.map(({ path }) => path)).toEqual(['listingId', 'quantity', 'colour']);
    expect(problem.errors?.[0]?.message).toMatch(/^is required/);
  });

  it.each([
    ['one and a half', 1.5],
    ['none', 0],
    ['fewer than none', -1],
    ['more than a million', 1_000_001],
    ['text', '5'],
    ['null', null],
  ])('rejects %s as a quantity', async (_name, quantity) => {
    const listing = await service.listing(seller);
    const got = await service.request('POST /v1/orders', {
      as: buyer,
      body: { listingId: listing.id, quantity },
    });
    expect(getProblem(got).errors?.map(({ path }) => path)).toEqual(['quantity']);
  });
});

describe('GET /v1/orders/:id', () => {
  it('expands the names that are requested, and adds nothing else', async () => {
    const order = await placeOrder();
    const path = `GET /v1/orders/${order.id}`;
    const plain = await service.request(path, { as: buyer });
    const all = await service.request(`${path}?expand=agent,listing,buyer,seller`, { as: buyer });
    expect(JSON.parse(plain.text)).toEqual({ data: order });
    expect(all.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect(JSON.parse(all.text)).toEqual({
      data: {
        ...order,
        buyer: { id: buyer.id, name: 'buyer' },
        seller: { id: seller.id, name: 'seller' },
        agent: { id: agent.id, name: 'agent' },
        listing: { id: order.listingId, title: null },
      },
    });
    const some = await service.request(`${path}?expand=seller`, { as: agent });
    const expanded = { ...order, seller: { id: seller.id, name: 'seller' } };
    expect(JSON.parse(some.text)).toEqual({ data: expanded });
    // What is without `expand` comes first, as it is.
    expect(some.text.startsWith(plain.text.slice(0, -2))).toBe(true);
  });

  it('expands no order of others', async () => {
    const { id } = await placeOrder();
    const path = `GET /v1/orders/${id}?expand=buyer`;
    expect(getProblem(await service.request(path, { as: stranger })).code).toBe('order_not_found');
  });

  it('shows an order to its buyer, seller and agent alike', async () => {
    const order = await placeOrder();
    for (const as of [buyer, seller, agent]) {
      const got = await service.request(`GET /v1/orders/${order.id}`, { as });
      expect(got.status).toBe(200);
      expect(got.headers.get('etag')).toBe('"1"');
      expect(getData(got)).toEqual(order);
    }
  });

  it('responds to a conditional request in full: the contract has no 304', async () => {
    const order = await placeOrder();
    // Without fetch, which adds `Cache-Control: no-cache` to a request with this header.
    const response = await service.sendRaw(
      [
        `GET /v1/orders/${order.id} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${buyer.key}`,
        'If-None-Match: "1"',
        'Connection: close',
        '\r\n',
      ].join('\r\n'),
    );
    expect(response).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  });

  it('does not let a stranger distinguish an order from a missing one', async () => {
    const order = await placeOrder();
    const hidden = getProblem(
      await service.request(`GET /v1/orders/${order.id}`, { as: stranger }),
    );
    const missing = getProblem(await service.request('GET /v1/orders/ord_none', { as: stranger }));
    expect(hidden).toMatchObject({ status: 404, code: 'order_not_found' });
    expect(missing).toMatchObject({ status: 404, code: 'order_not_found' });
    expect(hidden.detail.replace(order.id, 'ord_none')).toBe(missing.detail);
  });

  it.each(['nonsense', 'lst_1', 'ord_', `ord_${'x'.repeat(500)}`, '%20', '%00', '..%2f'])(
    'returns 404 for %s, which is not an ID',
    async (id) => {
      const problem = getProblem(await service.request(`GET /v1/orders/${id}`, { as: buyer }));
      expect(problem).toMatchObject({ status: 404, code: 'order_not_found' });
    },
  );
});

describe('PATCH /v1/orders/:id', () => {
  it('changes a pending order to fulfilling for its seller', async () => {
    const order = await placeOrder();
    const got = await moveOrder(order.id, 'fulfilling');
    expect(got.status).toBe(200);
    expect(got.headers.get('etag')).toBe('"2"');
    expect(getData(got)).toEqual({
      ...order,
      status: 'fulfilling',
      updatedAt: expect.any(String),
    });
  });

  it('rejects the buyer of the order', async () => {
    const order = await placeOrder();
    const problem = getProblem(await moveOrder(order.id, 'cancelled', buyer));
    expect(problem).toMatchObject({ status: 403, code: 'account_kind_not_allowed' });
  });

  it('does not reveal to strangers of any kind that the order exists', async () => {
    const order = await placeOrder();
    for (const kind of ['buyer', 'seller', 'agent'] as const) {
      const other = await service.account(kind);
      const problem = getProblem(await moveOrder(order.id, 'confirmed', other));
      expect(problem).toMatchObject({ status: 404, code: 'order_not_found' });
    }
  });

  it('changes nothing and returns 200 if the order has that status', async () => {
    const order = await placeOrder();
    const first = await moveOrder(order.id, 'confirmed');
    const again = await moveOrder(order.id, 'confirmed');
    expect(again.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('etag')).toBe('"2"');
    expect(first.headers.get('tradepost-changed')).toBe('true');
    expect(again.headers.get('tradepost-changed')).toBe('false');
    const notifications = await service.request('GET /v1/notifications?limit=100', { as: buyer });
    const mine = getData<{ orderId: string; type: string }[]>(notifications).filter(
      ({ orderId, type }) => orderId === order.id && type === 'order_status_changed',
    );
    expect(mine).toHaveLength(1);
  });

  it.each<Record<string, string>>([{}, { 'If-Match': '"1"' }, { 'If-Match': '*' }])(
    'says true to exactly one of several clients that make the same change at once, with %o',
    async (headers) => {
      const order = await placeOrder();
      const all = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          moveOrder(order.id, 'confirmed', index % 2 === 0 ? seller : agent, headers),
        ),
      );
      expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
      const said = all.map(({ headers: got }) => got.get('tradepost-changed')).sort();
      expect(said).toEqual([...Array.from({ length: 15 }, () => 'false'), 'true']);
    },
  );

  it('says only in the response to a change whether there was one', async () => {
    const order = await placeOrder();
    const got = await service.request(`GET /v1/orders/${order.id}`, { as: seller });
    const rejected = await moveOrder(order.id, 'completed');
    for (const { headers } of [got, rejected]) expect(headers.has('tradepost-changed')).toBe(false);
  });

  it('rejects an invalid transition and names the allowed ones', async () => {
    const order = await placeOrder();
    const problem = getProblem(await moveOrder(order.id, 'completed'));
    expect(problem).toMatchObject({ status: 409, code: 'invalid_transition' });
    expect(problem.detail).toContain(
      'from pending it can change to confirmed, fulfilling or cancelled.',
    );
  });

  it('reports that a final status is final', async () => {
    const order = await placeOrder();
    await moveOrder(order.id, 'cancelled');
    const problem = getProblem(await moveOrder(order.id, 'pending'));
    expect(problem.detail).toContain('cancelled is final');
  });

  it('rejects an unknown status, and lists the known ones', async () => {
    const order = await placeOrder();
    const problem = getProblem(await moveOrder(order.id, 'shipped'));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors).toEqual([
      {
        path: 'status',
        message: 'must be one of pending, confirmed, fulfilling, completed, cancelled',
      },
    ]);
  });

  it('changes an order only at the version in If-Match', async () => {
    const order = await placeOrder();
    const stale = getProblem(await moveOrder(order.id, 'confirmed', seller, { 'If-Match': '"7"' }));
    expect(stale).toMatchObject({ status: 412, code: 'precondition_failed' });
    const fresh = await moveOrder(order.id, 'confirmed', seller, { 'If-Match': '"1"' });
    expect(fresh.status).toBe(200);
    const any = await moveOrder(order.id, 'fulfilling', seller, { 'If-Match': '*' });
    expect(any.status).toBe(200);
    const list = await moveOrder(order.id, 'completed', seller, { 'If-Match': '"9", "3"' });
    expect(list.status).toBe(200);
  });

  it('accepts commas and asterisks inside of a tag', async () => {
    const order = await placeOrder();
    for (const tag of ['"x,*,y"', '"x,"1",y"', '"*"']) {
      const got = await moveOrder(order.id, 'confirmed', seller, { 'If-Match': tag });
      expect([412, 422]).toContain(got.status);
    }
    const got = await service.request(`GET /v1/orders/${order.id}`, { as: buyer });
    expect(getData(got)).toMatchObject({ status: 'pending' });
  });

  it('compares the version in a weak entity tag, and rejects an invalid one', async () => {
    const order = await placeOrder();
    const stale = await moveOrder(order.id, 'confirmed', seller, { 'If-Match': 'W/"2"' });
    expect(getProblem(stale).code).toBe('precondition_failed');
    const weak = await moveOrder(order.id, 'confirmed', seller, { 'If-Match': 'W/"1"' });
    expect(weak.status).toBe(200);
    const bare = await moveOrder(order.id, 'confirmed', seller, { 'If-Match': '1' });
    expect(getProblem(bare).errors?.[0]?.path).toBe('if-match');
  });
});
