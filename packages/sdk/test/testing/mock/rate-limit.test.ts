import { describe, expect, test } from 'vitest';
import { RateLimitError, type Tradepost } from '../../../src/index';
import { mockTradepost } from '../../../src/testing/index';
import { catchTradepostError } from '../../helpers/catch-tradepost-error';

/** A client that shows every 429. */
const impatient = { maxRetries: 0, deadline: 1_000 };

describe('the rate limit of a mock', () => {
  test('rejects what is beyond it, with the headers of the reference server', async () => {
    const { as, requests, advance } = mockTradepost({ rateLimit: { limit: 2, window: 10_000 } });
    const first = await as('buyer', impatient).orders.list().withResponse();
    expect(first.headers.get('ratelimit')).toBe('"requests"; r=1; t=10');
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"requests"; q=2; w=10; pk=:.+:$/);
    advance(3_500);
    // A 404 counts too, and has the headers.
    const missing = await catchTradepostError(as('buyer', impatient).orders.get('ord_1'));
    expect(missing.headers?.get('ratelimit')).toBe('"requests"; r=0; t=7');
    const error = await catchTradepostError(as('buyer', impatient).orders.list());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 7 });
    expect(error.message).toContain(
      'limited to 2 requests per 10 s. Wait for the time in Retry-After, then try again. (',
    );
    // Each API key has its own.
    await as('seller', impatient).orders.list();
    advance(6_500);
    await as('buyer', impatient).orders.list();
    expect(requests.map(({ status }) => status)).toEqual([200, 404, 429, 200, 200]);
  });

  test('lets all calls of a client succeed, whose waits advance the time of the mock', async () => {
    const { client, requests, addOrder } = mockTradepost({ rateLimit: { limit: 60 } });
    await Promise.all(Array.from({ length: 200 }, () => client.orders.list()));
    expect(requests.length).toBeLessThanOrEqual(260);
    const passed = Date.parse(addOrder().createdAt) - Date.parse('2026-11-21T09:30:00.000Z');
    expect(passed).toBeGreaterThanOrEqual(180_000);
  });

  test('does not count requests without a valid key, or that fail', async () => {
    const { as, fail } = mockTradepost({ rateLimit: { limit: 1 } });
    const stranger: Tradepost = as('buyer', { ...impatient, apiKey: 'tpk_stranger' });
    const rejected = await catchTradepostError(stranger.orders.list());
    expect(rejected).toMatchObject({ status: 401 });
    expect(rejected.headers?.get('ratelimit')).toBeNull();
    fail('orders.list', 'connection');
    await as('buyer').orders.list();
  });

  test('counts a list of a service without extensions once, which only sends Retry-After', async () => {
    const { as, addOrder } = mockTradepost({ extensions: false, rateLimit: { limit: 1 } });
    for (let count = 0; count < 150; count += 1) addOrder();
    const buyer = as('buyer', impatient);
    expect((await buyer.orders.list()).data).toHaveLength(150);
    const error = await catchTradepostError(buyer.orders.list());
    expect(error).toMatchObject({ status: 429, retryAfter: 60 });
    expect(error.headers?.get('ratelimit')).toBeNull();
  });

  test.each([
    [{ limit: 0 }, 'limit must be an integer of at least 1 (got 0)'],
    [{ limit: 1, window: 0 }, 'window must be milliseconds, more than 0 (got 0)'],
    [{ limit: 1, windowMs: 5 }, 'no option "windowMs"'],
  ])('must be valid: %j', (rateLimit, message) => {
    expect(() => mockTradepost({ rateLimit })).toThrow(message);
  });
});
