import { describe, expect, test, vi } from 'vitest';
import { AuthenticationError, PermissionError, Tradepost } from '../../../src/index';
import { type MockTradepost, mockTradepost } from '../../../src/testing/index';
import { validateResponses } from '../../../src/validate/index';

describe('the clients of a mock', () => {
  test('are real, and one per account unless options are passed', () => {
    const { client, as, accounts, addAccount } = mockTradepost();
    expect(client).toBeInstanceOf(Tradepost);
    expect(as('buyer')).toBe(client);
    expect(as(accounts.buyer)).toBe(client);
    expect(as('buyer', { maxRetries: 0 })).not.toBe(client);
    expect(as(addAccount())).not.toBe(client);
    expect(() => as('stranger' as never)).toThrow('There is no account "stranger"');
  });

  test('call the hooks of their options', async () => {
    const { as, addOrder } = mockTradepost();
    const operations: string[] = [];
    const hooks = {
      onResponse: ({ operation }: { operation: string }) => void operations.push(operation),
    };
    await as('seller', { hooks }).orders.get(addOrder().id);
    expect(operations).toEqual(['orders.get']);
  });

  test('get the account of their key', async () => {
    const { client, as, accounts, addAccount } = mockTradepost();
    const { id, kind, name, createdAt } = accounts.buyer;
    const key = {
      id: expect.stringMatching(/^key_/),
      prefix: 'tpk_mock…',
      readOnly: false,
      expiresAt: null,
    };
    expect(await client.account.get()).toEqual({ id, kind, name, createdAt, key });
    const readOnly = as(addAccount({ name: 'Auditor', readOnly: true }));
    expect(await readOnly.account.get()).toMatchObject({
      name: 'Auditor',
      key: { readOnly: true },
    });
    const change = readOnly.orders.create({ listingId: 'lst_1', quantity: 1 });
    await expect(change).rejects.toThrow(PermissionError);
    await expect(as('buyer', { apiKey: 'tpk_other' }).orders.list()).rejects.toThrow(
      AuthenticationError,
    );
  });

  test('can be created by the program, also below a path', async () => {
    const mock = mockTradepost({ baseUrl: 'https://Trade.example:443/eu/' });
    const { id } = mock.addOrder();
    const client = new Tradepost({ ...mock.clientOptions('seller'), userAgent: 'shop' });
    expect(await client.orders.get(id)).toMatchObject({ id });
    expect(mock.requests[0]?.headers['user-agent']).toMatch(/^shop /);
    expect(mock.requests[0]?.path).toBe(`/v1/orders/${id}`);
    const elsewhere = client.withOptions({ baseUrl: 'https://other.example' });
    await expect(elsewhere.orders.get(id)).rejects.toThrow(
      'the mock is at https://trade.example/eu, and has nothing at https://other.example',
    );
  });

  test('can replace the global fetch for a program that creates its own client', async () => {
    const { clientOptions, addOrder } = mockTradepost();
    const { baseUrl, apiKey, fetch } = clientOptions('buyer');
    vi.stubGlobal('fetch', fetch);
    try {
      const { id } = addOrder();
      expect(await new Tradepost({ baseUrl, apiKey }).orders.get(id)).toMatchObject({ id });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('get responses that match the contract', async () => {
    const { as, accounts, addListing } = mockTradepost();
    const [buyer, seller] = (['buyer', 'seller'] as const).map((kind) =>
      as(kind, { validate: validateResponses }),
    ) as [Tradepost, Tradepost];
    const { id: listingId } = addListing({ agentId: accounts.agent.id, lowThreshold: 100 });
    const webhook = await buyer.webhooks.create({
      url: 'https://receiver.example',
      events: ['order.created'],
    });
    const { id } = await buyer.orders.create({ listingId, quantity: 1 });
    await seller.orders.update(id, { status: 'fulfilling' });
    const webhookId = webhook.id ?? '';
    await buyer.webhooks.test(webhookId, { event: 'task.completed' });
    await buyer.webhooks.stageSecret(webhookId);
    await buyer.webhooks.promoteSecret(webhookId);
    for (const { id } of (await buyer.deliveries.list()).data) await buyer.deliveries.get(id);
    for (const { id } of (await buyer.notifications.list()).data) {
      await buyer.notifications.markRead(id);
    }
    expect((await buyer.events.list()).data).toHaveLength(4);
    expect((await buyer.webhooks.list()).data).toHaveLength(1);
    await buyer.account.get();
  });
});

describe('the requests of a mock', () => {
  test('are recorded, each attempt as one', async () => {
    const { client, addListing, fail, requests } = mockTradepost();
    const { id: listingId } = addListing();
    fail('orders.create', { code: 'rate_limited' });
    await client.orders.list({ status: 'pending', limit: 10 });
    await client.orders.create({ listingId, quantity: 2 }, { idempotencyKey: 'k-1' });
    await client.request('GET', '/v1/reports').safe();
    expect(
      requests.map(({ operation, method, path, status }) => [operation, method, path, status]),
    ).toEqual([
      ['orders.list', 'GET', '/v1/orders', 200],
      ['orders.create', 'POST', '/v1/orders', 429],
      ['orders.create', 'POST', '/v1/orders', 201],
      [null, 'GET', '/v1/reports', 404],
    ]);
    expect(requests[0]?.query).toEqual({ status: 'pending', limit: '10' });
    expect(requests[2]?.body).toEqual({ listingId, quantity: 2 });
    expect(requests[2]?.headers['idempotency-key']).toBe('k-1');
  });
});

describe('the time of a mock', () => {
  test('is fixed, and moves with advance', async () => {
    const { client, addOrder, advance } = mockTradepost({ now: '2027-01-01T00:00:00Z' });
    expect(addOrder().createdAt).toBe('2027-01-01T00:00:00.000Z');
    advance(1_500);
    const { id, createdAt } = addOrder();
    expect(createdAt).toBe('2027-01-01T00:00:01.500Z');
    expect((await client.orders.list()).data[0]?.id).toBe(id);
    expect(() => advance(-1)).toThrow('advance takes milliseconds');
  });

  test('can be that of a function', () => {
    let now = Date.parse('2027-01-01T00:00:00Z');
    const { addOrder } = mockTradepost({ now: () => now });
    now += 60_000;
    expect(addOrder().createdAt).toBe('2027-01-01T00:01:00.000Z');
  });

  test('must be valid', () => {
    expect(() => mockTradepost({ now: 'yesterday' })).toThrow('now is not a valid time');
  });
});

describe('the data of a mock', () => {
  test('are the same in each run', async () => {
    const run = async () => {
      const { client, addListing } = mockTradepost();
      const order = await client.orders.create({ listingId: addListing().id, quantity: 1 });
      const webhook = await client.webhooks.create({
        url: 'https://r.example',
        events: ['order.created'],
      });
      return { order, webhook };
    };
    expect(await run()).toEqual(await run());
  });

  test('that are added cause no events, and may have their own IDs', async () => {
    const { client, as, accounts, addOrder, addNotification } = mockTradepost();
    const order = addOrder({ id: 'ord_7', quantity: 3, agentId: accounts.agent.id });
    expect((await client.events.list()).data).toEqual([]);
    expect((await client.notifications.list()).data).toEqual([]);
    const notification = addNotification({ accountId: accounts.seller.id, orderId: order.id });
    expect((await as('seller').notifications.list()).data).toEqual([notification]);
    // As if it had been placed before: its approval task is open.
    await as('seller').orders.update('ord_7', { status: 'confirmed' });
    const events = await client.events.list().toArray({ limit: 9 });
    expect(events.map(({ event }) => event)).toEqual(['order.status_changed', 'task.completed']);
  });

  test('must refer to what exists', () => {
    const { accounts, addListing, addOrder, addNotification, getListing } = mockTradepost();
    const { id: listingId } = addListing();
    addOrder({ id: 'ord_1' });
    expect(() => addOrder({ id: 'ord_1' })).toThrow('already one with the ID ord_1');
    expect(() => addOrder({ listingId: 'lst_1' })).toThrow('There is no listing "lst_1"');
    expect(() => addOrder({ buyerId: accounts.seller.id })).toThrow('buyerId must be the ID');
    expect(() => addOrder({ listingId, agentId: accounts.agent.id })).toThrow('agentId is usr_');
    expect(() => addListing({ sellerId: 'usr_1' })).toThrow('sellerId must be the ID');
    expect(() => addNotification({ accountId: 'usr_1' })).toThrow('accountId must be the ID');
    expect(() => addNotification({ createdAt: 'x' })).toThrow('"x" is not a time');
    expect(() => getListing('lst_1')).toThrow('There is no listing');
    expect(() => mockTradepost({ extension: false } as never)).toThrow('no option "extension"');
  });
});

test.each<[string, (mock: MockTradepost) => unknown]>([
  ['an option', () => mockTradepost({ extension: false } as never)],
  ['a field of an account', ({ addAccount }) => addAccount({ kin: 'buyer' } as never)],
  ['a kind of account', ({ addAccount }) => addAccount({ kind: 'broker' as never })],
  ['a field of a listing', ({ addListing }) => addListing({ quantity: 1 } as never)],
  ['a quantity', ({ addListing }) => addListing({ availableQuantity: -1 })],
  ['a field of an order', ({ addOrder }) => addOrder({ state: 'pending' } as never)],
  ['a field of a failure', ({ fail }) => fail('*', { status: 503, retryAfterSeconds: 1 } as never)],
  ['an option of a failure', ({ fail }) => fail('*', 'timeout', { time: 1 } as never)],
  ['a status', ({ fail }) => fail('*', { status: 9999 })],
])('%s that does not exist is rejected', (_, call) => {
  expect(() => call(mockTradepost())).toThrow(TypeError);
});

describe('a mock', () => {
  test('delivers the events of a change that comes after a list by time', async () => {
    const { client, as, addListing, deliver } = mockTradepost();
    const { id: listingId } = addListing();
    await client.webhooks.create({ url: 'https://receiver.example', events: ['order.created'] });
    await client.orders.create({ listingId, quantity: 1 });
    await as('seller').orders.list({ sort: 'updatedAt' });
    await client.orders.create({ listingId, quantity: 1 });
    const sent = await deliver(() => new Response());
    expect(sent.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });

  test('sends nothing twice if its receiver calls deliver', async () => {
    const { client, addListing, deliver } = mockTradepost();
    const { id: listingId } = addListing();
    await client.webhooks.create({ url: 'https://receiver.example', events: ['order.created'] });
    for (const quantity of [1, 2]) await client.orders.create({ listingId, quantity });
    const bodies: string[] = [];
    await deliver(async (request) => {
      bodies.push(await request.text());
      await deliver(async (inner) => {
        bodies.push(await inner.text());
        return new Response();
      });
      return new Response();
    });
    expect(new Set(bodies).size).toBe(2);
    expect(bodies).toHaveLength(2);
  });

  test('has pages of orders whose IDs and times a test has chosen', async () => {
    const { client, addOrder } = mockTradepost();
    const ids = ['ord_1', 'ord_b', 'ord_Zz9'];
    for (const id of ids) addOrder({ id, createdAt: '1970-01-01T00:00:00.000Z' });
    const found = await client.orders.list({ limit: 1 }).toArray({ limit: 9 });
    expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
    const minimal = mockTradepost({ extensions: false });
    for (let count = 0; count < 101; count += 1) minimal.addOrder({ id: `ord_${count}` });
    expect(await minimal.client.orders.list().toArray({ limit: 200 })).toHaveLength(101);
  });

  test.each([
    ['the start of Unix time', new Date(0)],
    ['a clock with fractions', () => 1_000 / 3],
  ])('has the same IDs in each run with %s', async (_name, now) => {
    const place = async () => {
      const { client, addListing, advance } = mockTradepost({ now });
      advance(1_000 / 3);
      return await client.orders.create({ listingId: addListing().id, quantity: 1 });
    };
    expect(await place()).toEqual(await place());
  });
});
