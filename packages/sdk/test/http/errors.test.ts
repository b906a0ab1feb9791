import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  AbortError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidResponseError,
  isTradepostError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  RateLimitError,
  ServerError,
  TimeoutError,
  TradepostError,
  ValidationError,
} from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, type Step, scriptedService, text } from '../helpers/scripted-service';

async function updateAgainst(...steps: Step[]) {
  const service = await scriptedService(...steps);
  const { orders } = createTestClient({ ...service, maxRetries: 0 });
  return catchTradepostError(orders.update('ord_1', { status: 'completed' }));
}

const classes = [
  [400, 'malformed_json', ValidationError],
  [401, 'invalid_api_key', AuthenticationError],
  [403, 'account_kind_not_allowed', PermissionError],
  [404, 'order_not_found', NotFoundError],
  [405, 'method_not_allowed', TradepostError],
  [408, 'request_timeout', TradepostError],
  [409, 'invalid_transition', ConflictError],
  [412, 'precondition_failed', PreconditionFailedError],
  [413, 'body_too_large', ValidationError],
  [415, 'unsupported_media_type', ValidationError],
  [422, 'validation_failed', ValidationError],
  [429, 'rate_limited', RateLimitError],
  [500, 'internal_error', ServerError],
  [503, 'shutting_down', ServerError],
  [599, 'from_the_future', ServerError],
  [418, 'teapot', TradepostError],
] as const;

