import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, dataOf, problemIn, type Service, startService } from './service';

let service: Service;
let buyer: Actor & { keyId: string };

beforeAll(async () => {
  service = await startService();
  buyer = await service.account('buyer');
});
afterAll(() => service.close());

describe('authentication', () => {
  it('asks for a key where none was sent', async () => {
    const got = await service.ask('GET /v1/orders');
    expect(problemIn(got)).toMatchObject({ status: 401, code: 'missing_api_key' });
    expect(got.headers.get('www-authenticate')).toBe('Bearer realm="tradepost"');
  });

  it.each([
    ['is unknown', 'tpk_0000000000000000000000000000000000000000'],
    ['is nothing like a key', 'hunter2'],
  ])('refuses a key that %s', async (_why, key) => {
    const got = await service.ask('GET /v1/orders', { as: key });
    expect(problemIn(got)).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(got.headers.get('www-authenticate')).toContain('invalid_token');
  });

  it('refuses other schemes than Bearer', async () => {
    const headers = { Authorization: `Basic ${buyer.key}` };
    expect(problemIn(await service.ask('GET /v1/orders', { headers })).code).toBe(
      'invalid_api_key',
    );
  });

  it('says of an expired key that it expired', async () => {
    const late = await service.account('buyer', { expiresAt: Date.now() - 1000 });
    const problem = problemIn(await service.ask('GET /v1/orders', { as: late }));
    expect(problem).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(problem.detail).toContain('expired');
  });

  it('refuses a revoked key at once', async () => {
    const actor = await service.account('buyer');
    expect((await service.ask('GET /v1/orders', { as: actor })).status).toBe(200);
    await service.store.accounts.revokeKey(actor.keyId, Date.now());
    const problem = problemIn(await service.ask('GET /v1/orders', { as: actor }));
    expect(problem.detail).toContain('revoked');
  });

  it('lets a read-only key read and nothing else', async () => {
    const reader = await service.account('buyer', { readOnly: true });
    expect((await service.ask('GET /v1/orders', { as: reader })).status).toBe(200);
    const body = { listingId: 'lst_1', quantity: 1 };
    const problem = problemIn(await service.ask('POST /v1/orders', { as: reader, body }));
    expect(problem).toMatchObject({ status: 403, code: 'read_only_api_key' });
  });

  it('never shows the key that it refuses', async () => {
    const got = await service.ask('GET /v1/orders', { as: 'tpk_secretlookingthing' });
    expect(got.text).not.toContain('secretlookingthing');
  });
});

