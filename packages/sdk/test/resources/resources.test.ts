import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { version } from '../../package.json';
import { Tradepost } from '../../src/index';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, scriptedService } from '../helpers/scripted-service';

async function createClient(...steps: Parameters<typeof scriptedService>) {
  const service = await scriptedService(...steps);
  return { service, tradepost: new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' }) };
}

const notification = {
  id: 'ntf_1',
  type: 'order_status_changed',
  orderId: 'ord_1',
  message: 'Order ord_1 is now fulfilling.',
  read: true,
  createdAt: '2026-11-21T09:30:00.000Z',
};

describe('every call', () => {
  test('sends the API key, accepts JSON and names the client', async () => {
    const { service, tradepost } = await createClient(json(200, { data: anOrder() }));
    await tradepost.orders.get('ord_1');
    expect(service.request(0).headers).toMatchObject({
      authorization: 'Bearer tpk_test',
      accept: 'application/json',
      'user-agent': `tradepost-sdk/${version}`,
    });
  });

  test('may have its own headers, which override those of the client', async () => {
    const { service, tradepost } = await createClient(json(200, { data: anOrder() }));
    await tradepost.orders.get('ord_1', {
      headers: { 'X-Request-Id': 'req_mine', accept: 'application/json; q=1' },
    });
    expect(service.request(0).headers).toMatchObject({
      'x-request-id': 'req_mine',
      accept: 'application/json; q=1',
    });
  });

  test('keeps unknown fields', async () => {
    const { tradepost } = await createClient(json(200, { data: { ...anOrder(), colour: 'red' } }));
    expect(await tradepost.orders.get('ord_1')).toEqual({ ...anOrder(), colour: 'red' });
  });

  test('runs concurrently with others without mixing up responses', async () => {
    const { tradepost } = await createClient((response, { url }) =>
      json(200, { data: anOrder({ id: url.replace('/v1/orders/', '') }) })(response, {
        method: '',
        url,
        headers: {},
        body: '',
      }),
    );
    const ids = Array.from({ length: 50 }, (_, at) => `ord_${at}`);
    const orders = await Promise.all(ids.map((id) => tradepost.orders.get(id)));
    expect(orders.map((order) => order.id)).toEqual(ids);
  });
});

describe('orders', () => {
  test('list sends the given filters, and no others', async () => {
    const { service, tradepost } = await createClient(json(200, { data: [], nextCursor: null }));
    await tradepost.orders.list({ status: 'pending', createdAfter: '2026-11-21T09:30:00+01:00' });
    await tradepost.orders.list();
    expect(service.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/v1/orders?status=pending&createdAfter=2026-11-21T09%3A30%3A00%2B01%3A00', ''],
      ['GET', '/v1/orders', ''],
    ]);
  });

  test('list counts the whole list with its first page, and returns the total', async () => {
    const total = { count: 2, atLeast: false };
    const { service, tradepost } = await createClient(
      json(200, { data: [anOrder()], nextCursor: 'c1', total }),
      json(200, { data: [anOrder()], nextCursor: null }),
    );
    const totals = [];
    for await (const page of tradepost.orders.list({ count: 1_000 }).pages()) {
      totals.push(page.total);
    }
    expect(totals).toEqual([total, undefined]);
    expect(service.seen.map(({ url }) => url)).toEqual([
      '/v1/orders?count=1000',
      '/v1/orders?cursor=c1',
    ]);
  });

  test('list sends several statuses as one text', async () => {
    const { service, tradepost } = await createClient(json(200, { data: [], nextCursor: null }));
    await tradepost.orders.list({
      status: ['pending', 'confirmed'],
      buyerId: 'usr_1',
      updatedAfter: new Date('2026-11-21T09:30:00Z'),
      sort: 'updatedAt',
    });
    const statuses = encodeURIComponent('pending,confirmed');
    expect(service.request(0).url).toBe(
      `/v1/orders?status=${statuses}&buyerId=usr_1&updatedAfter=2026-11-21T09%3A30%3A00.000Z&sort=updatedAt`,
    );
  });

  test('list and get send what to expand as one text', async () => {
    const party = { id: 'usr_1', name: 'Corner Shop' };
    const { service, tradepost } = await createClient(
      json(200, { data: [{ ...anOrder(), buyer: party }], nextCursor: null }),
      json(200, { data: { ...anOrder(), buyer: party } }),
    );
    const { data } = await tradepost.orders.list({ expand: 'buyer' });
    const order = await tradepost.orders.get('ord_1', {
      expand: ['buyer', 'agent'],
      timeout: 5_000,
    });
    expect([data[0]?.buyer, order.buyer]).toEqual([party, party]);
    expect(service.seen.map(({ url }) => url)).toEqual([
      '/v1/orders?expand=buyer',
      `/v1/orders/ord_1?expand=${encodeURIComponent('buyer,agent')}`,
    ]);
  });

  test('expand is an option of get only', async () => {
    const { tradepost } = await createClient();
    const options = { expand: 'buyer' } as object;
    const { message } = await catchTradepostError(
      tradepost.orders.update('ord_1', { status: 'confirmed' }, options),
    );
    expect(message).toContain('There is no option "expand".');
  });

  test('create posts the order as JSON with an idempotency key', async () => {
    const { service, tradepost } = await createClient(json(201, { data: anOrder() }));
    const order = await tradepost.orders.create({ listingId: 'lst_1', quantity: 5 });
    expect(order).toEqual(anOrder());
    const { method, url, headers, body } = service.request(0);
    expect([method, url, body]).toEqual([
      'POST',
      '/v1/orders',
      '{"listingId":"lst_1","quantity":5}',
    ]);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  test('create generates a new key for each call, and sends a given one unchanged', async () => {
    const { service, tradepost } = await createClient(json(201, { data: anOrder() }));
    const body = { listingId: 'lst_1', quantity: 5 };
    await tradepost.orders.create(body);
    await tradepost.orders.create(body);
    await tradepost.orders.create(body, { idempotencyKey: 'import-42' });
    const keys = service.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys[2]).toBe('import-42');
  });

  test('get requests the order by its ID, and sends neither a body nor a key', async () => {
    const { service, tradepost } = await createClient(json(200, { data: anOrder() }));
    expect(await tradepost.orders.get('ord_1')).toEqual(anOrder());
    const { method, url, headers, body } = service.request(0);
    expect([method, url, body]).toEqual(['GET', '/v1/orders/ord_1', '']);
    expect(headers).not.toHaveProperty('idempotency-key');
    expect(headers).not.toHaveProperty('content-type');
  });

  test('update patches the status, with If-Match when ifMatch is given', async () => {
    const { service, tradepost } = await createClient(
      json(200, { data: anOrder({ status: 'confirmed' }) }),
    );
    const order = await tradepost.orders.update(
      'ord_1',
      { status: 'confirmed' },
      { ifMatch: '"3"' },
    );
    expect(order.status).toBe('confirmed');
    const { method, url, headers, body } = service.request(0);
    expect([method, url, body]).toEqual(['PATCH', '/v1/orders/ord_1', '{"status":"confirmed"}']);
    expect(headers['if-match']).toBe('"3"');
    await tradepost.orders.update('ord_1', { status: 'confirmed' });
    expect(service.request(1).headers).not.toHaveProperty('if-match');
  });

  test('ifMatch takes the ETag that a custom fetch read, and * for any', async () => {
    const { baseUrl, seen } = await scriptedService(
      json(200, { data: anOrder() }, { ETag: '"3"' }),
    );
    let etag: string | null = null;
    const { orders } = new Tradepost({
      baseUrl,
      apiKey: 'tpk_test',
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        etag ??= response.headers.get('ETag');
        return response;
      },
    });
    await orders.get('ord_1');
    await orders.update('ord_1', { status: 'confirmed' }, { ifMatch: etag ?? undefined });
    await orders.update('ord_1', { status: 'confirmed' }, { ifMatch: '*' });
    const sent = seen.map(({ headers }) => headers['if-match']);
    expect(sent).toEqual([undefined, '"3"', '*']);
  });

  test.each([
    ['W/"3"', '"3"'],
    ['"3-gzip"', '"3"'],
    ['W/"a,W/", "b;br"', '"a,W/", "b"'],
  ])('ifMatch %s is sent as it is, and after a 412 as %s', async (ifMatch, original) => {
    const rejected = json(412, { error: 'Precondition Failed' });
    const { service, tradepost } = await createClient(
      rejected,
      json(200, { data: anOrder() }),
      rejected,
    );
    const { orders } = tradepost;
    const options = { ifMatch, maxRetries: 0 };
    await orders.update('ord_1', { status: 'confirmed' }, options);
    const conflict = await orders.update('ord_1', { status: 'confirmed' }, options).safe();
    expect(conflict).toMatchObject({ error: { name: 'PreconditionFailedError' } });
    const sent = service.seen.map(({ headers }) => headers['if-match']);
    expect(sent).toEqual([ifMatch, original, ifMatch, original]);
    await orders.update('ord_1', { status: 'confirmed' }, { ifMatch: original }).safe();
    expect(service.seen).toHaveLength(5);
  });

  test('an ID cannot change the path', async () => {
    const { service, tradepost } = await createClient(json(200, { data: anOrder() }));
    await tradepost.orders.get('x/webhooks?x=1#y');
    expect(service.request(0).url).toBe('/v1/orders/x%2Fwebhooks%3Fx%3D1%23y');
    await expect(tradepost.orders.get('')).rejects.toThrow('/v1/orders/:id needs id');
    await expect(tradepost.orders.get('../webhooks')).rejects.toMatchObject({
      code: 'invalid_configuration',
    });
    expect(service.seen).toHaveLength(1);
  });
});

