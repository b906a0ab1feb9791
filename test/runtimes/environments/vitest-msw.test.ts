import { expect, test } from 'vitest';
import { installEnvironment } from './install-environment';

/** The tests of an integrator, whose requests msw intercepts. */
const tests = `
import { NotFoundError, Tradepost } from '@tradepost/sdk';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const baseUrl = 'https://trade.example';
const order = { id: 'ord_1', status: 'pending', quantity: 1 };
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const tradepost = new Tradepost({ baseUrl, apiKey: 'tpk_test' });

test('a call gets the response of a handler', async () => {
  let sent;
  server.use(
    http.post(baseUrl + '/v1/orders', async ({ request }) => {
      sent = [request.headers.get('authorization'), await request.json()];
      return HttpResponse.json({ data: order }, { status: 201 });
    }),
  );
  expect(await tradepost.orders.create({ listingId: 'lst_1', quantity: 1 })).toEqual(order);
  expect(sent).toEqual(['Bearer tpk_test', { listingId: 'lst_1', quantity: 1 }]);
});

test('a call is retried after an error, and lists follow pages', async () => {
  const responses = [
    () => new HttpResponse(null, { status: 503, headers: { 'retry-after': '0' } }),
    () => HttpResponse.json({ data: [order], nextCursor: 'c' }),
    () => HttpResponse.json({ data: [order], nextCursor: null }),
  ];
  server.use(http.get(baseUrl + '/v1/orders', () => responses.shift()()));
  expect(await tradepost.orders.list().toArray({ limit: 10 })).toEqual([order, order]);
});

test('a problem and a network error throw their classes', async () => {
  server.use(
    http.get(baseUrl + '/v1/orders/ord_1', () =>
      HttpResponse.json(
        { code: 'order_not_found', detail: 'There is no such order.' },
        { status: 404, headers: { 'content-type': 'application/problem+json' } },
      ),
    ),
    http.get(baseUrl + '/v1/orders/ord_2', () => HttpResponse.error()),
  );
  await expect(tradepost.orders.get('ord_1')).rejects.toThrow(NotFoundError);
  await expect(tradepost.orders.get('ord_2', { maxRetries: 0 })).rejects.toMatchObject({
    code: 'connection_failed',
  });
});
`;

test('Vitest with msw runs the tests of an integrator', async () => {
  const environment = await installEnvironment({
    name: 'vitest-msw',
    // Version 3 needs Node 22.
    dependencies: { msw: '2.9.0', vitest: '4.1.12' },
    files: { 'integrator.test.js': tests },
  });
  try {
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json'];
    const { stdout, stderr } = await environment.node(args, { NODE_ENV: 'test' });
    const { numPassedTests, numTotalTests } = JSON.parse(stdout || '{}');
    expect([numPassedTests, numTotalTests], `${stdout}${stderr}`).toEqual([3, 3]);
  } finally {
    await environment.remove();
  }
});
