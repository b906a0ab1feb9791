import { describe, expect, test, vi } from 'vitest';
import { AbortError, type AccountEvent, type Tradepost } from '../../../src/index';
import { exampleSecret, mockTradepost } from '../../../src/testing/index';
import { webhookReceiver } from '../../../src/webhooks/index';

const url = 'https://receiver.example/tradepost';

async function register(
  client: Tradepost,
  ...events: ('order.created' | 'order.status_changed')[]
) {
  const { id = '', secret = '' } = await client.webhooks.create({ url, events });
  return { id, secret };
}

describe('deliver', () => {
  test('sends signed deliveries to a receiver, and records the results', async () => {
    const { client, as, accounts, addListing, deliver } = mockTradepost();
    const { id, secret } = await register(client, 'order.created');
    const { id: listingId } = addListing({ agentId: accounts.agent.id });
    const order = await client.orders.create({ listingId, quantity: 2 });
    await as('seller').orders.update(order.id, { status: 'confirmed' });
    const placed: string[] = [];
    const receiver = webhookReceiver({
      secret,
      requireTimestamp: true,
      on: { 'order.created': ({ data }) => void placed.push(data.orderId) },
    });
    expect(await client.webhooks.get(id)).toMatchObject({ pendingDeliveries: 1 });
    const [delivery] = await deliver(receiver.fetch);
    expect(delivery).toMatchObject({ state: 'delivered', lastStatus: 204, attemptCount: 1 });
    expect(placed).toEqual([order.id]);
    expect(await deliver(receiver.fetch)).toEqual([]);
    const { attempts, body } = await client.deliveries.get(delivery?.id ?? '');
    expect(attempts).toMatchObject([{ number: 1, url, status: 204, error: null }]);
    expect(JSON.parse(body)).toMatchObject({ event: 'order.created' });
  });

  test('repeats what was not acknowledged, and sends a test event once', async () => {
    const { client, deliver, addListing } = mockTradepost();
    const { id } = await register(client, 'order.created');
    await client.orders.create({ listingId: addListing().id, quantity: 1 });
    await client.webhooks.test(id, { event: 'order.status_changed' });
    const seen: (string | null)[] = [];
    const reject = (request: Request) => {
      seen.push(request.headers.get('Tradepost-Test'));
      if (seen.length === 3) throw new Error('crashed');
      return new Response('no', { status: 500 });
    };
    expect((await deliver(reject)).map(({ state }) => state)).toEqual(['pending', 'failed']);
    expect(seen).toEqual([null, 'true']);
    await expect(deliver(reject)).rejects.toThrow('crashed');
    expect((await client.deliveries.list({ state: 'pending' })).data).toMatchObject([
      { attemptCount: 2, lastStatus: null, lastError: 'connection_reset' },
    ]);
    expect(await client.webhooks.get(id)).toMatchObject({ consecutiveFailures: 3 });
    await deliver(() => new Response());
    const listed = await client.deliveries.list({ state: 'delivered', statusClass: '2xx' });
    expect(listed.data).toHaveLength(1);
    await client.deliveries.replay(listed.data[0]?.id ?? '');
    expect(await deliver(() => new Response())).toMatchObject([{ attemptCount: 4 }]);
  });

  test('sends again what was replayed, and says how the receiver fares', async () => {
    const { client, deliver, addListing } = mockTradepost();
    const { id } = await register(client, 'order.created');
    const { id: orderId } = await client.orders.create({ listingId: addListing().id, quantity: 1 });
    await deliver(() => new Response('', { status: 503 }));
    const failing = { lastStatus: 503, lastError: null, failingSince: expect.any(String) };
    expect(await client.webhooks.get(id)).toMatchObject(failing);
    await deliver(() => new Response());
    expect(await client.webhooks.get(id)).toMatchObject({ lastStatus: 200, failingSince: null });
    expect(await client.webhooks.replayDeliveries(id, {})).toMatchObject({ replayed: 0 });
    expect(await client.webhooks.replayDeliveries(id, { state: 'delivered' })).toEqual({
      replayed: 1,
      skipped: 0,
      nextCursor: null,
    });
    await deliver(() => new Response());
    expect((await client.deliveries.list({ orderId })).data).toMatchObject([
      { orderId, state: 'delivered', attemptCount: 3 },
    ]);
  });

  test('signs with the staged secret too', async () => {
    const { client, deliver, addListing } = mockTradepost({ now: Date.now });
    const { id, secret } = await register(client, 'order.created');
    const { secret: staged } = await client.webhooks.stageSecret(id);
    const { id: listingId } = addListing();
    const handled = vi.fn();
    const on = { 'order.created': handled };
    const receiver = webhookReceiver({ secrets: [staged, secret], on });
    const counts: number[] = [];
    const receive = (request: Request) => {
      counts.push(request.headers.get('webhook-signature')?.split(' ').length ?? 0);
      return receiver.fetch(request);
    };
    await client.orders.create({ listingId, quantity: 1 });
    await deliver(receive);
    await client.webhooks.promoteSecret(id);
    await client.orders.create({ listingId, quantity: 1 });
    await deliver(receive);
    expect(counts).toEqual([2, 1]);
    expect(handled).toHaveBeenCalledTimes(2);
  });

  test('uses the time that it is given, for a receiver with a clock of its own', async () => {
    const { client, deliver, addListing } = mockTradepost();
    const { secret } = await register(client, 'order.created');
    await client.orders.create({ listingId: addListing().id, quantity: 1 });
    const sentAt = new Date('2020-01-01T00:00:00Z');
    const receiver = webhookReceiver({
      secret,
      requireTimestamp: true,
      now: () => sentAt,
      onUnhandled: () => undefined,
    });
    expect(await deliver(receiver.fetch, { sentAt })).toMatchObject([{ state: 'delivered' }]);
  });

  test.each([undefined, {}, () => 'OK', () => undefined])(
    'rejects what is not a receiver: %s',
    async (receiver) => {
      const { client, deliver, addListing } = mockTradepost();
      await register(client, 'order.created');
      await client.orders.create({ listingId: addListing().id, quantity: 1 });
      await expect(deliver(receiver as never)).rejects.toThrow(TypeError);
    },
  );

  test('gives up after 24 hours', async () => {
    const { client, deliver, advance, addListing } = mockTradepost();
    await register(client, 'order.created');
    await client.orders.create({ listingId: addListing().id, quantity: 1 });
    advance(24 * 60 * 60 * 1_000 + 1);
    expect(await deliver(() => new Response())).toEqual([]);
    expect((await client.deliveries.list({ state: 'failed' })).data).toHaveLength(1);
  });
});