describe('a problem response', () => {
  test.each(classes)(
    'with %i %s is thrown as an error of its class',
    async (status, code, expected) => {
      const error = await updateAgainst(problem(status, code));
      expect(error.constructor).toBe(expected);
      expect(error.name).toBe(expected.name);
      expect(error).toMatchObject({
        code,
        status,
        requestId: 'req_1',
        method: 'PATCH',
        path: '/v1/orders/ord_1',
        problem: { title: `Title of ${code}`, detail: `Detail of ${code}.` },
      });
    },
  );

  test('has a message that says what failed, how, why and in which request', async () => {
    const error = await updateAgainst(problem(409, 'invalid_transition'));
    expect(error.message).toBe(
      'PATCH /v1/orders/ord_1 failed with 409 invalid_transition: Detail of invalid_transition. (request req_1)',
    );
  });

  test('has the headers and the body of the response, without the API key', async () => {
    const error = await updateAgainst(
      json(409, { reason: 'taken', by: ['tpk_test'] }, { 'X-Region': 'eu', 'X-Echo': 'tpk_test' }),
    );
    expect(error).toMatchObject({
      code: 'http_error',
      problem: null,
      body: { reason: 'taken', by: ['[redacted]'] },
    });
    expect(error.headers?.get('x-region')).toBe('eu');
    expect(error.headers?.get('x-echo')).toBe('[redacted]');
    expect(Object.keys(error)).not.toContain('headers');
    expect(Object.keys(error)).not.toContain('body');
  });

  test.each([
    ['a problem', problem(409, 'invalid_transition'), { code: 'invalid_transition' }],
    ['a JSON text', text(500, '"down"'), 'down'],
    ['a page of a proxy', text(502, '<h1>Bad gateway</h1>'), '<h1>Bad gateway</h1>'],
    ['an empty body', text(404, ''), ''],
    ['a long text', text(418, 'x'.repeat(20_000)), 'x'.repeat(16_384)],
    ['a long JSON', json(418, ['x'.repeat(20_000)]), `["${'x'.repeat(16_382)}`],
    ['a success that is not of the service', text(200, '<p>Welcome</p>'), '<p>Welcome</p>'],
  ])('keeps its body: %s', async (_, step, body) => {
    const error = await updateAgainst(step);
    if (typeof body === 'string') expect(error.body).toBe(body);
    else expect(error.body).toMatchObject(body);
  });

  test.each([
    ['that is truncated', 201, '{"data":{"id":"whk_1","secret":"whsec_abcd'],
    ['whose secret has another form and name', 201, '<p>Signing secret: abcdefgh</p>'],
    ['of a failure without a problem', 500, '{"error":"db","key":"whsec_abcdefgh"}'],
  ])('quotes no body %s, because it may have a secret', async (_, status, body) => {
    const logged: unknown[] = [];
    const log = (...entry: unknown[]) => void logged.push(entry);
    const { webhooks } = createTestClient({
      ...(await scriptedService(text(status, body))),
      maxRetries: 0,
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const error = await catchTradepostError(
      webhooks.create({ url: 'https://a.example', events: ['order.created'] }),
    );
    expect(error.message).toContain('(not shown: may have a secret)');
    expect(error.body).not.toBeNull();
    expect(logged.length).toBeGreaterThan(0);
    expect(inspect([error, logged], { depth: null })).not.toContain('abcd');
  });

  test('shows neither headers nor the body, which may have a secret, when it is printed', async () => {
    const webhook = { data: { id: 'whk_1', secret: 'whsec_abcdefgh' } };
    const { webhooks } = createTestClient({
      ...(await scriptedService(json(201, webhook, { 'X-Region': 'eu' }))),
      validate: () => [{ path: 'data.url', code: 'required', message: 'is required' }],
    });
    const error = await catchTradepostError(
      webhooks.create({ url: 'https://a.example', events: ['order.created'] }),
    );
    expect(error).toMatchObject({ code: 'contract_mismatch', body: webhook });
    expect(inspect(error) + JSON.stringify(error)).not.toMatch(/whsec_|X-Region/i);
  });

  test('has neither headers nor a body if there was no response', async () => {
    const error = await updateAgainst((response) => {
      response.destroy();
    });
    expect(error).toMatchObject({ code: 'connection_failed', headers: null, body: null });
  });

  test('includes the number of attempts', async () => {
    const service = await scriptedService(problem(503, 'store_unavailable'));
    const error = await catchTradepostError(createTestClient(service).orders.get('ord_1'));
    expect(error.message).toMatch(/ \(request req_1, 4 attempts\)$/);
  });

  test('has the issues of a validation, or an empty list', async () => {
    const errors = [{ path: 'quantity', message: 'must be an integer' }];
    const error = await updateAgainst(problem(422, 'validation_failed', {}, { errors }));
    expect(error).toMatchObject({ errors });
    expect(await updateAgainst(problem(400, 'malformed_json'))).toMatchObject({ errors: [] });
  });

  test.each([['none'], [{ path: 'x' }], [5], [null], [[null, 'x', { path: 'quantity' }]]])(
    'has a list of issues, also when the service sends %o',
    async (errors) => {
      const error = await updateAgainst(problem(422, 'validation_failed', {}, { errors }));
      expect(error).toMatchObject({ errors: [], problem: { errors } });
    },
  );

  test('is reported even if it contains values nested to any depth', async () => {
    const deep = `${'['.repeat(20_000)}"tpk_test"${']'.repeat(20_000)}`;
    const body = `{"code":"invalid_transition","detail":"No.","requestId":"req_1","more":${deep}}`;
    const error = await updateAgainst(text(409, body));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error).toMatchObject({ code: 'invalid_transition', status: 409, requestId: 'req_1' });
    const shown = JSON.stringify(error.problem);
    expect(shown).toContain('nested too deeply');
    expect(shown).not.toContain('tpk_test');
  });

  test.each(['transition', 'status', 'e', 'invalid_transition'])(
    'keeps its code and its fields when the API key is as short as %s',
    async (apiKey) => {
      const service = await scriptedService(problem(409, 'invalid_transition'));
      const heard: unknown[] = [];
      const onError = ({ code, status }: { code: string; status: number | null }) => {
        heard.push([code, status]);
      };
      const { orders } = createTestClient({ ...service, apiKey, hooks: { onError } });
      const error = await catchTradepostError(orders.get('ord_1'));
      expect(error).toMatchObject({ code: 'invalid_transition', status: 409 });
      expect(heard).toEqual([['invalid_transition', 409]]);
    },
  );

  test('has the seconds of Retry-After', async () => {
    const headers = { 'retry-after': '7' };
    expect(await updateAgainst(problem(429, 'rate_limited', headers))).toMatchObject({
      retryAfter: 7,
    });
    expect(await updateAgainst(problem(503, 'shutting_down', headers))).toMatchObject({
      retryAfter: 7,
    });
    expect(await updateAgainst(problem(429, 'rate_limited'))).toMatchObject({ retryAfter: null });
  });
});

describe('an error response without a problem', () => {
  test("quotes the start of a proxy's HTML page on one line", async () => {
    const page = `<html>\r\n<h1>502 Bad\u0007 Gateway</h1>${'x'.repeat(5_000)}`;
    const error = await updateAgainst(text(502, page, { 'x-request-id': 'req_proxy' }));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ code: 'http_error', problem: null, requestId: 'req_proxy' });
    expect(error.message).toMatch(
      /^PATCH \/v1\/orders\/ord_1 failed with 502, and its body is not a problem document: <html> <h1>502 Bad Gateway<\/h1>x+…\. Try again later\. \(request req_proxy\)$/,
    );
    expect(error.message.length).toBeLessThan(400);
  });

  test('may have an empty body', async () => {
    const error = await updateAgainst(text(401, ''));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.message).toContain('an empty body');
  });

  test.each([
    ['null'],
    ['[]'],
    ['"text"'],
    ['{"code":5,"detail":"x"}'],
    ['{"code":"x"}'],
    ['{"error":"x"}'],
  ])('may have the JSON body %s', async (body) => {
    const error = await updateAgainst(text(404, body, { 'content-type': 'application/json' }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'http_error', problem: null });
    expect(error.message).toContain(body);
  });
});

