import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { resolveOptions } from '../../src/http/resolved-options';
import * as retryLoop from '../../src/http/retry-loop';
import { systemRuntime } from '../../src/http/runtime';
import { Transport } from '../../src/http/transport';
import { ConnectionError, Tradepost } from '../../src/index';
import { Orders } from '../../src/resources/orders';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, scriptedService } from '../helpers/scripted-service';

/** A client whose file with the code of calls is loaded by a function, with the loads so far. */
function clientThatLoads(options: { baseUrl: string }, load: () => Promise<typeof retryLoop>) {
  const loads: number[] = [];
  const resolved = resolveOptions({ ...options, apiKey: 'tpk_test' });
  const transport = new Transport(
    resolved,
    systemRuntime,
    { service: { honoursKeys: true }, key: {} },
    () => {
      loads.push(performance.now());
      return load();
    },
  );
  return { orders: new Orders(transport), loads };
}

test('the next call loads the code of calls again after a failed load, and later calls do not', async () => {
  const service = await scriptedService(json(200, { data: anOrder() }));
  let isDown = true;
  const { orders, loads } = clientThatLoads(service, async () => {
    if (isDown) throw new TypeError('the network was down');
    return retryLoop;
  });
  await expect(orders.get('ord_1')).rejects.toThrow('the network was down');
  isDown = false;
  expect(await orders.get('ord_1')).toEqual(anOrder());
  expect(await orders.get('ord_1')).toEqual(anOrder());
  expect(loads).toHaveLength(2);
});

test('a failed load is an error of its own, and is neither sent nor repeated', async () => {
  const service = await scriptedService(json(200, { data: anOrder() }));
  const { orders, loads } = clientThatLoads(service, async () => {
    throw new TypeError('A dynamic import callback was not specified.');
  });
  const error = await catchTradepostError(orders.list());
  expect(error).toMatchObject({ name: 'TradepostError', code: 'load_failed', status: null });
  expect(error.message).toBe(
    'GET /v1/orders was not sent, because a file of @tradepost/sdk could not be loaded: A dynamic import callback was not specified. Check how this program is bundled and deployed.',
  );
  expect(loads).toHaveLength(1);
  expect(service.seen).toEqual([]);
});

test('a load that does not end is ended by the signal or by the timeout', async () => {
  const never = () => new Promise<never>(() => undefined);
  const { orders } = clientThatLoads({ baseUrl: 'https://trade.example' }, never);
  const controller = new AbortController();
  const aborted = catchTradepostError(orders.get('ord_1', { signal: controller.signal }));
  controller.abort('enough');
  expect(await aborted).toMatchObject({ name: 'AbortError', cause: 'enough' });

  const hasty = resolveOptions({ baseUrl: 'https://trade.example', apiKey: 'tpk_x', timeout: 1 });
  const late = new Orders(
    new Transport(hasty, systemRuntime, { service: { honoursKeys: true }, key: {} }, never),
  );
  const error = await catchTradepostError(late.get('ord_1'));
  expect(error).toMatchObject({ name: 'TimeoutError', code: 'timeout' });
  expect(error.message).toContain('was not loaded within 1 ms');
});

/** A load that ends when the test lets it. */
function slowLoad() {
  let finish = (): void => undefined;
  const loaded = new Promise<typeof retryLoop>((resolve) => {
    finish = () => resolve(retryLoop);
  });
  return { load: () => loaded, finish };
}

test('concurrent first calls all succeed, and a later one loads nothing', async () => {
  const service = await scriptedService(json(200, { data: anOrder() }));
  const { load, finish } = slowLoad();
  const { orders, loads } = clientThatLoads(service, load);
  const calls = Array.from({ length: 5 }, () => orders.get('ord_1'));
  finish();
  expect(await Promise.all(calls)).toEqual(Array(5).fill(anOrder()));
  const before = loads.length;
  await orders.get('ord_1');
  expect(loads).toHaveLength(before);
});

test('a first call with an invalid argument fails before anything is loaded', async () => {
  const { orders, loads } = clientThatLoads({ baseUrl: 'https://trade.example' }, () => {
    throw new Error('loaded');
  });
  const error = await catchTradepostError(orders.get('ord_1', { signal: {} as AbortSignal }));
  expect(error.message).toContain('signal must be an AbortSignal');
  const late = orders.get('ord_1', { signal: AbortSignal.abort('too late') });
  expect(await catchTradepostError(late)).toMatchObject({ name: 'AbortError', cause: 'too late' });
  expect(loads).toEqual([]);
});

test('a first call obeys its own limits while its code is loaded, and is not sent after them', async () => {
  const service = await scriptedService(json(201, { data: anOrder() }));
  const { load } = slowLoad();
  const { orders } = clientThatLoads(service, load);
  for (const limits of [{ timeout: 5 }, { deadline: 5 }]) {
    const call = orders.create({ listingId: 'lst_1', quantity: 1 }, limits);
    expect(await catchTradepostError(call)).toMatchObject({
      name: 'TimeoutError',
      mayHaveBeenApplied: false,
    });
  }
  expect(service.seen).toEqual([]);
});

test('a call is not sent if its deadline passes before its first attempt', async () => {
  const service = await scriptedService(json(201, { data: anOrder() }));
  let elapsed = 0;
  const options = resolveOptions({ ...service, apiKey: 'tpk_test' });
  const runtime = { ...systemRuntime, elapsed: () => elapsed };
  const transport = new Transport(
    options,
    runtime,
    { service: { honoursKeys: true }, key: {} },
    async () => {
      elapsed = 200;
      return retryLoop;
    },
  );
  const call = new Orders(transport).create(
    { listingId: 'lst_1', quantity: 1 },
    { deadline: 100, maxRetries: 0 },
  );
  const error = await catchTradepostError(call);
  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveBeenApplied: false });
  expect(error.message).toContain('was not sent, because its deadline of 100 ms had passed');
  expect(service.seen).toEqual([]);
});

test.each([undefined, null, 0, ''])(
  'a custom fetch that rejects with %o does not expose the request',
  async (reason) => {
    const { orders } = new Tradepost({
      baseUrl: 'https://trade.example',
      apiKey: 'tpk_secret',
      maxRetries: 0,
      fetch: () => Promise.reject(reason),
    });
    const error = await catchTradepostError(orders.get('ord_1'));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('fetch failed without a reason');
    const all = inspect(error, {
      depth: Number.POSITIVE_INFINITY,
      showHidden: true,
      getters: true,
    });
    expect(all).not.toContain('tpk_secret');
  },
);
