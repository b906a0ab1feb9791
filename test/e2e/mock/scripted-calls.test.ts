import { afterEach, beforeEach, expect, test } from 'vitest';
import { Comparison } from './compare-services';
import { accountNames, startTwoServices, type TwoServices } from './two-services';

let services: TwoServices;
let comparison: Comparison;

beforeEach(async () => {
  services = await startTwoServices();
  comparison = new Comparison(services);
});

afterEach(() => services.close());

const receiver = 'https://receiver.example/tradepost';

test('both services show the same to each account', async () => {
  for (const account of accountNames) await comparison.compareAll(account);
});

test('both services place, update and reject orders in the same way', async () => {
  await comparison.compareAll('buyer');
  const place = (
    account: 'buyer' | 'seller' | 'agent' | 'stranger',
    quantity: unknown,
    index = 0,
  ) =>
    comparison.call(account, ({ orders }, { id }) =>
      orders.create({ listingId: id('lst', index), quantity: quantity as number }),
    );
  // Of each listing, the first leaves as many units as its threshold, the second one fewer, the last one exceeds what is left.
  for (const quantity of [132, 1, 10, 500]) await place('buyer', quantity, 0);
  for (const quantity of [353, 1, 10, 500]) await place('buyer', quantity, 1);
  for (const quantity of [0, -1, 1.5, '3', null, 1_000_001, 1e300]) await place('buyer', quantity);
  for (const account of ['seller', 'agent'] as const) await place(account, 1);
  await place('stranger', 2, 1);
  for (let index = 0; index < 12; index += 1) {
    for (const account of ['buyer', 'agent', 'seller'] as const) {
      for (const status of ['completed', 'confirmed', 'confirmed', 'cancelled'] as const) {
        services.advance(7);
        await comparison.call(account, ({ orders }, { id }) =>
          orders.update(id('ord', index), { status }),
        );
      }
    }
  }
  for (const account of accountNames) await comparison.compareAll(account);
});

test('both services report a low quantity again only after it has risen above the threshold', async () => {
  await comparison.compareAll('buyer');
  const place = (quantity: number) =>
    comparison.call('buyer', ({ orders }, { id }) =>
      orders.create({ listingId: id('lst', 0), quantity }),
    );
  const cancel = (index: number) =>
    comparison.call('seller', ({ orders }, { id }) =>
      orders.update(id('ord', index), { status: 'cancelled' }),
    );
  // The seed has six orders, and 152 units are left; the threshold is 20.
  for (const quantity of [132, 1]) await place(quantity);
  await cancel(7);
  for (const quantity of [1, 2]) await place(quantity);
  for (const index of [6, 8]) await cancel(index);
  await place(140);
  await comparison.compareAll('seller');
});

test('both services check If-Match in the same way', async () => {
  await comparison.compareAll('buyer');
  const values = [
    '*',
    ' * ',
    '"1"',
    '"0"',
    '"7", "1"',
    'W/"1"',
    '"0", W/"1"',
    '"1-gzip"',
    '1',
    '',
    '"1" "2"',
    '"a,b", "1"',
  ];
  for (const ifMatch of values) {
    for (const status of ['confirmed', 'fulfilling', 'completed'] as const) {
      await comparison.call('seller', ({ orders }, { id }) =>
        orders.update(id('ord', 5), { status }, { ifMatch }),
      );
    }
  }
  await comparison.call('seller', ({ orders }, { id }) => orders.get(id('ord', 5)));
});

test('both services check and keep the reason of a change in the same way', async () => {
  await comparison.compareAll('seller');
  const reasons = ['Paid.', '已付款 🍵', '', ' ', ' x', 'x\n', 'a\tb', 'x'.repeat(501), null, 7];
  for (const reason of [...reasons, 'half \ud83c of one', '🍵'.repeat(500)]) {
    for (const status of ['confirmed', 'lost'] as const) {
      await comparison.call('seller', ({ orders }, { id }) =>
        orders.update(id('ord', 5), { status, reason } as never),
      );
    }
  }
  await comparison.call('seller', ({ orders }, { id }) =>
    orders.update(id('ord', 5), { status: 'cancelled', reason: 'Out of stock: "tea" <b>' }),
  );
  await comparison.compareAll('seller');
});