describe('an error response without a problem has advice', () => {
  test.each<[number, Record<string, string>, string]>([
    [401, {}, 'Check apiKey and baseUrl.'],
    [403, {}, 'Check that baseUrl is the address of the service.'],
    [404, {}, 'Check that baseUrl is the address of the service.'],
    [418, {}, 'Check that baseUrl is the address of the service.'],
    [408, {}, 'Try again later.'],
    [425, {}, 'Try again later.'],
    [429, { 'retry-after': '7' }, 'Try again in 7 s.'],
    [500, {}, 'Try again later.'],
    [503, { 'retry-after': '0.2' }, 'Try again in 1 s.'],
    [503, { 'retry-after': '0' }, 'Try again later.'],
  ])('for %i %o: %s', async (status, headers, advice) => {
    const error = await updateAgainst(text(status, '<html>', headers));
    expect(error.message).toContain('<html>. ');
    expect(error.message).toContain(advice);
  });

  test('unlike a problem of the service', async () => {
    const error = await updateAgainst(problem(404, 'route_not_found'));
    expect(error.message).toMatch(/Detail of route_not_found\. \(request req_1\)$/);
  });
});

describe('a redirect or an unusable response', () => {
  test.each([301, 302, 303, 307, 308])(
    '%i is a clear error, and no other host receives the API key',
    async (status) => {
      const elsewhere = await scriptedService(json(200, { data: {} }));
      const error = await updateAgainst(
        text(status, '', { location: `${elsewhere.baseUrl}/v1/x` }),
      );
      expect(error).toMatchObject({ name: 'TradepostError', code: 'redirected', status });
      // After the others, the request has to be sent to the new address.
      expect(error.mayHaveBeenApplied).toBe(status === 302 || status === 303);
      expect(error.message).toContain(
        `a redirect to ${elsewhere.baseUrl}/v1/x. It was not followed`,
      );
      expect(elsewhere.seen).toHaveLength(0);
    },
  );

  test.each([
    ['truncated JSON', '{"data":{"id":"ord_1"'],
    ['an HTML page', '<!doctype html>'],
  ])('a 200 with %s shows its first bytes', async (_, body) => {
    const error = await updateAgainst(text(200, body, { 'x-request-id': 'req_2' }));
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ code: 'invalid_response', status: 200, requestId: 'req_2' });
    expect(error.message).toContain(`the expected JSON: ${body}.`);
  });

  test('a list must have an array, and its cursor must be a string', async () => {
    const service = await scriptedService(
      json(200, { data: {} }),
      json(200, { data: [], nextCursor: 5 }),
    );
    const { orders } = createTestClient(service);
    expect((await catchTradepostError(orders.list())).code).toBe('invalid_response');
    expect((await catchTradepostError(orders.list())).code).toBe('invalid_response');
  });
});

describe('isTradepostError', () => {
  const details = { code: 'aborted' as const, cause: new Error('why') };
  const errors = [
    new TradepostError('base', details),
    new AbortError('abort', details),
    new ConnectionError('connection', { ...details, notSent: false }),
    new TimeoutError('timeout', details),
    new RateLimitError('rate', { ...details, retryAfter: null }),
  ];

  test.each(errors)('accepts a $name, which is an Error with a name and a cause', (error) => {
    expect(isTradepostError(error)).toBe(true);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(error.constructor.name);
    expect(error.cause).toBe(details.cause);
    expect(String(error)).toBe(`${error.name}: ${error.message}`);
  });

  test.each([
    undefined,
    null,
    'TradepostError',
    { name: 'TradepostError' },
    new Error('other'),
    Object.assign(new Error('similar'), { code: 'aborted', status: null }),
  ])('rejects %s', (value) => {
    expect(isTradepostError(value)).toBe(false);
  });
});
