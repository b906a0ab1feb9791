import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { systemRuntime } from '../../src/http/runtime';
import { AbortError, Tradepost } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { hang, hangInBody, json, problem, scriptedService } from '../helpers/scripted-service';

test('a signal that is already aborted sends nothing', async () => {
  const service = await scriptedService(hang);
  const reason = new Error('changed my mind');
  const call = createTestClient(service).orders.get('ord_1', { signal: AbortSignal.abort(reason) });
  const error = await catchTradepostError(call);
  expect(error).toBeInstanceOf(AbortError);
  expect(error).toMatchObject({ name: 'AbortError', code: 'aborted', status: null });
  expect(error.message).toBe("GET /v1/orders/ord_1 was aborted by the caller's signal.");
  expect(error.cause).toBe(reason);
  expect(service.seen).toHaveLength(0);
});

test.each([
  ['for a response', hang],
  ['for the rest of a response', hangInBody],
])('a signal stops a call that waits %s', async (_, step) => {
  const stop = new AbortController();
  const service = await scriptedService((response, request) => {
    step(response, request);
    stop.abort('enough');
  });
  const error = await catchTradepostError(
    createTestClient(service).orders.get('ord_1', { signal: stop.signal }),
  );
  expect(error).toBeInstanceOf(AbortError);
  expect(error.cause).toBe('enough');
  expect(service.seen).toHaveLength(1);
});

test('a signal ends the wait between two attempts immediately', async () => {
  const stop = new AbortController();
  const service = await scriptedService(
    problem(503, 'shutting_down', { 'retry-after': '60' }),
    json(200, { data: anOrder() }),
  );
  const wait = (milliseconds: number, signal: AbortSignal | undefined) => {
    const waited = systemRuntime.wait(milliseconds, signal);
    stop.abort();
    return waited;
  };
  const attempts: number[] = [];
  const onError = ({ attempt }: { attempt: number }) => {
    attempts.push(attempt);
  };
  const client = createTestClient({ ...service, hooks: { onError } }, { wait });
  const error = await catchTradepostError(client.orders.get('ord_1', { signal: stop.signal }));
  expect(error).toBeInstanceOf(AbortError);
  // One attempt was sent, and no more are counted.
  expect(error.message).toBe("GET /v1/orders/ord_1 was aborted by the caller's signal.");
  expect(attempts).toEqual([1]);
  expect(service.seen).toHaveLength(1);
});

test('a wait with an aborted signal ends immediately', async () => {
  const start = performance.now();
  await systemRuntime.wait(60_000, AbortSignal.abort());
  expect(performance.now() - start).toBeLessThan(1_000);
});

test('a wait without an abort takes its full time', async () => {
  const start = performance.now();
  await systemRuntime.wait(30, new AbortController().signal);
  expect(performance.now() - start).toBeGreaterThan(25);
});

test('a signal stops a list between its pages', async () => {
  const stop = new AbortController();
  const service = await scriptedService(json(200, { data: [anOrder()], nextCursor: 'c1' }));
  const loop = async () => {
    for await (const _ of createTestClient(service).orders.list({}, { signal: stop.signal })) {
      stop.abort();
    }
  };
  expect(await catchTradepostError(loop())).toBeInstanceOf(AbortError);
  expect(service.seen).toHaveLength(1);
});

test('a custom fetch that ignores its signal does not delay a call', async () => {
  const fetch = () => new Promise<never>(() => undefined);
  const { orders } = createTestClient({ baseUrl: 'http://deaf.example', fetch, timeout: 20 });
  expect((await catchTradepostError(orders.get('ord_1', { maxRetries: 0 }))).code).toBe('timeout');
  const signal = AbortSignal.timeout(10);
  expect((await catchTradepostError(orders.get('ord_1', { signal, timeout: 5_000 }))).code).toBe(
    'aborted',
  );
});

test('a signal of many calls accumulates no listeners', async () => {
  const { signal } = new AbortController();
  const service = await scriptedService(
    problem(503, 'shutting_down'),
    json(200, { data: anOrder() }),
  );
  const tradepost = new Tradepost({ baseUrl: service.baseUrl, apiKey: 'tpk_test' });
  await tradepost.orders.get('ord_1', { signal });
  await tradepost.orders.get('ord_1', { signal });
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
