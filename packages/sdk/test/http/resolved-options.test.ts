import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { version } from '../../package.json';
import { Tradepost, TradepostError, type TradepostOptions } from '../../src/index';
import { json, scriptedService } from '../helpers/scripted-service';

const good = { baseUrl: 'https://trade.example', apiKey: 'tpk_test' };

/** Returns the error that `new Tradepost` throws. */
function catchInvalidOptions(options: object): TradepostError {
  try {
    new Tradepost(options as TradepostOptions);
  } catch (error) {
    if (error instanceof TradepostError) return error;
  }
  throw new Error('the options were accepted');
}

describe('the client rejects invalid options before it sends anything', () => {
  test.each<[string, object, string]>([
    ['no options at all', {}, 'apiKey is missing'],
    ['an empty key', { ...good, apiKey: '' }, 'apiKey is missing'],
    ['a key with a line break', { ...good, apiKey: 'tpk_test\n' }, 'remove it'],
    ['a key in quotes that are not ASCII', { ...good, apiKey: '“tpk_test”' }, 'remove it'],
    ['no base URL', { apiKey: 'tpk_test' }, 'baseUrl is empty: is TRADEPOST_BASE_URL set?'],
    ['a relative URL', { ...good, baseUrl: '/api' }, 'an absolute http or https URL'],
    ['a key with its scheme', { ...good, apiKey: 'Bearer tpk_test' }, 'leave it out'],
    [
      'an unknown mode',
      { ...good, idempotency: 'on' },
      'idempotency must be detect, assume or off',
    ],
    ['a fetch that is no function', { ...good, fetch: 3 }, 'fetch must be a function'],
    ['a misspelt option', { ...good, retries: 3 }, '"retries". Did you mean maxRetries?'],
    ['an option in other letters', { ...good, baseURL: '' }, '"baseURL". Did you mean baseUrl?'],
    ['a misspelt hook', { ...good, hooks: { onRequests() {} } }, 'Did you mean onRequest?'],
    ['an option of another client', { ...good, organization: 'a' }, 'Options: baseUrl, apiKey,'],
    ['a host without a scheme', { ...good, baseUrl: 'trade.example' }, 'baseUrl must be'],
    ['another scheme', { ...good, baseUrl: 'ftp://trade.example' }, 'baseUrl must be'],
    ['credentials', { ...good, baseUrl: 'https://me:pw@trade.example' }, 'no user name'],
    ['a query', { ...good, baseUrl: 'https://trade.example?x=1' }, 'query'],
    ['a name with a line break', { ...good, userAgent: 'shop\n2' }, 'The header "user-agent"'],
    ['a timeout of 0', { ...good, timeout: 0 }, 'timeout must be'],
    ['a timeout that is NaN', { ...good, timeout: Number.NaN }, 'timeout must be'],
    ['a timeout that is too long for a timer', { ...good, timeout: 2 ** 31 }, 'timeout must be'],
    ['a negative deadline', { ...good, deadline: -1 }, 'deadline must be'],
    ['an endless deadline', { ...good, deadline: Number.POSITIVE_INFINITY }, 'deadline must be'],
    ['half a retry', { ...good, maxRetries: 0.5 }, 'maxRetries must be'],
    ['a negative number of retries', { ...good, maxRetries: -1 }, 'maxRetries must be'],
  ])('such as %s', (_, options, message) => {
    const error = catchInvalidOptions(options);
    expect(error).toMatchObject({ code: 'invalid_configuration', method: null, path: null });
    expect(error.message).toContain(message);
    expect(error.message).not.toContain('tpk_test');
    expect(error.message).not.toContain('pw');
  });

  test.each([{ timeout: 0 }, { deadline: Number.NaN }, { maxRetries: -1 }])(
    'of a single call, such as %o',
    async (options) => {
      const call = new Tradepost(good).orders.get('ord_1', options);
      await expect(call).rejects.toMatchObject({ code: 'invalid_configuration' });
    },
  );

  test.each([
    [{ headers: { 'X-Note': 'line\nbreak' } }, 'X-Note'],
    [{ headers: { 'bad name': 'x' } }, 'bad name'],
    [{ idempotencyKey: 'schlüssel\u2013' }, 'idempotency-key'],
  ])('such as a header that HTTP does not allow: %o', async (options, name) => {
    const call = new Tradepost(good).orders.create({ listingId: 'lst_1', quantity: 1 }, options);
    await expect(call).rejects.toMatchObject({ code: 'invalid_configuration' });
    await expect(call).rejects.toThrow(`The header "${name}" cannot be sent`);
  });
});