test('both services repeat the response to an idempotency key', async () => {
  await comparison.compareAll('buyer');
  const idempotencyKey = 'k-1';
  const options = { idempotencyKey };
  const place = (quantity: number) =>
    comparison.call('buyer', ({ orders }, { id }) =>
      orders.create({ listingId: id('lst', 0), quantity }, options),
    );
  await place(1_000);
  await place(2);
  expect(await place(2)).toMatchObject({ headers: { 'Idempotent-Replayed': 'true' } });
  await place(3);
  await comparison.call('buyer', (client, { id }) =>
    client.request('POST', '/v1/orders', {
      ...options,
      body: { quantity: 2, listingId: id('lst', 0) },
    }),
  );
  await comparison.call('seller', ({ orders }, { id }) =>
    orders.create({ listingId: id('lst', 0), quantity: 2 }, options),
  );
  await comparison.call('stranger', ({ orders }, { id }) =>
    orders.create({ listingId: id('lst', 0), quantity: 2 }, options),
  );
  const params = { url: receiver, events: ['order.created' as const] };
  for (const event of ['task.completed', 'task.completed', 'order.created'] as const) {
    await comparison.call('buyer', ({ webhooks }) => webhooks.create(params, options));
    await comparison.call('buyer', ({ webhooks }, { id }) =>
      webhooks.stageSecret(id('whk', 0), options),
    );
    await comparison.call('buyer', ({ webhooks }, { id }) =>
      webhooks.promoteSecret(id('whk', 0), options),
    );
    await comparison.call('buyer', ({ webhooks }, { id }) =>
      webhooks.test(id('whk', 0), { event }, options),
    );
    await comparison.call('buyer', ({ deliveries }, { id }) =>
      deliveries.replay(id('dlv', 0), options),
    );
  }
  await comparison.call('buyer', ({ webhooks }, { id }) => webhooks.delete(id('whk', 0)));
  await comparison.call('buyer', ({ webhooks }) => webhooks.create(params, options));
  await comparison.call('buyer', ({ webhooks }, { id }) =>
    webhooks.stageSecret(id('whk', 0), options),
  );
  await comparison.call('buyer', ({ webhooks }, { id }) =>
    webhooks.test(id('whk', 0), { event: 'task.completed' }, options),
  );
  services.advance(24 * 60 * 60 * 1_000);
  await place(3);
  await comparison.compareAll('buyer');
});

test('both services manage webhooks and deliveries in the same way', async () => {
  await comparison.compareAll('buyer');
  const urls = [
    receiver,
    'https://RECEIVER.example:8443/a b',
    'https://receiver.example/ä?q="x"',
    'https://bücher.example/',
    'https://receiver.example:443',
    'https://receiver.example/%zz',
    'https://user:pass@receiver.example',
    'https://receiver.example/#x',
    'https://receiver.example:25',
    'https://receiver.example:6379',
    'https://receiver.example:99999',
    'http://receiver.example',
    'http://localhost',
    'https://localhost.',
    'https://printer.local',
    'https://receiver',
    'https://127.0.0.1',
    'https://2130706433',
    'https://8.8.8.8/hook',
    'https://100.64.0.1',
    'https://172.31.0.1',
    'https://172.32.0.1',
    'https://192.0.2.1',
    'https://192.0.1.1',
    'https://224.0.0.1',
    'https:/receiver.example',
    'https://receiver.example\\x',
    'https://?x',
    'ftp://receiver.example',
    `https://receiver.example/${'a'.repeat(2_048)}`,
    '',
  ];
  const events = ['order.status_changed', 'order.created'] as const;
  for (const url of urls) {
    await comparison.call('buyer', ({ webhooks }) => webhooks.create({ url, events: [...events] }));
  }
  for (const list of [[], ['order.created', 'order.created'], ['x', 'x'], 'order.created', null]) {
    await comparison.call('buyer', ({ webhooks }) =>
      webhooks.create({ url: receiver, events: list as never }),
    );
  }
  const changes = [
    {},
    { status: 'paused' },
    { status: 'paused' },
    { status: 'active', events: ['task.completed', 'order.created'] },
    { url: 'https://other.example', extra: 1 },
    { url: 'https://other.example' },
    { url: 'http://other.example', status: 'paused' },
    { status: null },
    { events: [] },
  ];
  for (const change of changes) {
    services.advance(5);
    await comparison.call('buyer', ({ webhooks }, { id }) =>
      webhooks.update(id('whk', 0), change as object),
    );
  }
  await comparison.call('buyer', ({ orders }, { id }) =>
    orders.create({ listingId: id('lst', 0), quantity: 1 }),
  );
  for (const account of ['buyer', 'seller'] as const) {
    for (const call of [
      'promoteSecret',
      'stageSecret',
      'stageSecret',
      'get',
      'promoteSecret',
    ] as const) {
      await comparison.call(account, ({ webhooks }, { id }) => webhooks[call](id('whk', 1)));
    }
  }
  for (const status of ['paused', 'active'] as const) {
    await comparison.call('buyer', ({ webhooks }, { id }) =>
      webhooks.update(id('whk', 1), { status }),
    );
    await comparison.call('buyer', ({ webhooks }, { id }) =>
      webhooks.test(id('whk', 1), { event: 'order.created' }),
    );
    await comparison.call('buyer', ({ deliveries }) => deliveries.list());
  }
  const filters = [
    { state: 'pending' },
    { state: 'delivered' },
    { state: 'x' },
    { event: 'order.created' },
    { statusClass: 'none' },
    { statusClass: '2xx' },
    { webhookId: 'whk_1' },
    { webhookId: '1' },
    { since: '2026-11-21T09:30:00.020Z' },
    { since: 'today' },
  ];
  for (const filter of filters) {
    await comparison.call('buyer', ({ deliveries }) => deliveries.list(filter as object));
  }
  for (let index = 0; index < 4; index += 1) {
    services.advance(3);
    await comparison.call('buyer', ({ deliveries }, { id }) => deliveries.get(id('dlv', index)));
    await comparison.call('buyer', ({ deliveries }, { id }) => deliveries.replay(id('dlv', index)));
    await comparison.call('seller', ({ deliveries }, { id }) =>
      deliveries.replay(id('dlv', index)),
    );
  }
  await comparison.call('buyer', ({ webhooks }, { id }) => webhooks.delete(id('whk', 1)));
  await comparison.call('buyer', ({ webhooks }, { id }) => webhooks.delete(id('whk', 1)));
  for (let index = 0; index < 22; index += 1) {
    await comparison.call('buyer', ({ webhooks }) =>
      webhooks.create({ url: receiver, events: [...events] }),
    );
  }
  await comparison.compareAll('buyer');
});

