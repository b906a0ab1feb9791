import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, getProblem, type Service, startService } from './service';

let service: Service;
let buyer: Actor & { keyId: string };

beforeAll(async () => {
  service = await startService();
  buyer = await service.account('buyer');
});
afterAll(() => service.close());

describe('the router', () => {
  it.each([
    '/',
    '/v1',
    '/v2/orders',
    '/v1/order',
    '/v1/orders/',
    '//v1/orders',
    '/v1/orders/ord_1/items',
    '/V1/orders',
    '/v1/orders/%zz',
    '/v1/orders/%ff',
    '/v1/webhooks/',
    '/v1/webhooks/whk_1/',
    '/v1/webhooks/whk_1/secrets',
    '/v1/webhooks/whk_1/secret/',
    '/v1/deliveries/dlv_1/attempts',
    '/v1/events/evt_1/attempts',
    '/v1/events/',
    '/v1/account/',
    '/v1/accounts',
    '/v1/account/usr_1',
  ])('returns 404 for %s, with or without a key', async (path) => {
    for (const request of [{}, { as: buyer }]) {
      expect(getProblem(await service.request(`GET ${path}`, request)).code).toBe(
        'route_not_found',
      );
    }
  });

  it.each([
    ['DELETE /v1/orders', 'GET, HEAD, POST'],
    ['PUT /v1/orders/ord_1', 'GET, HEAD, PATCH'],
    ['POST /v1/notifications', 'GET, HEAD'],
    ['GET /v1/notifications/ntf_1', 'PATCH'],
    ['PUT /v1/webhooks', 'POST, GET, HEAD'],
    ['POST /v1/webhooks/whk_1', 'GET, HEAD, PATCH, DELETE'],
    ['GET /v1/webhooks/whk_1/secret', 'POST'],
    ['DELETE /v1/webhooks/whk_1/secret', 'POST'],
    ['GET /v1/webhooks/whk_1/secret/promote', 'POST'],
    ['GET /v1/webhooks/whk_1/test', 'POST'],
    ['POST /v1/deliveries', 'GET, HEAD'],
    ['DELETE /v1/deliveries/dlv_1', 'GET, HEAD'],
    ['GET /v1/deliveries/dlv_1/replay', 'POST'],
    ['POST /v1/events', 'GET, HEAD'],
    ['PATCH /v1/account', 'GET, HEAD'],
  ])('returns 405 for %s and the allowed methods', async (what, allow) => {
    const got = await service.request(what);
    expect(getProblem(got)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(got.headers.get('allow')).toBe(allow);
  });

  it('returns the allowed methods of a path for OPTIONS', async () => {
    const got = await service.request('OPTIONS /v1/orders');
    expect(got.status).toBe(204);
    expect(got.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('responds to HEAD like GET, without the body', async () => {
    const got = await service.request('HEAD /v1/orders', { as: buyer });
    expect(got.status).toBe(200);
    expect(got.text).toBe('');
  });

  it.each([
    'GET /v1/account?x=1',
    'POST /v1/orders?dryRun=true',
    'PATCH /v1/orders/ord_1?force=1',
    'PATCH /v1/notifications/ntf_1?x=1',
    'POST /v1/webhooks?x=1',
    'GET /v1/webhooks/whk_1?x=1',
    'PATCH /v1/webhooks/whk_1?x=1',
    'DELETE /v1/webhooks/whk_1?force=1',
    'POST /v1/webhooks/whk_1/secret?x=1',
    'POST /v1/webhooks/whk_1/secret/promote?x=1',
    'POST /v1/webhooks/whk_1/test?event=order.created',
    'GET /v1/deliveries/dlv_1?x=1',
    'POST /v1/deliveries/dlv_1/replay?x=1',
  ])('rejects the parameter of %s, which has none', async (what) => {
    const body = /^(GET|DELETE)/.test(what) ? {} : { body: {} };
    const problem = getProblem(await service.request(what, { as: buyer, ...body }));
    expect(problem.code).toBe('validation_failed');
    expect(problem.errors?.[0]?.message).toBe('unknown query parameter; this endpoint takes none');
  });

  it('names a query parameter whose name is empty, and not the body', async () => {
    const problem = getProblem(await service.request('GET /v1/account?=1', { as: buyer }));
    const message = 'unknown query parameter; this endpoint takes none';
    expect(problem.detail).toBe(`"": ${message}.`);
    expect(problem.errors).toEqual([{ path: '""', message }]);
  });
});

describe('the server, when a request is invalid HTTP,', () => {
  it.each([
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['a broken request line', 'hello\r\n\r\n', 400, 'malformed_request'],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a request without Host',
      'GET /v1/orders HTTP/1.1\r\nConnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a request with two hosts',
      'GET /v1/orders HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'CONNECT',
      'CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n',
      405,
      'method_not_allowed',
    ],
    [
      'an expectation that it does not know',
      'GET /v1/orders HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
      401,
      'missing_api_key',
    ],
  ])('responds to %s with a problem', async (_what, bytes, status, code) => {
    const response = await service.sendRaw(bytes);
    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toContain('Content-Type: application/problem+json');
    const problem = JSON.parse(body) as { code: string; requestId: string };
    expect(problem.code).toBe(code);
    expect(head).toContain(`X-Request-Id: ${problem.requestId}`);
    expect(head).toContain('Tradepost-Idempotency: 86400');
    expect(head).toContain('Tradepost-Extensions: account, ');
  });
});

describe('every response', () => {
  it('keeps a valid request ID and replaces any other', async () => {
    const kept = await service.request('GET /v1/orders', {
      as: buyer,
      headers: { 'X-Request-Id': 'trace-2026.11_21' },
    });
    expect(kept.headers.get('x-request-id')).toBe('trace-2026.11_21');
    const replaced = await service.request('GET /v1/orders', {
      as: buyer,
      headers: { 'X-Request-Id': 'no spaces, please' },
    });
    expect(replaced.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it('has the RateLimit headers, and 429 has the time to wait', async () => {
    const strict = await startService({ rateLimit: 2 });
    try {
      const actor = await strict.account('buyer');
      const other = await strict.account('buyer');
      const first = await strict.request('GET /v1/orders', { as: actor });
      expect(first.headers.get('ratelimit')).toMatch(
        /^"requests"; r=1; t=\d+, "account"; r=9; t=\d+$/,
      );
      expect(first.headers.get('ratelimit-policy')).toMatch(
        /^"requests"; q=2; w=60; pk=:\w+=*:, "account"; q=10; w=60; pk=:\w+=*:$/,
      );
      await strict.request('GET /v1/orders', { as: actor });
      const third = await strict.request('GET /v1/orders', { as: actor });
      expect(getProblem(third)).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await strict.request('GET /v1/orders', { as: other })).status).toBe(200);
    } finally {
      await strict.close();
    }
  });

  it('restarts the rate limit when the clock is set back', async () => {
    const clock = new FakeClock();
    const strict = await startService({ rateLimit: 1, clock });
    try {
      const actor = await strict.account('buyer');
      await strict.request('GET /v1/orders', { as: actor });
      expect((await strict.request('GET /v1/orders', { as: actor })).status).toBe(429);
      clock.set(clock.now() - 3_600_000);
      expect((await strict.request('GET /v1/orders', { as: actor })).status).toBe(200);
      expect((await strict.request('GET /v1/orders', { as: actor })).status).toBe(429);
    } finally {
      await strict.close();
    }
  });

  it('forbids caching and does not name the server software', async () => {
    const got = await service.request('GET /v1/orders', { as: buyer });
    expect(got.headers.get('cache-control')).toBe('no-store');
    expect(got.headers.get('x-powered-by')).toBeNull();
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