describe('notifications', () => {
  test('list filters by read', async () => {
    const { service, tradepost } = await createClient(json(200, { data: [notification] }));
    expect((await tradepost.notifications.list({ read: false })).data).toEqual([notification]);
    expect(service.request(0).url).toBe('/v1/notifications?read=false');
  });

  test('markRead sends a PATCH with read set to true', async () => {
    const { service, tradepost } = await createClient(json(200, { data: notification }));
    expect(await tradepost.notifications.markRead('ntf_1')).toEqual(notification);
    const { method, url, body } = service.request(0);
    expect([method, url, body]).toEqual(['PATCH', '/v1/notifications/ntf_1', '{"read":true}']);
  });

  test('markAllRead posts the time, and returns how many are read now', async () => {
    const marked = { marked: 1_000, hasMore: true };
    const { service, tradepost } = await createClient(json(200, { data: marked }));
    const before = new Date('2026-11-21T09:30:00Z');
    expect(await tradepost.notifications.markAllRead({ before })).toEqual(marked);
    const { method, url, body } = service.request(0);
    const time = '{"before":"2026-11-21T09:30:00.000Z"}';
    expect([method, url, body]).toEqual(['POST', '/v1/notifications/read', time]);
  });
});

describe('webhooks', () => {
  test('create posts the registration with an idempotency key, and returns the secret', async () => {
    const webhook = {
      id: 'whk_1',
      url: 'https://receiver.example/tradepost',
      events: ['order.created'],
      status: 'active',
      createdAt: '2026-11-21T09:30:00.000Z',
      updatedAt: '2026-11-21T09:30:00.000Z',
      secret: 'whsec_c2VjcmV0',
    };
    const { service, tradepost } = await createClient(json(201, { data: webhook }));
    const body = { url: webhook.url, events: ['order.created' as const] };
    expect(await tradepost.webhooks.create(body)).toEqual(webhook);
    const request = service.request(0);
    expect([request.method, request.url]).toEqual(['POST', '/v1/webhooks']);
    expect(JSON.parse(request.body)).toEqual(body);
    expect(request.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });
});

test('partners.list lists partners by a part of their name', async () => {
  const partner = { id: 'usr_1', kind: 'buyer', name: 'Harbour Street Café' };
  const { service, tradepost } = await createClient(
    json(200, { data: [partner], nextCursor: null }),
  );
  expect(await tradepost.partners.list({ name: 'café' }).toArray({ limit: 5 })).toEqual([partner]);
  expect(service.seen.map(({ url }) => url)).toEqual(['/v1/partners?name=caf%C3%A9']);
});

test('orders.timeline gets what happened to an order, and summary.get the account at a glance', async () => {
  const timeline = { entries: [], prunedBefore: null };
  const summary = { asOf: '2026-11-21T09:30:00.000Z' };
  const { service, tradepost } = await createClient(
    json(200, { data: timeline }),
    json(200, { data: summary }),
  );
  expect(await tradepost.orders.timeline('ord_1')).toEqual(timeline);
  expect(await tradepost.summary.get()).toEqual(summary);
  expect(service.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /v1/orders/ord_1/timeline',
    'GET /v1/summary',
  ]);
});
