import { inspect } from 'node:util';
import { createFetch } from 'ofetch';
import { expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import type { OutgoingRequest } from '../../src/http/attempt';
import { resolveOptions } from '../../src/http/resolved-options';
import { systemRuntime } from '../../src/http/retry';
import { createSender } from '../../src/http/send';
import { Transport } from '../../src/http/transport';
import { ConnectionError, Tradepost } from '../../src/index';
import { Orders } from '../../src/resources/orders';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, scriptedService } from '../helpers/scripted-service';

test('the next request loads ofetch again after a failed load, and later requests do not', async () => {
  let loads = 0;
  const sender = createSender({ fetch, fetchOptions: undefined }, async () => {
    loads += 1;
    if (loads === 1) throw new TypeError('the network was down');
    return { createFetch };
  });
  await expect(sender()).rejects.toThrow('the network was down');
  const service = await scriptedService(json(200, { data: {} }));
  const request: OutgoingRequest = {
    url: service.baseUrl,
    method: 'GET',
    headers: {},
    body: undefined,
  };
  const send = await sender();
  expect((await send(request, new AbortController().signal)).status).toBe(200);
  expect(await sender()).toBe(send);
  expect(loads).toBe(2);
});

test('a failed load is an error of its own, and is neither sent nor repeated', async () => {
  const service = await scriptedService(json(200, { data: anOrder() }));
  let loads = 0;
  const options = resolveOptions({ ...service, apiKey: 'tpk_test' });
  const sender = createSender(options, async () => {
    loads += 1;
    throw new TypeError('A dynamic import callback was not specified.');
  });
  const orders = new Orders(new Transport(options, systemRuntime, { honoursKeys: true }, sender));
  const error = await catchTradepostError(orders.list());
  expect(error).toMatchObject({ name: 'TradepostError', code: 'load_failed', status: null });
  expect(error.message).toBe(
    'GET /v1/orders was not sent, because a file of @tradepost/sdk could not be loaded: A dynamic import callback was not specified. Check how this program is bundled and deployed.',
  );
  expect(loads).toBe(1);
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
