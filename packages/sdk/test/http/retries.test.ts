import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { findUnusedPort } from '../../../../test/helpers/loopback';
import { ConnectionError, RateLimitError, ServerError, TimeoutError } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import {
  breakOff,
  hang,
  hangInBody,
  json,
  problem,
  reset,
  type Step,
  scriptedService,
  text,
} from '../helpers/scripted-service';

const found = json(200, { data: anOrder() });
const placed = json(201, { data: anOrder() });
const aNewOrder = { listingId: 'lst_1', quantity: 5 };

describe('the client retries', () => {
  const passing: [string, Step][] = [
    ['a reset connection', reset],
    ['a truncated response', breakOff],
    ['408', problem(408, 'request_timeout')],
    ['425', text(425, '')],
    ['429', problem(429, 'rate_limited')],
    ['500', problem(500, 'internal_error')],
    ['502', text(502, '<html>')],
    ['503', problem(503, 'store_unavailable')],
    ['504', text(504, '<html>')],
  ];

  test.each(passing)('a GET after %s', async (_, step) => {
    const service = await scriptedService(step, found);
    const { orders, waits } = createTestClient(service);
    expect(await orders.get('ord_1')).toEqual(anOrder());
    expect(waits).toHaveLength(1);
  });

  test.each(passing)('a POST after %s, with the same key and the same body', async (_, step) => {
    const service = await scriptedService(step, step, placed);
    const { orders } = createTestClient({ ...service, idempotency: 'assume' });
    expect(await orders.create(aNewOrder)).toEqual(anOrder());
    expect(service.seen).toHaveLength(3);
    expect(new Set(service.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(service.seen.map(({ body }) => body)).size).toBe(1);
  });

  test('a PATCH after a lost response, because the same status changes nothing', async () => {
    const service = await scriptedService(reset, found);
    await createTestClient(service).orders.update('ord_1', { status: 'confirmed' });
    expect(service.seen).toHaveLength(2);
  });

  test.each([
    ['a hang', hang],
    ['a hang in the body', hangInBody],
  ])('an attempt that times out with %s, and the next one has its full time', async (_, step) => {
    const service = await scriptedService(step, step, found);
    const { orders, waits } = createTestClient({ ...service, timeout: 300 });
    expect(await orders.get('ord_1')).toEqual(anOrder());
    expect(waits).toHaveLength(2);
  });
});

describe('the client does not retry', () => {
  test.each([400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 431, 501])(
    'a response with %i',
    async (status) => {
      const service = await scriptedService(problem(status, 'whatever'), found);
      const { orders } = createTestClient(service);
      expect((await catchTradepostError(orders.get('ord_1'))).status).toBe(status);
      expect(service.seen).toHaveLength(1);
    },
  );

  test('a 2xx that is not valid, because the work is done', async () => {
    const service = await scriptedService(text(200, '<html>'), found);
    await catchTradepostError(createTestClient(service).orders.get('ord_1'));
    expect(service.seen).toHaveLength(1);
  });

  test('anything, when maxRetries is 0, for the client or for the call', async () => {
    const service = await scriptedService(problem(503, 'shutting_down'));
    await catchTradepostError(createTestClient({ ...service, maxRetries: 0 }).orders.get('ord_1'));
    await catchTradepostError(createTestClient(service).orders.get('ord_1', { maxRetries: 0 }));
    expect(service.seen).toHaveLength(2);
  });
});

describe('a PATCH guarded by ifMatch', () => {
  const guarded = (...steps: Step[]) =>
    scriptedService(...steps).then((service) => ({
      service,
      call: createTestClient(service).orders.update(
        'ord_1',
        { status: 'confirmed' },
        // Only a response that hangs should time out, however slow the machine is.
        { ifMatch: '"3"', timeout: steps.includes(hang) ? 60 : 30_000 },
      ),
    }));

  test.each<[string, Step, string]>([
    ['a reset', reset, 'connection_failed'],
    ['a truncated response', breakOff, 'connection_failed'],
    ['a timeout', hang, 'timeout'],
    ['a 500', problem(500, 'internal_error'), 'internal_error'],
    ["a proxy's 503", text(503, '<html>'), 'http_error'],
    ["a proxy's 504", text(504, '<html>'), 'http_error'],
  ])('is not repeated after %s: it may have been applied', async (_, step, code) => {
    const { service, call } = await guarded(step, problem(412, 'precondition_failed'));
    expect((await catchTradepostError(call)).code).toBe(code);
    expect(service.seen).toHaveLength(1);
  });

  test.each<[string, Step]>([
    ['429', problem(429, 'rate_limited')],
    ['425', text(425, '')],
    ["the service's own 503", problem(503, 'shutting_down')],
  ])('is repeated after %s: nothing was done', async (_, step) => {
    const { service, call } = await guarded(step, found);
    expect(await call).toEqual(anOrder());
    expect(service.seen.map(({ headers }) => headers['if-match'])).toEqual(['"3"', '"3"']);
  });

  test('is retried when the connection was refused', async () => {
    const { orders, waits } = createTestClient({
      baseUrl: `http://127.0.0.1:${await findUnusedPort()}`,
    });
    await catchTradepostError(orders.update('ord_1', { status: 'confirmed' }, { ifMatch: '"3"' }));
    expect(waits).toHaveLength(3);
  });

  test('is also known by a header of the call', async () => {
    const service = await scriptedService(reset);
    const headers = { 'if-match': '"3"' };
    await catchTradepostError(
      createTestClient(service).orders.update('ord_1', { status: 'confirmed' }, { headers }),
    );
    expect(service.seen).toHaveLength(1);
  });
});

describe('the wait before a retry', () => {
  test('doubles each time within its jitter, up to maxRetries times', async () => {
    const service = await scriptedService(problem(500, 'internal_error'));
    const { orders, waits } = createTestClient({ ...service, maxRetries: 7 });
    expect(await catchTradepostError(orders.get('ord_1'))).toBeInstanceOf(ServerError);
    expect(waits.map((wait) => Math.round(wait / 10) * 10)).toEqual([
      500, 1_000, 2_000, 4_000, 7_990, 7_990, 7_990,
    ]);
  });

  test('is as long as Retry-After requests, in seconds or until a date', async () => {
    const service = await scriptedService(
      problem(429, 'rate_limited', { 'retry-after': '12' }),
      problem(503, 'shutting_down', {
        date: 'Sat, 21 Nov 2026 09:00:00 GMT',
        'retry-after': 'Sat, 21 Nov 2026 09:00:30 GMT',
      }),
      found,
    );
    const { orders, waits } = createTestClient(service);
    await orders.get('ord_1');
    expect(waits).toEqual([12_499.5, 30_999]);
  });

  test('never ends after the deadline: the last error is thrown at once', async () => {
    const service = await scriptedService(problem(429, 'rate_limited', { 'retry-after': '60' }));
    const { orders, waits } = createTestClient({ ...service, deadline: 30_000 });
    const error = await catchTradepostError(orders.get('ord_1'));
    expect(error).toMatchObject({ name: 'RateLimitError', status: 429, retryAfter: 60 });
    expect(error.message).toBe(
      "GET /v1/orders/ord_1 failed with 429 rate_limited: Detail of rate_limited. It was not retried: the service asked to wait 60 s, and the call's deadline is in 30 s. Try again later, or raise deadline. (request req_1)",
    );
    expect(waits).toEqual([]);
    expect(service.seen).toHaveLength(1);
  });

  test('sends nothing if it ends after the deadline', async () => {
    const service = await scriptedService(problem(503, 'shutting_down'));
    const client = createTestClient(
      { ...service, deadline: 1_000 },
      { wait: async () => client.pass(5_000) },
    );
    expect(await catchTradepostError(client.orders.get('ord_1'))).toBeInstanceOf(ServerError);
    expect(service.seen).toHaveLength(1);
  });
});

describe('when no retry is left', () => {
  test('an error after "connection refused" names the address', async () => {
    const baseUrl = `http://127.0.0.1:${await findUnusedPort()}`;
    const error = await catchTradepostError(createTestClient({ baseUrl }).orders.get('ord_1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'connection_failed', status: null, requestId: null });
    expect(error.message).toMatch(
      /^GET \/v1\/orders\/ord_1 got no complete response from http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED .* \(4 attempts\)$/,
    );
    expect(error.cause).toBeInstanceOf(Error);
  });

  test('the error of a timeout says how long the client waited', async () => {
    const service = await scriptedService(hang);
    const client = createTestClient({ ...service, timeout: 40, maxRetries: 1 });
    const error = await catchTradepostError(client.orders.get('ord_1'));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toMatch(/ got no complete response within 40 ms\. .* \(2 attempts\)$/);
  });

  test('the last attempt gets no more time than the deadline leaves', async () => {
    const service = await scriptedService(problem(503, 'shutting_down'), hang);
    const { orders } = createTestClient({ ...service, deadline: 1_000 });
    const error = await catchTradepostError(orders.get('ord_1'));
    expect(error.message).toMatch(/within 50\d ms/);
    expect(service.seen).toHaveLength(2);
  });

  test('429 is thrown as a RateLimitError', async () => {
    const service = await scriptedService(problem(429, 'rate_limited'));
    const error = await catchTradepostError(createTestClient(service).orders.get('ord_1'));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(service.seen).toHaveLength(4);
  });

  test('no error contains the API key, not even nested', async () => {
    const dead = { baseUrl: `http://127.0.0.1:${await findUnusedPort()}` };
    const service = await scriptedService(reset);
    for (const target of [dead, service]) {
      const error = await catchTradepostError(createTestClient(target).orders.get('ord_1'));
      expect(inspect(error, { depth: 20, showHidden: true, getters: true })).not.toContain(
        'tpk_test',
      );
    }
  });
});
