import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import fc from 'fast-check';
import fastify from 'fastify';
import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { isTradepostError, Tradepost, type TradepostLogger } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, type Step, scriptedService, text } from '../helpers/scripted-service';

const found = json(200, { data: anOrder() }, { 'X-Request-Id': 'req_7' });

/** A logger that records its entries. */
function createRecordingLogger() {
  const lines: { level: string; message: string; fields: object }[] = [];
  const keep = (level: string) => (message: string, fields: object) => {
    lines.push({ level, message, fields });
  };
  const logger: TradepostLogger = {
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
  };
  return { lines, logger };
}

async function loggingClient(...steps: Step[]) {
  const { lines, logger } = createRecordingLogger();
  const service = await scriptedService(...steps);
  return { service, lines, ...createTestClient({ ...service, logger }) };
}

/** What every entry says about its call. */
const call = { operation: 'orders.get', callId: expect.any(String), route: '/v1/orders/:id' };

describe('the client logs', () => {
  test('each request and each response, as debug entries', async () => {
    const { lines, orders } = await loggingClient(found);
    await orders.get('ord_1');
    const about = { ...call, method: 'GET', path: '/v1/orders/ord_1', attempt: 1 };
    expect(lines).toEqual([
      {
        level: 'debug',
        message: 'GET /v1/orders/ord_1',
        fields: {
          ...about,
          headers: {
            accept: 'application/json',
            authorization: '[redacted]',
            'user-agent': expect.stringContaining('tradepost-sdk/'),
          },
        },
      },
      {
        level: 'debug',
        message: 'GET /v1/orders/ord_1 returned 200',
        fields: { ...about, status: 200, requestId: 'req_7', durationMs: expect.any(Number) },
      },
    ]);
  });

  test('each retry and each failed call, as warnings', async () => {
    const { lines, orders } = await loggingClient(problem(503, 'shutting_down'));
    const error = await catchTradepostError(orders.get('ord_1', { maxRetries: 1 }));
    const about = {
      ...call,
      method: 'GET',
      path: '/v1/orders/ord_1',
      code: 'shutting_down',
      status: 503,
      durationMs: expect.any(Number),
    };
    expect(lines.filter(({ level }) => level !== 'debug')).toEqual([
      {
        level: 'warn',
        message:
          'GET /v1/orders/ord_1 failed with 503 shutting_down: Detail of shutting_down. (request req_1) Retrying in 500 ms.',
        fields: { ...about, attempt: 1, requestId: 'req_1', delayMs: 499.5 },
      },
      {
        level: 'warn',
        message: error.message,
        fields: { ...about, attempt: 2, requestId: 'req_1' },
      },
    ]);
  });
});

test('the client redacts values that may be secrets and logs idempotency keys', async () => {
  const { lines, orders } = await loggingClient(json(201, { data: anOrder() }));
  const headers = {
    Cookie: 'session=1',
    'X-Api-Key': 'hush',
    'X-Session-Token': 'hush',
    'Proxy-Authorization': 'Basic hush',
    'X-Signature': 'hush',
    'X-Note': 'the key is tpk_test',
    'X-Tenant': 'acme',
  };
  await orders.create(
    { listingId: 'lst_1', quantity: 1 },
    { idempotencyKey: 'import-42', headers },
  );
  expect(lines[0]?.fields).toMatchObject({
    headers: {
      authorization: '[redacted]',
      cookie: '[redacted]',
      'x-api-key': '[redacted]',
      'x-session-token': '[redacted]',
      'proxy-authorization': '[redacted]',
      'x-signature': '[redacted]',
      'x-note': 'the key is [redacted]',
      'x-tenant': 'acme',
      'idempotency-key': 'import-42',
    },
  });
  expect(inspect(lines, { depth: 9 })).not.toContain('hush');
});

test('a logger may have only some of the methods, and each is called with its this', async () => {
  const service = await scriptedService(problem(404, 'order_not_found'));
  class Counter {
    count = 0;
    warn() {
      this.count += 1;
    }
  }
  const logger = new Counter();
  await catchTradepostError(createTestClient({ ...service, logger }).orders.get('ord_1'));
  expect(logger.count).toBe(1);
});

test('the client accepts console as a logger', () => {
  expect(
    new Tradepost({ baseUrl: 'https://trade.example', apiKey: 'k', logger: console }),
  ).toBeInstanceOf(Tradepost);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
])('a logger that %s does not affect a call', async (_, write) => {
  const logger = { debug: write, warn: write, error: write };
  const service = await scriptedService(problem(503, 'shutting_down'), found);
  const hooks = { onResponse: write };
  const { orders } = createTestClient({ ...service, logger, hooks });
  expect(await orders.get('ord_1')).toEqual(anOrder());
});

