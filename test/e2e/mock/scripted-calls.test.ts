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

test('both services show the same to each account', async () => {
  for (const account of accountNames) await comparison.compareAll(account);
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
  await comparison.compareAll('buyer');
});

// The rules of queries are those of the domain: this is about how each service reads them.
test('both services read queries in the same way', async () => {
  await comparison.compareAll('buyer');
  const queries = [
    'limit=1',
    'limit=0',
    'limit=',
    'limit=1&limit=2',
    'limit=abc&cursor=&x=1',
    'status=pending',
    'status=lost',
    'createdBefore=2026-11-21t10:30:00.001%2b0100',
    'cursor=a%20b',
    'x=1&y=2&=3',
    'read=1',
    'after=x',
    'waitSeconds=0',
  ];
  for (const path of ['/v1/orders', '/v1/notifications', '/v1/events', '/v1/account']) {
    for (const query of queries) {
      await comparison.call('buyer', (client) => client.request('GET', `${path}?${query}`));
    }
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
