import { describe, expect, test, vi } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { type FailureResult, type Fetch, TimeoutError, Tradepost } from '../../src/index';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, scriptedService, text } from '../helpers/scripted-service';

const found = json(200, { data: anOrder() });
const apiKey = 'tpk_test';

test('a client without options says what to pass', () => {
  for (const none of [undefined, null, 'https://trade.example']) {
    expect(() => new Tradepost(none as never)).toThrow(
      'The client needs options: new Tradepost({ baseUrl, apiKey }).',
    );
  }
});

test('default headers are sent with every request, and a call may replace them', async () => {
  const service = await scriptedService(found);
  const defaultHeaders = { 'X-Tenant': 'a', Accept: 'application/vnd.a+json' };
  const { orders } = new Tradepost({ ...service, apiKey, defaultHeaders });
  await orders.get('ord_1');
  await orders.get('ord_1', { headers: { 'x-tenant': 'b' } });
  expect(service.seen.map(({ headers }) => headers['x-tenant'])).toEqual(['a', 'b']);
  expect(service.request(0).headers.accept).toBe('application/vnd.a+json');
});

test('fetchOptions are passed to fetch', async () => {
  const service = await scriptedService(found);
  const inits: unknown[] = [];
  const spy: Fetch = (url, init) => {
    inits.push(init);
    return fetch(url, init);
  };
  const fetchOptions = { cache: 'no-store' };
  await new Tradepost({ ...service, apiKey, fetch: spy, fetchOptions }).orders.get('ord_1');
  expect(inits).toEqual([expect.objectContaining({ cache: 'no-store', method: 'GET' })]);
});

test.each([
  [{ fetchOptions: { method: 'DELETE' } }, 'fetchOptions must be an object without method'],
  [{ fetchOptions: { body: 'x' } }, 'fetchOptions must be an object without method'],
  [{ fetchOptions: 3 }, 'fetchOptions must be an object'],
  [{ hooks: { onRequest: 3 } }, 'hooks.onRequest must be a function'],
  [{ timeout: '5000' }, 'timeout must be milliseconds'],
])('the option %o is rejected', (options, message) => {
  const all = { baseUrl: 'https://trade.example', apiKey, ...options } as never;
  expect(() => new Tradepost(all)).toThrow(message);
});

test('a runtime without the functions that React Native lacks works, or the error names the polyfill', async () => {
  const service = await scriptedService(json(201, { data: anOrder() }));
  const OldUrl = class extends URL {};
  Object.defineProperty(OldUrl, 'canParse', { value: undefined });
  vi.stubGlobal('URL', OldUrl);
  vi.stubGlobal('crypto', undefined);
  try {
    const { orders } = new Tradepost({ ...service, apiKey });
    expect((await orders.get('ord_1')).id).toBe(anOrder().id);
    const params = { listingId: 'lst_1', quantity: 1 };
    const error = await catchTradepostError(orders.create(params));
    expect(error.message).toContain('react-native-get-random-values');
    expect((await orders.create(params, { idempotencyKey: 'k' })).id).toBe(anOrder().id);
    class NoUrl {
      get protocol(): string {
        throw new Error('URL.protocol is not implemented');
      }
    }
    vi.stubGlobal('URL', NoUrl);
    expect(() => new Tradepost({ ...service, apiKey })).toThrow('react-native-url-polyfill');
  } finally {
    vi.unstubAllGlobals();
  }
});