describe('events of a mock', () => {
  test('are followed as they happen', async () => {
    const { client, as, addOrder } = mockTradepost();
    const { id } = addOrder();
    const controller = new AbortController();
    const seen: AccountEvent[] = [];
    const following = (async () => {
      for await (const event of client.events.follow({}, { signal: controller.signal })) {
        seen.push(event);
        if (seen.length === 2) controller.abort();
      }
    })();
    await as('seller').orders.update(id, { status: 'confirmed' });
    await as('seller').orders.update(id, { status: 'fulfilling' });
    await expect(following).rejects.toThrow(AbortError);
    expect(seen.map(({ data }) => data)).toEqual([
      { orderId: id, previousStatus: 'pending', status: 'confirmed' },
      { orderId: id, previousStatus: 'confirmed', status: 'fulfilling' },
    ]);
  });

  test('leave no timers when the caller stops following', async () => {
    vi.useFakeTimers();
    try {
      const { client } = mockTradepost();
      await client.events.list();
      const controller = new AbortController();
      const stream = client.events.follow({}, { signal: controller.signal });
      const next = stream[Symbol.asyncIterator]().next();
      await vi.waitFor(() => expect(vi.getTimerCount()).toBe(3));
      controller.abort();
      await expect(next).rejects.toThrow(AbortError);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a request that waits for events ends when the time of the mock has passed', async () => {
    const { client, advance } = mockTradepost();
    const page = client.events.list({ waitSeconds: 30 });
    const data = page.then(({ data }) => data);
    await vi.waitFor(() => {
      advance(30_000);
      return expect(Promise.race([data, Promise.reject(new Error('waits'))])).resolves.toEqual([]);
    });
  });
});

describe('a mock without extensions', () => {
  test('has the seven endpoints, and responds to changes without a body', async () => {
    const mock = mockTradepost({ extensions: false });
    const { client, as, addListing, addOrder, addNotification } = mock;
    for (let index = 0; index < 60; index += 1) addOrder();
    const { id: listingId } = addListing();
    const { headers, data, requestId, extensions } = await client.orders
      .create({ listingId, quantity: 1 })
      .withResponse();
    expect(extensions).toEqual([]);
    expect([headers.get('Tradepost-Idempotency'), headers.get('ETag'), requestId]).toEqual([
      null,
      null,
      null,
    ]);
    const list = await client.orders.list({ limit: 1, status: 'pending' });
    expect([list.data.length, list.nextCursor]).toEqual([61, null]);
    const update = { status: 'confirmed' } as const;
    const updated = await as('seller')
      .orders.update(data.id, update, { ifMatch: '"9"' })
      .withResponse();
    expect([updated.status, updated.data]).toEqual([204, { id: data.id, status: 'confirmed' }]);
    const { id } = addNotification();
    expect(await client.notifications.markRead(id)).toEqual({ id, read: true });
    const params = { url, events: ['order.created' as const] };
    expect(await client.webhooks.create(params)).toEqual(params);
  });

  test('fails without problem documents, and has no extensions', async () => {
    const { client } = mockTradepost({ extensions: false });
    await expect(client.orders.get('ord_1')).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'http_error',
      body: { error: 'Order not found' },
    });
    for (const call of [client.webhooks.list(), client.events.list(), client.account.get()]) {
      await expect(call).rejects.toThrow('an extension, which this service may not support');
    }
  });

  test('ignores idempotency keys, so a client does not repeat a lost POST', async () => {
    const { client, addListing, fail, requests } = mockTradepost({ extensions: false });
    const { id: listingId } = addListing();
    await client.orders.list();
    fail('orders.create', 'lost_response');
    const options = { idempotencyKey: 'k-1' };
    const create = () => client.orders.create({ listingId, quantity: 1 }, options);
    await expect(create()).rejects.toMatchObject({ mayHaveBeenApplied: true });
    expect(requests).toHaveLength(2);
    await create();
    expect((await client.orders.list()).data).toHaveLength(2);
  });

  test('delivers with Service-Signature alone', async () => {
    const { client, addListing, deliver } = mockTradepost({ extensions: false });
    await client.webhooks.create({ url, events: ['order.created'] });
    await client.orders.create({ listingId: addListing().id, quantity: 1 });
    const names: string[] = [];
    const receiver = webhookReceiver({ secret: exampleSecret, onUnhandled: () => undefined });
    const [delivery] = await deliver((request) => {
      request.headers.forEach((_, name) => {
        names.push(name);
      });
      return receiver.fetch(request);
    });
    expect(names).toEqual(['content-type', 'service-signature']);
    expect(delivery).toMatchObject({ state: 'delivered', lastStatus: 204 });
  });
});
