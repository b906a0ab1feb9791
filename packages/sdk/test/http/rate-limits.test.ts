import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { createIdleWaits } from '../../../../test/helpers/idle-waits';
import { RateLimitError, TimeoutError, Tradepost, type TradepostOptions } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { hang, json, problem, type Step, scriptedService } from '../helpers/scripted-service';

const page = { data: [], nextCursor: null };
const windowMs = 60_000;

/** Returns the headers of a limit of 60 requests a minute. */
const quota = (remaining: number, seconds: number) => ({
  ratelimit: `"requests"; r=${remaining}; t=${seconds}`,
  'ratelimit-policy': '"requests"; q=60; w=60',
});

/** A client of a service with a limit per minute, both on a clock that advances when no request is in flight. */
async function limitedService({
  limit = 60,
  namesQuota = true,
  ...options
}: { limit?: number; namesQuota?: boolean } & Partial<TradepostOptions>) {
  let now = 0;
  let endsAt = 0;
  let count = 0;
  let windows = 0;
  const service = await scriptedService((response, request) => {
    if (now >= endsAt) {
      endsAt = now + windowMs;
      count = 0;
      windows += 1;
    }
    count += 1;
    const seconds = Math.ceil((endsAt - now) / 1_000);
    const headers = namesQuota ? quota(Math.max(0, limit - count), seconds) : {};
    const step =
      count <= limit
        ? json(200, page, headers)
        : problem(429, 'rate_limited', { ...headers, 'retry-after': String(seconds) });
    step(response, request);
  });
  const pass = (milliseconds: number) => {
    // Whole numbers: the sum of a fraction and a window would differ from it in its last digit.
    now += Math.ceil(milliseconds);
  };
  const waits = createIdleWaits(() => now, pass);
  const client = createTestClient(
    { ...service, fetch: waits.track(fetch), ...options },
    { elapsed: () => now, wait: waits.wait, random: Math.random },
  );
  return { ...client, service, waits, pass, now: () => now, windows: () => windows };
}

describe('200 lists at once with a limit of 60 a minute', () => {
  test('all succeed within four minutes, with one request each', async () => {
    const { orders, service, waits, now, windows } = await limitedService({ deadline: 240_000 });
    await Promise.all(Array.from({ length: 200 }, () => orders.list()));
    expect(service.seen).toHaveLength(200);
    expect(windows()).toBe(4);
    expect(now()).toBeLessThan(240_000);
    expect(waits.waiting).toBe(0);
  });

  test('all succeed if the service only sends Retry-After', async () => {
    const { orders, service, windows } = await limitedService({
      deadline: 300_000,
      namesQuota: false,
    });
    await Promise.all(Array.from({ length: 200 }, () => orders.list()));
    expect(windows()).toBe(4);
    expect(service.seen.length).toBeLessThan(400);
  });

  test('those whose deadline is too early fail as soon as that is known, and say why', async () => {
    const { orders, service, now } = await limitedService({ deadline: 90_000 });
    const results = await Promise.all(Array.from({ length: 200 }, () => orders.list().safe()));
    expect(results.filter(({ ok }) => ok)).toHaveLength(120);
    expect(service.seen).toHaveLength(120);
    expect(now()).toBeLessThan(62_000);
    const errors = results.flatMap((result) => (result.ok ? [] : [result.error]));
    expect(errors.every((error) => error instanceof RateLimitError)).toBe(true);
    expect(errors[0]).toMatchObject({ code: 'rate_limited', status: null, retryAfter: 60 });
    expect(errors[0]?.message).toMatch(
      /^GET \/v1\/orders was not sent: the rate limit is used up for 60 s, and the call's deadline is in \d\d(\.\d)? s\. Try again later, or raise deadline\.$/,
    );
  });
});