test.each(['tpk_live_secret', 'ftp://user:pw@trade.example', 'tpk_live:secret'])(
  'the error for an invalid base URL does not contain it, since it may be a secret: %s',
  (baseUrl) => {
    const { message } = catchInvalidOptions({ baseUrl, apiKey: 'x' });
    expect(message).toContain('baseUrl must be an absolute http or https URL');
    expect(message).not.toMatch(/tpk_|live|:secret|user:|pw/);
  },
);

describe('the client checks an idempotency key before it sends anything', () => {
  const noKeys = ['', ' ', 'two words', 'schl\u00fcssel', 'line\nbreak', 'k'.repeat(256)];

  test.each(
    noKeys.flatMap((key) => [
      [{ idempotencyKey: key }],
      [{ headers: { 'Idempotency-Key': key } }],
      [{ idempotencyKey: 'fine', headers: { 'idempotency-key': key } }],
    ]),
  )('and rejects %o', async (options) => {
    const service = await scriptedService(json(201, { data: anOrder() }));
    const { orders } = new Tradepost({ ...good, ...service });
    const call = orders.create({ listingId: 'lst_1', quantity: 1 }, options);
    await expect(call).rejects.toMatchObject({ code: 'invalid_configuration' });
    await expect(call).rejects.toThrow(/^The header "idempotency-key" cannot be sent: /i);
    expect(service.seen).toHaveLength(0);
  });

  test.each(['k', '!~', 'k'.repeat(255)])('and sends a valid one: %s', async (key) => {
    const service = await scriptedService(json(201, { data: anOrder() }));
    const { orders } = new Tradepost({ ...good, ...service });
    const order = { listingId: 'lst_1', quantity: 1 };
    await orders.create(order, { idempotencyKey: key });
    await orders.create(order, { headers: { 'Idempotency-Key': key } });
    expect(service.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([key, key]);
  });
});

test('a base URL may have a path and end in slashes', async () => {
  const service = await scriptedService(json(200, { data: anOrder() }));
  const baseUrl = `${service.baseUrl}/trade//`;
  await new Tradepost({ ...good, baseUrl }).orders.get('ord_1');
  expect(service.request(0).url).toBe('/trade/v1/orders/ord_1');
});

test('the User-Agent header starts with userAgent, followed by the name of the client', async () => {
  const service = await scriptedService(json(200, { data: anOrder() }));
  const { orders } = new Tradepost({ ...good, ...service, userAgent: 'shop/2.1' });
  await orders.get('ord_1');
  expect(service.request(0).headers['user-agent']).toBe(`shop/2.1 tradepost-sdk/${version}`);
});

test('the headers of one call do not affect the next', async () => {
  const service = await scriptedService(
    json(200, { data: anOrder() }),
    json(200, { data: anOrder() }),
  );
  const { orders } = new Tradepost({ ...good, ...service });
  const headers = { Authorization: 'Bearer other', 'User-Agent': 'other', 'X-Note': 'x' };
  await orders.get('ord_1', { headers });
  await orders.get('ord_1');
  expect(service.request(0).headers).toMatchObject({
    authorization: 'Bearer other',
    'x-note': 'x',
  });
  const { authorization, 'x-note': note } = service.request(1).headers;
  expect([authorization, note]).toEqual(['Bearer tpk_test', undefined]);
  expect(service.request(1).headers['user-agent']).toBe(`tradepost-sdk/${version}`);
});

test('a custom fetch receives plain requests, and its responses are parsed like any other', async () => {
  const requests: unknown[] = [];
  const { orders } = new Tradepost({
    ...good,
    fetch: async (url, { signal, ...init }) => {
      requests.push([url, init, signal.aborted]);
      return new Response(JSON.stringify({ data: anOrder() }), { status: 201 });
    },
  });
  const order = await orders.create({ listingId: 'lst_1', quantity: 5 }, { idempotencyKey: 'k1' });
  expect(order).toEqual(anOrder());
  expect(requests).toEqual([
    [
      'https://trade.example/v1/orders',
      {
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: 'Bearer tpk_test',
          'content-type': 'application/json',
          'idempotency-key': 'k1',
          'user-agent': `tradepost-sdk/${version}`,
        },
        body: '{"listingId":"lst_1","quantity":5}',
        redirect: 'manual',
        maxResponseBytes: 67_108_864,
      },
      false,
    ],
  ]);
});
