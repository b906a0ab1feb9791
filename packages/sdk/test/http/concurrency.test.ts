import { expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { AbortError, Tradepost } from '../../src/index';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, type Step, scriptedService } from '../helpers/scripted-service';

const ids = Array.from({ length: 100 }, (_, at) => `ord_${at}`);

/** Responds to each request with the order that it requests. */
const echo: Step = (response, request) =>
  json(200, { data: anOrder({ id: request.url.replace('/v1/orders/', '') }) })(response, request);

test('a hundred concurrent calls of one client each get their own response', async () => {
  const pending: (() => void)[] = [];
  const service = await scriptedService(echo, (response, request) => {
    pending.push(() => echo(response, request));
    // All requests are in flight before their first response, and the last gets its response first.
    if (pending.length === ids.length) for (const respond of pending.reverse()) respond();
  });
  const { orders } = new Tradepost({ ...service, apiKey: 'tpk_test' });
  // The service has no rate limit, as its first response shows.
  await orders.get('ord_0');
  const responses = await Promise.all(ids.map((id) => orders.get(id).withResponse()));
  expect(responses.map(({ data }) => data.id)).toEqual(ids);
});

test('each call has its own retries and its own idempotency key', async () => {
  const met = new Set<unknown>();
  const service = await scriptedService((response, request) => {
    const key = request.headers['idempotency-key'];
    const first = !met.has(key);
    met.add(key);
    if (first) problem(503, 'shutting_down', { 'retry-after': '0' })(response, request);
    else
      json(201, { data: anOrder({ listingId: JSON.parse(request.body).listingId }) })(
        response,
        request,
      );
  });
  const { orders } = new Tradepost({ ...service, apiKey: 'tpk_test', idempotency: 'assume' });
  const listings = ids.map((id) => id.replace('ord', 'lst'));
  const placed = await Promise.all(
    listings.slice(0, 20).map((listingId) => orders.create({ listingId, quantity: 1 })),
  );
  expect(placed.map(({ listingId }) => listingId)).toEqual(listings.slice(0, 20));
  expect(met.size).toBe(20);
  expect(service.seen).toHaveLength(40);
});

test('aborting one of them does not affect the others', async () => {
  const stop = new AbortController();
  const pending: (() => void)[] = [];
  const service = await scriptedService(echo, (response, request) => {
    pending.push(() => echo(response, request));
    if (pending.length === ids.length) {
      stop.abort();
      for (const respond of pending) respond();
    }
  });
  const { orders } = new Tradepost({ ...service, apiKey: 'tpk_test' });
  await orders.get('ord_0');
  const calls = ids.map((id) => orders.get(id, id === 'ord_50' ? { signal: stop.signal } : {}));
  const results = await Promise.all(calls.map((call) => call.safe()));
  expect(results.filter(({ ok }) => !ok)).toHaveLength(1);
  expect(await catchTradepostError(calls[50] ?? Promise.resolve())).toBeInstanceOf(AbortError);
});