describe('a rate limit', () => {
  test('lets at most 32 requests out before the first response, and then as many as are left', async () => {
    const pending: (() => void)[] = [];
    const service = await scriptedService((response, request) => {
      const seconds = 60;
      pending.push(() => json(200, page, quota(40, seconds))(response, request));
      if (pending.length === 32) pending[0]?.();
      // One has its response, and 40 are left.
      if (pending.length === 41) for (const respond of pending.slice(1)) respond();
    });
    const { orders, waits } = createTestClient(service);
    await Promise.all(Array.from({ length: 41 }, () => orders.list()));
    expect(waits).toEqual([]);
  });

  test('of which enough is left holds nothing up, nor does one that is used up between calls', async () => {
    const { orders, waits, pass, windows } = await limitedService({ limit: 10 });
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 9 }, () => orders.list()));
      expect(waits.waiting).toBe(0);
      pass(windowMs);
    }
    expect(windows()).toBe(3);
  });

  test('that another client has used up holds all calls of this one up, in their order', async () => {
    const service = await scriptedService(
      json(200, page, quota(0, 30)),
      json(200, page, quota(59, 60)),
    );
    const { orders, waits } = createTestClient(service);
    await orders.list();
    await Promise.all([3, 1, 2].map((limit) => orders.list({ limit })));
    expect(waits).toEqual([30_000 + 0.999 * 500]);
    expect(service.seen.map(({ url }) => url).slice(1)).toEqual(
      [3, 1, 2].map((limit) => `/v1/orders?limit=${limit}`),
    );
  });

  test('holds up the clients of withOptions too, but none with another key', async () => {
    const service = await scriptedService(json(200, page, quota(0, 30)), json(200, page));
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    const client = new Tradepost({ ...service, apiKey: 'tpk_test', wait });
    await client.orders.list();
    await client.withOptions({ apiKey: 'tpk_other' }).orders.list();
    const headers = { authorization: 'Bearer tpk_third' };
    await client.orders.list({}, { headers });
    expect(waits).toEqual([]);
    await client.withOptions({ timeout: 1_000 }).orders.list();
    expect(waits).toHaveLength(1);
  });

  test('is not what a 429 with requests left is about: only its call waits', async () => {
    const service = await scriptedService(
      problem(429, 'rate_limited', { ...quota(50, 60), 'retry-after': '20' }),
      json(200, page, quota(49, 60)),
    );
    const { orders, waits } = createTestClient(service, {
      wait: (milliseconds) => {
        waits.push(milliseconds);
        // The other call is made during the wait of the first one.
        return orders.get('ord_1', { maxRetries: 0 }).then(
          () => undefined,
          () => undefined,
        );
      },
    });
    await orders.list();
    expect(waits).toEqual([20_499.5]);
    expect(service.seen.map(({ url }) => url)).toEqual([
      '/v1/orders',
      '/v1/orders/ord_1',
      '/v1/orders',
    ]);
  });

  test('of a 503 with Retry-After holds only its own call up', async () => {
    const unavailable = problem(503, 'shutting_down', { 'retry-after': '20' });
    const service = await scriptedService(unavailable, json(200, { data: anOrder() }));
    const { orders, waits } = createTestClient(service);
    await catchTradepostError(orders.get('ord_1', { maxRetries: 0 }));
    await orders.get('ord_1');
    expect(waits).toEqual([]);
  });

  test.each<[string, Step]>([
    [
      'another RateLimit first',
      json(200, page, { ratelimit: '"day"; r=900; t=9000, "burst"; t=30; r=0' }),
    ],
    ['no policy', json(200, page, { ratelimit: 'default;r=0;t=30' })],
    ['Retry-After alone', problem(429, 'rate_limited', { 'retry-after': '30' })],
  ])('is understood with %s', async (_, first) => {
    const service = await scriptedService(first, json(200, page));
    const { orders, waits } = createTestClient(service);
    await orders.list({}, { maxRetries: 0 }).safe();
    await orders.list();
    expect(waits).toEqual([30_000 + 0.999 * 500]);
  });

  test.each([
    '',
    'limit=100, remaining=0, reset=30',
    '"requests"; r=0',
    '"requests"; t=30',
    'r; t',
  ])('is not read from %j', async (ratelimit) => {
    const service = await scriptedService(json(200, page, { ratelimit }));
    const { orders, waits } = createTestClient(service);
    await orders.list();
    await orders.list();
    expect(waits).toEqual([]);
  });
});

