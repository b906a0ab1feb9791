import { describe, expect, test, vi } from 'vitest';
import {
  ConflictError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../../../src/index';
import { type MockFailure, mockTradepost } from '../../../src/testing/index';
import { catchTradepostError } from '../../helpers/catch-tradepost-error';

const persistent = { times: Number.POSITIVE_INFINITY };

describe('fail', () => {
  test.each<[MockFailure, new (...args: never[]) => Error, object]>([
    ['connection', ConnectionError, { notSent: true, mayHaveBeenApplied: false }],
    ['timeout', TimeoutError, { code: 'timeout', mayHaveBeenApplied: true }],
    ['lost_response', ConnectionError, { notSent: false, mayHaveBeenApplied: true }],
    [{ status: 503 }, ServerError, { code: 'store_unavailable', status: 503 }],
    [{ status: 502 }, ServerError, { code: 'http_error', status: 502 }],
    [{ status: 500, body: { oops: 1 } }, ServerError, { body: { oops: 1 } }],
    [{ code: 'rate_limited', retryAfter: 7 }, RateLimitError, { retryAfter: 7 }],
    [{ code: 'insufficient_quantity' }, ConflictError, { status: 409 }],
    [{ status: 409, code: 'frozen', detail: 'Frozen.' }, ConflictError, { code: 'frozen' }],
  ])('%o fails a call without a real wait', async (failure, Class, details) => {
    const { client, addListing, fail } = mockTradepost();
    const { id: listingId } = addListing();
    fail('orders.create', failure, persistent);
    const startedAt = performance.now();
    const error = await catchTradepostError(client.orders.create({ listingId, quantity: 1 }));
    expect(error).toBeInstanceOf(Class);
    expect(error).toMatchObject(details);
    expect(performance.now() - startedAt).toBeLessThan(400);
    // Other operations succeed.
    await client.orders.list();
  });

  test('fails one request by default, so that a retry succeeds', async () => {
    const { client, addOrder, fail, requests } = mockTradepost();
    const { id } = addOrder();
    fail('orders.get', 'timeout');
    fail('orders.get', { status: 503 });
    expect(await client.orders.get(id)).toMatchObject({ id });
    expect(requests.map(({ status }) => status)).toEqual([null, 503, 200]);
  });

  test('fails a number of requests of any operation, until it is cancelled', async () => {
    const { as, fail, requests } = mockTradepost();
    const client = as('buyer', { maxRetries: 0 });
    const cancel = fail('*', 'connection', { times: 3 });
    await expect(client.orders.list()).rejects.toThrow(ConnectionError);
    await expect(client.account.get()).rejects.toThrow(ConnectionError);
    cancel();
    await client.orders.list();
    expect(requests).toHaveLength(3);
  });

  test('a retry after a lost response says that it changed nothing', async () => {
    const { as, addOrder, fail, requests } = mockTradepost();
    const { id } = addOrder();
    fail('orders.update', 'lost_response');
    const call = as('seller').orders.update(id, { status: 'confirmed' });
    const { data, headers } = await call.withResponse();
    expect(data.status).toBe('confirmed');
    expect(headers.get('Tradepost-Changed')).toBe('false');
    expect(requests).toHaveLength(2);
  });

  test.each<MockFailure>(['lost_response', { status: 503, applied: true }])(
    '%o makes the change',
    async (failure) => {
      const { as, addOrder, fail } = mockTradepost();
      const { id } = addOrder();
      fail('orders.update', failure);
      const seller = as('seller', { maxRetries: 0 });
      const error = await catchTradepostError(seller.orders.update(id, { status: 'confirmed' }));
      expect(error.mayHaveBeenApplied).toBe(true);
      expect((await seller.orders.get(id)).status).toBe('confirmed');
    },
  );

  test('lets a client that knows the service repeat a lost POST, with one effect', async () => {
    const { client, addListing, fail, requests } = mockTradepost();
    const { id: listingId } = addListing();
    await client.orders.list();
    fail('orders.create', 'lost_response', { times: 2 });
    const order = await client.orders.create({ listingId, quantity: 1 });
    expect((await client.orders.list()).data).toEqual([order]);
    const creations = requests.filter(({ operation }) => operation === 'orders.create');
    expect(new Set(creations.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(creations).toHaveLength(3);
  });

  test('lets a request hang until its timeout, and a call until it is aborted', async () => {
    vi.useFakeTimers();
    try {
      const { as, addOrder, fail, requests } = mockTradepost();
      const { id } = addOrder();
      fail('orders.get', 'hang');
      const got = as('buyer', { timeout: 5_000 }).orders.get(id);
      await vi.advanceTimersByTimeAsync(4_999);
      expect(requests.map(({ status }) => status)).toEqual([null]);
      await vi.advanceTimersByTimeAsync(1);
      expect(await got).toMatchObject({ id });
      fail('orders.update', 'hang', persistent);
      const stop = new AbortController();
      const { signal } = stop;
      const updated = as('seller').orders.update(id, { status: 'confirmed' }, { signal });
      const failed = catchTradepostError(updated);
      await vi.advanceTimersByTimeAsync(1_000);
      stop.abort();
      expect(await failed).toMatchObject({ code: 'aborted', mayHaveBeenApplied: true });
      expect(await as('buyer').orders.get(id)).toMatchObject({ status: 'pending' });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('works while timers are faked', async () => {
    vi.useFakeTimers();
    try {
      const { client, fail } = mockTradepost();
      fail('orders.list', { status: 503, retryAfter: 60 }, { times: 2 });
      expect((await client.orders.list()).data).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('rejects arguments that would have no effect', () => {
    const { fail } = mockTradepost();
    expect(() => fail('orders.remove' as never, 'timeout')).toThrow('no operation "orders.remove"');
    expect(() => fail('orders.get', 'broken' as never)).toThrow('a failure is connection');
    expect(() => fail('orders.get', { code: 'frozen' })).toThrow('needs a status');
    expect(() => fail('orders.get', 'timeout', { times: 0 })).toThrow('times must be at least 1');
  });
});

describe('the headers of a failure', () => {
  test.each(['retry-after', 'Retry-After'])('replace default ones, as %s', async (name) => {
    const { as, fail } = mockTradepost();
    fail('orders.list', { status: 503, headers: { [name]: '5' } }, persistent);
    const { orders } = as('buyer', { maxRetries: 0 });
    const error = await catchTradepostError(orders.list());
    expect(error).toMatchObject({ retryAfter: 5 });
  });

  test('have no Retry-After unless the test sets one', async () => {
    const { as, fail } = mockTradepost();
    fail('orders.list', { status: 503 }, persistent);
    const error = await catchTradepostError(as('buyer', { maxRetries: 0 }).orders.list());
    expect(error).toMatchObject({ retryAfter: null });
  });
});