describe('an API key from a function', () => {
  test('is called before each attempt', async () => {
    const service = await scriptedService(
      problem(503, 'shutting_down', { 'retry-after': '0' }),
      found,
    );
    let calls = 0;
    const { orders } = new Tradepost({
      ...service,
      apiKey: async () => {
        calls += 1;
        return `tpk_${calls}`;
      },
    });
    await orders.get('ord_1');
    expect(service.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer tpk_1',
      'Bearer tpk_2',
    ]);
  });

  test('is removed from errors, and onRequest does not get it', async () => {
    const service = await scriptedService(text(403, '<p>Bearer tpk_a_secret_key</p>'));
    const seen: unknown[] = [];
    const { orders } = new Tradepost({
      ...service,
      apiKey: () => 'tpk_a_secret_key',
      hooks: { onRequest: ({ headers }) => void seen.push(headers.get('authorization')) },
    });
    const error = await catchTradepostError(orders.get('ord_1'));
    expect(error.message).toContain('Bearer [redacted]');
    expect(seen).toEqual([null]);
    expect(service.request(0).headers.authorization).toBe('Bearer tpk_a_secret_key');
  });

  test.each([
    [
      'throws',
      () => Promise.reject(new Error('the vault is sealed')),
      'hook_failed',
      'the vault is sealed',
    ],
    ['returns nothing', () => '', 'invalid_configuration', 'apiKey is missing'],
    ['returns a scheme', () => 'Bearer x', 'invalid_configuration', 'leave it out'],
  ])('that %s fails the call before it is sent', async (_, key, code, message) => {
    const service = await scriptedService(found);
    const { orders } = new Tradepost({ ...service, apiKey: key });
    const error = await catchTradepostError(orders.get('ord_1'));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(service.seen).toEqual([]);
  });
});

test('withOptions creates a client with other options and leaves the first one as it is', async () => {
  const service = await scriptedService(found);
  const first = new Tradepost({ ...service, apiKey, defaultHeaders: { 'x-tenant': 'a' } });
  const second = first.withOptions({ apiKey: 'tpk_other' });
  await first.orders.get('ord_1');
  await second.orders.get('ord_1');
  expect(service.seen.map(({ headers }) => [headers.authorization, headers['x-tenant']])).toEqual([
    ['Bearer tpk_test', 'a'],
    ['Bearer tpk_other', 'a'],
  ]);
  expect(() => first.withOptions({ maxRetries: -1 })).toThrow('maxRetries');
});

describe('request', () => {
  test('sends a method, path, query and body, and returns the whole body', async () => {
    const service = await scriptedService(json(200, { data: [], extra: 1 }));
    const tradepost = new Tradepost({ ...service, apiKey });
    const body = await tradepost.request('PUT', '/v2/things/a%2Fb?x=1', {
      query: { since: new Date(0), none: undefined, flag: true },
      body: ['a'],
      headers: { 'x-tenant': 'a' },
    });
    expect(body).toEqual({ data: [], extra: 1 });
    expect(service.request(0)).toMatchObject({
      method: 'PUT',
      url: '/v2/things/a%2Fb?x=1&since=1970-01-01T00%3A00%3A00.000Z&flag=true',
      body: '["a"]',
      headers: { 'x-tenant': 'a', authorization: 'Bearer tpk_test' },
    });
  });

  test('returns a text that is not JSON, and undefined for an empty body', async () => {
    const service = await scriptedService(text(200, 'pong'), text(204, ''));
    const tradepost = new Tradepost({ ...service, apiKey });
    expect(await tradepost.request('GET', '/ping')).toBe('pong');
    expect(await tradepost.request('DELETE', '/ping')).toBeUndefined();
  });

  test('throws the errors of other calls, and repeats a GET', async () => {
    const service = await scriptedService(
      problem(503, 'shutting_down', { 'retry-after': '0' }),
      problem(404, 'route_not_found'),
    );
    const tradepost = new Tradepost({ ...service, apiKey });
    const error = await catchTradepostError(tradepost.request('GET', '/v1/nothing'));
    expect(error).toMatchObject({ name: 'NotFoundError', path: '/v1/nothing' });
    expect(service.seen).toHaveLength(2);
  });

  test.each(['PUT', 'PATCH', 'DELETE'])(
    'does not repeat a %s whose response was lost',
    async (method) => {
      const service = await scriptedService(text(502, ''));
      const tradepost = new Tradepost({ ...service, apiKey });
      await catchTradepostError(tradepost.request(method, '/v1/things/1'));
      expect(service.seen).toHaveLength(1);
    },
  );

  test.each([
    ['GET', 'v1/orders'],
    ['GET', '//elsewhere.example/v1'],
    ['GET', 'https://elsewhere.example/v1'],
    ['GET', '/v1/../admin'],
    ['GET', '/%2e%2E/admin'],
    ['GET', '/v1/.%2e?a=b'],
    ['GET', '/.\t./admin'],
    ['GET', '/.\n./admin'],
    ['GET', '/\r/evil.example/'],
    ['GET', '/v1/..\t'],
    ['GET', '/v1/.. '],
    ['GET', '/v1/things '],
    ['GET', '/v1/..%2f1'],
    ['GET', '/v1%5c..%5c1'],
    ['GET', '/\\elsewhere.example'],
    ['GET', '/v1/orders#top'],
    ['get', '/v1/orders'],
    ['GET POST', '/v1/orders'],
  ])('rejects %s %s', async (method, path) => {
    const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey });
    const { ok, error } = (await tradepost.request(method, path).safe()) as FailureResult;
    expect(ok).toBe(false);
    expect(error).toMatchObject({ code: 'invalid_configuration' });
    expect(error.message).toMatch(/must (start|be)/);
  });

  test.each(['/v1/x?redirect=a?b&c=1', '/v1/orders/ord_1:identify', '/v1/..a/.b'])(
    'sends %s as it is',
    async (path) => {
      const service = await scriptedService(json(200, {}));
      const tradepost = new Tradepost({ ...service, apiKey });
      await tradepost.request('GET', path, null as never);
      expect(service.request(0).url).toBe(path);
    },
  );
});