describe('paths and methods', () => {
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
  ])('answers 404 for %s, with or without a key', async (path) => {
    for (const ask of [{}, { as: buyer }]) {
      expect(problemIn(await service.ask(`GET ${path}`, ask)).code).toBe('route_not_found');
    }
  });

  it.each([
    ['DELETE /v1/orders', 'GET, HEAD, POST'],
    ['PUT /v1/orders/ord_1', 'GET, HEAD, PATCH'],
    ['POST /v1/notifications', 'GET, HEAD'],
    ['GET /v1/notifications/ntf_1', 'PATCH'],
    ['GET /v1/webhooks', 'POST'],
  ])('answers 405 for %s and tells what is allowed', async (what, allow) => {
    const got = await service.ask(what);
    expect(problemIn(got)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(got.headers.get('allow')).toBe(allow);
  });

  it('tells what a path takes when asked for its options', async () => {
    const got = await service.ask('OPTIONS /v1/orders');
    expect(got.status).toBe(204);
    expect(got.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  it('answers HEAD like GET, without the body', async () => {
    const got = await service.ask('HEAD /v1/orders', { as: buyer });
    expect(got.status).toBe(200);
    expect(got.text).toBe('');
  });

  it.each([
    'GET /v1/orders/ord_1?x=1',
    'POST /v1/orders?dryRun=true',
    'PATCH /v1/orders/ord_1?force=1',
    'PATCH /v1/notifications/ntf_1?x=1',
    'POST /v1/webhooks?x=1',
  ])('refuses the parameter of %s, which takes none', async (what) => {
    const body = what.startsWith('GET') ? {} : { body: {} };
    const problem = problemIn(await service.ask(what, { as: buyer, ...body }));
    expect(problem.code).toBe('validation_failed');
    expect(problem.errors?.[0]?.message).toBe('unknown query parameter; this endpoint takes none');
  });
});

describe('bodies', () => {
  it.each(['{', '{"listingId":}', 'listingId=1', '\u0000'])(
    'answers 400 for %j, which is not JSON',
    async (body) => {
      const problem = problemIn(await service.ask('POST /v1/orders', { as: buyer, body }));
      expect(problem).toMatchObject({ status: 400, code: 'malformed_json' });
    },
  );

  it.each(['[]', 'null', '"text"', '5', 'true'])(
    'answers 422 for %s, which is JSON but no object',
    async (body) => {
      const problem = problemIn(await service.ask('POST /v1/orders', { as: buyer, body }));
      expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
      expect(problem.detail).toContain('must be a JSON object');
    },
  );

  it('answers 422 when there is no body at all', async () => {
    const problem = problemIn(await service.ask('POST /v1/orders', { as: buyer }));
    expect(problem.detail).toContain('is required');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'answers 415 for a body sent as %s',
    async (type) => {
      const ask = { as: buyer, body: '{}', headers: { 'Content-Type': type } };
      const problem = problemIn(await service.ask('POST /v1/orders', ask));
      expect(problem).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    },
  );

  it.each([{ 'Content-Encoding': 'zip' }, { 'Content-Type': 'application/json; charset=ebcdic' }])(
    'answers 415 for %j',
    async (headers) => {
      const got = await service.ask('POST /v1/orders', { as: buyer, body: '{}', headers });
      expect(problemIn(got).code).toBe('unsupported_media_type');
    },
  );

  it('answers 413 for a body over 65,536 bytes', async () => {
    const body = JSON.stringify({ listingId: 'x'.repeat(65_536) });
    const problem = problemIn(await service.ask('POST /v1/orders', { as: buyer, body }));
    expect(problem).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('answers 400 for bytes that are no UTF-8, and stores nothing of them', async () => {
    const bytes = Buffer.from('{"url":"https://receiver.example/?","events":["order.created"]}');
    bytes[bytes.indexOf('?')] = 0xff;
    const response = await fetch(`${service.url}/v1/webhooks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${buyer.key}`, 'Content-Type': 'application/json' },
      body: bytes,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'malformed_json' });
  });

  it('tells many faults in an answer no larger than it need be', async () => {
    const names = Array.from({ length: 4_000 }, (_, at) => [`field_${at}`, 1]);
    const got = await service.ask('POST /v1/orders', {
      as: buyer,
      body: Object.fromEntries(names),
    });
    const problem = problemIn(got);
    expect(problem.errors).toHaveLength(50);
    expect(problem.detail).toContain('More in errors');
    expect(got.text.length).toBeLessThan(10_000);
    const long = await service.ask('POST /v1/orders', {
      as: buyer,
      body: { ['x'.repeat(60_000)]: 1 },
    });
    expect(long.text.length).toBeLessThan(1_500);
  });

  it('does not read the body of a request without a key', async () => {
    const got = await service.ask('POST /v1/orders', { body: '{' });
    expect(problemIn(got).code).toBe('missing_api_key');
  });

  it('is not led astray by a body with __proto__', async () => {
    const body = '{"__proto__":{"listingId":"lst_1"},"quantity":1}';
    const problem = problemIn(await service.ask('POST /v1/orders', { as: buyer, body }));
    expect(problem.errors?.map(({ path }) => path)).toContain('listingId');
  });
});

describe('what is no HTTP', () => {
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
  ])('answers %s with a problem', async (_what, bytes, status, code) => {
    const answer = await service.sendRaw(bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toContain('Content-Type: application/problem+json');
    const problem = JSON.parse(body) as { code: string; requestId: string };
    expect(problem.code).toBe(code);
    expect(head).toContain(`X-Request-Id: ${problem.requestId}`);
  });
});

describe('every answer', () => {
  it('keeps a sane request id and replaces any other', async () => {
    const kept = await service.ask('GET /v1/orders', {
      as: buyer,
      headers: { 'X-Request-Id': 'trace-2026.11_21' },
    });
    expect(kept.headers.get('x-request-id')).toBe('trace-2026.11_21');
    const replaced = await service.ask('GET /v1/orders', {
      as: buyer,
      headers: { 'X-Request-Id': 'no spaces, please' },
    });
    expect(replaced.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it('carries the RateLimit headers, and 429 says how long to wait', async () => {
    const strict = await startService({ rateLimit: 2 });
    try {
      const actor = await strict.account('buyer');
      const other = await strict.account('buyer');
      const first = await strict.ask('GET /v1/orders', { as: actor });
      expect(first.headers.get('ratelimit')).toMatch(/^"requests"; r=1; t=\d+$/);
      expect(first.headers.get('ratelimit-policy')).toMatch(/^"requests"; q=2; w=60/);
      await strict.ask('GET /v1/orders', { as: actor });
      const third = await strict.ask('GET /v1/orders', { as: actor });
      expect(problemIn(third)).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await strict.ask('GET /v1/orders', { as: other })).status).toBe(200);
    } finally {
      await strict.close();
    }
  });

  it('is not to be cached and does not say what serves it', async () => {
    const got = await service.ask('GET /v1/orders', { as: buyer });
    expect(got.headers.get('cache-control')).toBe('no-store');
    expect(got.headers.get('x-powered-by')).toBeNull();
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('POST /v1/webhooks', () => {
  const register = (body: unknown) => service.ask('POST /v1/webhooks', { as: buyer, body });

  it('answers with the record and, this once, its secret', async () => {
    const events = ['order.created', 'order.status_changed'];
    const got = await register({ url: 'https://receiver.example/hook', events });
    expect(got.status).toBe(201);
    const webhook = dataOf<{ id: string; createdAt: string }>(got);
    expect(webhook).toEqual({
      id: expect.stringMatching(/^whk_/),
      url: 'https://receiver.example/hook',
      events,
      status: 'active',
      createdAt: expect.any(String),
      updatedAt: webhook.createdAt,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(got.headers.get('location')).toBe(`/v1/webhooks/${webhook.id}`);
  });

  it.each([
    'http://receiver.example/',
    'ftp://receiver.example/',
    'receiver.example',
    'https://user:pass@receiver.example/',
    'https://receiver.example/#part',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://api.localhost./',
    `https://receiver.example/${'x'.repeat(2048)}`,
    '',
    7,
  ])('refuses the url %j', async (url) => {
    const problem = problemIn(await register({ url, events: ['order.created'] }));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(problem.errors?.map(({ path }) => path)).toEqual(['url']);
  });

  it('lets an account have twenty', async () => {
    const actor = await service.account('seller');
    const body = { url: 'https://receiver.example/', events: ['order.created'] };
    const ask = () => service.ask('POST /v1/webhooks', { as: actor, body });
    for (let count = 0; count < 20; count += 1) expect((await ask()).status).toBe(201);
    expect(problemIn(await ask())).toMatchObject({ status: 409, code: 'webhook_limit_reached' });
    expect((await register(body)).status).toBe(201);
  });

  it.each([[[]], [['order.shipped']], ['order.created'], [undefined]])(
    'refuses the events %j',
    async (events) => {
      const problem = problemIn(await register({ url: 'https://receiver.example/', events }));
      expect(problem.errors?.[0]?.path).toMatch(/^events/);
    },
  );
});