test('both services check queries and read pages in the same way', async () => {
  await comparison.compareAll('buyer');
  const queries = [
    'limit=1',
    'limit=100',
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=',
    'limit=1&limit=2',
    'limit=abc&cursor=&x=1',
    'status=pending',
    'status=lost',
    'createdAfter=2026-11-21T09:29:59Z',
    'createdAfter=2026-11-21T09:30:00.000Z',
    'createdBefore=2026-11-21t10:30:00.001%2b0100',
    'createdBefore=2026-02-30T00:00:00Z',
    'createdAfter=2024-02-29T23:59:60Z',
    'createdAfter=2026-11-21',
    'createdAfter=2026-11-21T09:30Z',
    'createdAfter=2026-11-21T09:30:00',
    'cursor=x',
    `cursor=${Buffer.from('events.1').toString('base64url')}`,
    'cursor=a%20b',
    'x=1&y=2&=3',
    'read=true',
    'read=false',
    'read=1',
    'after=x',
    'since=2026-11-21T09:30:00Z&limit=2',
    'after=x&since=2026-11-21T09:30:00Z',
    'waitSeconds=0',
    'waitSeconds=31',
  ];
  for (const path of [
    '/v1/orders',
    '/v1/notifications',
    '/v1/events',
    '/v1/webhooks',
    '/v1/account',
  ]) {
    for (const query of queries) {
      await comparison.call('buyer', (client) => client.request('GET', `${path}?${query}`));
    }
  }
  for (let page = 0; page < 4; page += 1) {
    const next = await comparison.call('buyer', ({ orders }, { cursor }) =>
      orders.list(page === 0 || cursor === undefined ? { limit: 2 } : { limit: 2, cursor }),
    );
    expect(next.status).toBe(200);
  }
});

test('both services reject other requests in the same way', async () => {
  await comparison.compareAll('buyer');
  const requests = [
    ['GET', '/v1/reports'],
    ['GET', '/v1/orders/'],
    ['GET', '/v1/orders/%zz'],
    ['GET', '/v1/orders/a%2Fb'],
    ['GET', '/V1/orders'],
    ['HEAD', '/v1/orders'],
    ['HEAD', '/v1/webhooks/whk_1/test'],
    ['DELETE', '/v1/orders'],
    ['PUT', '/v1/orders/ord_1'],
    ['POST', '/v1/account'],
    ['POST', '/v1/orders', {}],
    ['POST', '/v1/orders', undefined],
    ['POST', '/v1/orders', null],
    ['POST', '/v1/orders', [1]],
    ['POST', '/v1/orders', 'text'],
    ['POST', '/v1/orders', { '': 1, listingId: 'lst_1', quantity: 1, ['n'.repeat(80)]: 1 }],
    ['POST', '/v1/orders?x=1', { listingId: 'lst_1', quantity: 1 }],
    ['POST', '/v1/orders', { listingId: 'lst_1', quantity: 1, text: 'x'.repeat(70_000) }],
    ['PATCH', '/v1/notifications/ntf_1', { read: true }],
    ['PATCH', '/v1/notifications/ntf_1', { read: false }],
    ['PATCH', '/v1/orders/x', { status: 'pending' }],
    ['POST', '/v1/webhooks/whk_1/secret', undefined],
    ['POST', '/v1/webhooks/whk_1/secret', { x: 1 }],
    ['POST', '/v1/webhooks/whk_1/secret', 3],
    ['DELETE', '/v1/webhooks/whk_1', undefined],
  ] as const;
  for (const [method, path, body] of requests) {
    await comparison.call('buyer', (client) => client.request(method, path, { body }));
  }
  const headers = [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=utf-8' },
    { authorization: 'Basic x' },
    { authorization: 'Bearer tpk_unknown' },
  ];
  for (const header of headers) {
    await comparison.call('buyer', ({ orders }) =>
      orders.create({ listingId: 'lst_1', quantity: 1 }, { headers: header }),
    );
  }
});