describe('options of a call', () => {
  const tradepost = new Tradepost({ baseUrl: 'https://trade.example', apiKey });
  test.each([
    [
      'a misspelt one',
      () => tradepost.orders.get('o', { timeOut: 1 } as never),
      'orders.get: There is no option "timeOut". Did you mean timeout?',
    ],
    [
      'ifMatch on a read',
      () => tradepost.orders.get('o', { ifMatch: '"1"' } as never),
      'no option "ifMatch"',
    ],
    [
      'an invalid date',
      () => tradepost.orders.list({ createdAfter: new Date(Number.NaN) }),
      'createdAfter is an invalid Date',
    ],
  ])('are checked before anything is sent: %s', async (_, call, message) => {
    const error = await catchTradepostError(call());
    expect(error.code).toBe('invalid_configuration');
    expect(error.message).toContain(message);
  });

  test('take a date wherever a time is sent', async () => {
    const service = await scriptedService(json(200, { data: [], nextCursor: 'c' }));
    const { orders, events, deliveries } = new Tradepost({ ...service, apiKey });
    const at = new Date('2026-11-21T09:30:00Z');
    await orders.list({ createdAfter: at, createdBefore: at });
    await events.list({ since: at });
    await deliveries.list({ since: at });
    for (const { url } of service.seen) expect(url).toContain('2026-11-21T09%3A30%3A00.000Z');
  });
});

test('a list is a whole promise', async () => {
  const service = await scriptedService(json(200, { data: [], nextCursor: null }), text(403, ''));
  const { orders } = new Tradepost({ ...service, apiKey });
  const settled = vi.fn();
  const list = orders.list();
  expect(await list.finally(settled)).toEqual({ data: [], nextCursor: null });
  expect(settled).toHaveBeenCalledOnce();
  expect(service.seen).toHaveLength(1);
  expect(await orders.list().catch((error: Error) => error.name)).toBe('PermissionError');
  const promise: Promise<unknown> = list;
  expect(Object.prototype.toString.call(promise)).toBe('[object PagePromise]');
});

