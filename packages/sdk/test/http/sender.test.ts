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
  const sender = createSender(fetch, async () => {
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

test('a failed load is reported as not sent, so even a guarded change is repeated', async () => {
  const service = await scriptedService(json(200, { data: anOrder() }));
  const sent: string[] = [];
  const logger = { debug: (message: string) => sent.push(message) };
  let loads = 0;
  const sender = createSender(fetch, async () => {
    loads += 1;
    if (loads === 1) throw new TypeError('the network was down');
    return { createFetch };
  });
  const settings = resolveOptions({ ...service, apiKey: 'tpk_test', logger });
  const orders = new Orders(new Transport(settings, { ...systemRuntime, random: () => 0 }, sender));
  const order = await orders.update('ord_1', { status: 'confirmed' }, { ifMatch: '"3"' });
  expect(order).toEqual(anOrder());
  expect(service.seen).toHaveLength(1);
  expect(sent).toEqual(['PATCH /v1/orders/ord_1', 'PATCH /v1/orders/ord_1 returned 200']);
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