describe('a call that waits for the rate limit', () => {
  const usedUp = json(200, page, quota(0, 30));

  test('can be aborted, and leaves no timer behind', async () => {
    const { orders, waits, service } = await limitedService({ limit: 1 });
    await orders.list();
    const stop = new AbortController();
    const calls = [1, 2].map(() => orders.list({}, { signal: stop.signal }).safe());
    const other = orders.list();
    await expect.poll(() => waits.waiting).toBe(1);
    stop.abort('enough');
    const [first, second] = await Promise.all(calls);
    expect(first).toMatchObject({ ok: false, error: { code: 'aborted', cause: 'enough' } });
    expect(second).toMatchObject({ ok: false, error: { code: 'aborted' } });
    await other;
    expect(service.seen).toHaveLength(2);
    expect(waits.waiting).toBe(0);
  });

  test('ends at its deadline when responses do not come', async () => {
    const service = await scriptedService(hang);
    const { orders } = createTestClient(service);
    const stop = new AbortController();
    const calls = Array.from({ length: 32 }, () => orders.list({}, { signal: stop.signal }).safe());
    const error = await catchTradepostError(orders.list({}, { deadline: 50 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe(
      'GET /v1/orders was not sent, because its deadline of 50 ms passed while it waited for the rate limit.',
    );
    stop.abort();
    await Promise.all(calls);
  });

  test('fails at once if the deadline is earlier, and says so', async () => {
    const service = await scriptedService(usedUp);
    const { orders, waits } = createTestClient({ ...service, deadline: 10_000 });
    await orders.list();
    const error = await catchTradepostError(orders.list());
    expect(error).toMatchObject({ name: 'RateLimitError', status: null, retryAfter: 30 });
    expect(error.message).toBe(
      "GET /v1/orders was not sent: the rate limit is used up for 30 s, and the call's deadline is in 10 s. Try again later, or raise deadline.",
    );
    expect(waits).toEqual([]);
    expect(service.seen).toHaveLength(1);
  });

  test('has the error of its last attempt as the cause if the deadline is earlier', async () => {
    const service = await scriptedService(
      problem(503, 'shutting_down'),
      json(200, page, quota(0, 300)),
    );
    const { orders } = createTestClient(service, {
      // During the wait for the retry, another call learns that the rate limit is used up.
      wait: () => orders.list().then(() => undefined),
    });
    const error = await catchTradepostError(orders.list());
    expect(error).toMatchObject({ name: 'RateLimitError', cause: { code: 'shutting_down' } });
    expect(error.message).toContain('/v1/orders was not sent again: the rate limit is used up');
  });

  test('writes an entry to the log, once for all that wait', async () => {
    const service = await scriptedService(usedUp, json(200, page));
    const entries: [string, object][] = [];
    const logger = { info: (message: string, fields: object) => entries.push([message, fields]) };
    const { orders } = createTestClient({ ...service, logger });
    await orders.list();
    await Promise.all([orders.list(), orders.list()]);
    expect(entries).toEqual([
      [
        'GET /v1/orders waits 30500 ms for the rate limit.',
        expect.objectContaining({ operation: 'orders.list', delayMs: 30_499.5 }),
      ],
    ]);
  });
});

test('long polls leave room for other calls, and count as requests', async () => {
  const service = await scriptedService((response, request) => {
    if (request.url.includes('waitSeconds')) return;
    json(200, page, quota(40, 60))(response, request);
  });
  const { events, orders, waits } = createTestClient(service);
  const stop = new AbortController();
  const follow = () => events.list({ waitSeconds: 20 }, { signal: stop.signal }).safe();
  const polls = Array.from({ length: 32 }, follow);
  await orders.list();
  expect(waits).toEqual([]);
  polls.push(...Array.from({ length: 40 }, follow));
  const error = await catchTradepostError(orders.list({}, { deadline: 1_000 }));
  expect(error.message).toContain('was not sent: the rate limit is used up for 60 s');
  stop.abort();
  await Promise.all(polls);
});