test('a signal of 1,000 concurrent calls causes no warning', async () => {
  const service = await scriptedService(found);
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  const stop = new AbortController();
  // Custom, because the one of Node would open 1,000 connections.
  const never: Fetch = () => new Promise(() => undefined);
  const { orders } = new Tradepost({ ...service, apiKey, fetch: never });
  const calls = Array.from({ length: 1_000 }, () =>
    orders.get('ord_1', { signal: stop.signal }).safe(),
  );
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  const results = await Promise.all(calls);
  expect(results.every((result) => !result.ok && result.error.name === 'AbortError')).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

describe('redaction', () => {
  test.each([
    ['test', '/v1/webhooks/whk_x/test', '/v1/webhooks/whk_x/test'],
    ['test', 'a test of latest', 'a [redacted] of latest'],
    ['test', '"apiKey":"test"', '"apiKey":"[redacted]"'],
    ['test', 'Bearer test.', 'Bearer [redacted].'],
    ['test', '?api_key=test&x', '?api_key=[redacted]&x'],
    ['a.b+c', 'Bearer a.b+c', 'Bearer [redacted]'],
    ['a.b+c', 'Bearer axb+c', 'Bearer axb+c'],
    ['tpk_0123456789abcdef', 'x%20tpk_0123456789abcdef.x', 'x%20[redacted].x'],
  ])('of the key %s in %s gives %s', async (key, body, expected) => {
    const service = await scriptedService(text(403, body));
    const error = await catchTradepostError(
      new Tradepost({ ...service, apiKey: key }).orders.get('ord_1'),
    );
    expect(error.body).toBe(expected);
  });

  test('leaves the path of a call as it is', async () => {
    const service = await scriptedService(problem(409, 'webhook_paused'));
    const tradepost = new Tradepost({ ...service, apiKey: 'test' });
    const error = await catchTradepostError(
      tradepost.webhooks.test('whk_x', { event: 'order.created' }),
    );
    expect(error.path).toBe('/v1/webhooks/whk_x/test');
  });
});

describe('the message of a failure without a problem', () => {
  test.each([409, 412, 413, 422])('with %i does not suspect baseUrl', async (status) => {
    const service = await scriptedService(json(status, { error: 'out_of_stock' }, { 'x-a': 'b' }));
    const { orders } = new Tradepost({ ...service, apiKey });
    const error = await catchTradepostError(orders.create({ listingId: 'lst_1', quantity: 1 }));
    expect(error.message).not.toContain('baseUrl');
    expect(error.body).toEqual({ error: 'out_of_stock' });
    expect(error.headers?.get('x-a')).toBe('b');
  });

  test('over TLS to a port without it names the scheme', async () => {
    const service = await scriptedService(found);
    const baseUrl = service.baseUrl.replace('http:', 'https:');
    const { orders } = new Tradepost({ baseUrl, apiKey, maxRetries: 0 });
    const error = await catchTradepostError(orders.get('ord_1'));
    expect(error.message).toContain('The server does not speak TLS on this port: is baseUrl http?');
  });
});

describe('the option wait', () => {
  test('replaces the timer of the wait before a retry', async () => {
    const service = await scriptedService(
      problem(503, 'shutting_down', { 'retry-after': '3600' }),
      found,
    );
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    const { signal } = new AbortController();
    const { orders } = new Tradepost({ ...service, apiKey, wait, deadline: 4_000_000 });
    expect(await orders.get('ord_1', { signal })).toEqual(anOrder());
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThanOrEqual(3_600_000);
    expect(waits[0]).toBeLessThan(3_600_500);
  });

  test('must be a function', () => {
    const options = { baseUrl: 'https://trade.example', apiKey, wait: 0 as never };
    expect(() => new Tradepost(options)).toThrow('wait must be a function.');
  });
});

describe('a custom fetch that rejects with a TimeoutError', () => {
  const timedOut = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  const baseUrl = 'https://trade.example';

  test('fails the call with a TimeoutError of the client', async () => {
    const fetch: Fetch = async () => {
      throw timedOut;
    };
    const { orders } = new Tradepost({ baseUrl, apiKey, fetch, maxRetries: 0 });
    const error = await catchTradepostError(orders.update('ord_1', { status: 'confirmed' }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: 'timeout', mayHaveBeenApplied: true, cause: timedOut });
    expect(error.message).toBe(
      'PATCH /v1/orders/ord_1 got no complete response in time: The operation was aborted due to timeout.',
    );
  });

  test('is retried like another timeout', async () => {
    let sent = 0;
    const fetch: Fetch = async (url, init) => {
      sent += 1;
      if (sent === 1) throw timedOut;
      return globalThis.fetch(url, init);
    };
    const service = await scriptedService(found);
    const { orders } = new Tradepost({ ...service, apiKey, fetch, wait: async () => undefined });
    expect(await orders.get('ord_1')).toEqual(anOrder());
    expect(sent).toBe(2);
  });
});