describe('the client never shows the API key', () => {
  const apiKey = 'tpk_9fQxSecret0';
  const escaped = [...apiKey].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('');
  const echo = fc.constantFrom(apiKey, `Bearer ${apiKey}`, apiKey.repeat(2), `${apiKey.slice(4)}`);
  const junk = fc.string({ maxLength: 250 });
  const anEcho = fc.tuple(junk, echo, junk).map((parts) => parts.join(''));
  const headerText = fc
    .tuple(fc.stringMatching(/^[a-z]{0,8}$/), echo)
    .map((parts) => parts.join(''));
  const body = fc.oneof(
    anEcho,
    fc.constant(`{"code":"${escaped}","detail":"you sent ${escaped}","requestId":"${escaped}"}`),
    fc
      .record({
        code: anEcho,
        detail: anEcho,
        title: anEcho,
        requestId: anEcho,
        errors: fc.array(fc.record({ path: anEcho, message: anEcho }), { maxLength: 3 }),
        headers: fc.dictionary(anEcho, anEcho, { maxKeys: 2 }),
      })
      .map((problemBody) => JSON.stringify(problemBody)),
    anEcho.map((value) => JSON.stringify({ data: value })),
  );
  const anyResponse = fc.record({
    status: fc.constantFrom(200, 201, 204, 302, 400, 401, 404, 418, 429, 500, 502, 503),
    body,
    headers: fc.record(
      { 'X-Request-Id': headerText, Location: headerText, 'Retry-After': headerText },
      { requiredKeys: [] },
    ),
  });

  test('in errors and log lines, whatever the service sends', async () => {
    let next: { status: number; body: string; headers: Record<string, string> } = {
      status: 200,
      body: '',
      headers: {},
    };
    const service = await scriptedService((response, request) => {
      const { status, body: sent, headers } = next;
      text(status, sent, headers)(response, request);
    });
    await fc.assert(
      fc.asyncProperty(anyResponse, async (drawn) => {
        next = drawn;
        const { lines, logger } = createRecordingLogger();
        const validate = () => [{ path: 'data', message: `is ${apiKey}` }];
        const options = { ...service, apiKey, logger, validate, maxRetries: 1 };
        const error = await createTestClient(options)
          .orders.get(`ord_${apiKey}`)
          .catch((thrown: unknown) => thrown);
        expect(isTradepostError(error)).toBe(true);
        const shown = inspect([lines, error, JSON.stringify(error)], {
          depth: 20,
          showHidden: true,
          maxStringLength: null,
        });
        expect(shown).not.toContain(apiKey);
      }),
      { numRuns: 150 },
    );
  });

  test('in the errors of a custom fetch and of hooks', async () => {
    const { lines, logger } = createRecordingLogger();
    const baseUrl = 'http://trade.example';
    const hooks = {
      onError: () => {
        throw new Error(apiKey);
      },
    };
    const fetch = () => Promise.reject(new Error(`could not send Bearer ${apiKey}`));
    const client = createTestClient({ baseUrl, apiKey, logger, hooks, fetch });
    const error = await catchTradepostError(client.orders.get('ord_1'));
    expect(error.message).toContain('could not send Bearer [redacted]');
    expect(inspect(lines, { depth: 20 })).not.toContain(apiKey);
  });
});

describe('a logger of pino', () => {
  async function writeWith(create: (lines: Writable) => TradepostLogger) {
    const entries: Record<string, unknown>[] = [];
    const lines = new Writable({
      write(chunk, _encoding, done) {
        entries.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const service = await scriptedService(problem(503, 'shutting_down'));
    const { orders } = createTestClient({ ...service, logger: create(lines), maxRetries: 0 });
    await catchTradepostError(orders.get('ord_1'));
    return entries;
  }

  test.each<[string, (lines: Writable) => TradepostLogger]>([
    ['itself', (lines) => pino({ level: 'debug' }, lines)],
    ['a child', (lines) => pino({ level: 'debug' }, lines).child({ part: 'orders' })],
    ['of Fastify', (lines) => fastify({ logger: { level: 'debug', stream: lines } }).log],
  ])('gets the message and all fields of an entry: %s', async (_, create) => {
    const entries = await writeWith(create);
    expect(entries).toHaveLength(3);
    expect(entries[2]).toMatchObject({
      level: 40,
      msg: expect.stringContaining('GET /v1/orders/ord_1 failed with 503 shutting_down'),
      ...call,
      code: 'shutting_down',
      status: 503,
      requestId: 'req_1',
    });
  });

  test('writes only the entries of its level', async () => {
    const entries = await writeWith((lines) => pino({ level: 'warn' }, lines));
    expect(entries.map(({ level }) => level)).toEqual([40]);
  });
});
