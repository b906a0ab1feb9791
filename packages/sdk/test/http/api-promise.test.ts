import { EventEmitter, once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { NotFoundError, type Result, Tradepost } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, reset, type Step, scriptedService } from '../helpers/scripted-service';

const found = json(200, { data: anOrder() }, { ETag: '"3"', 'X-Request-Id': 'req_7' });
const missing = problem(404, 'order_not_found', { 'X-Request-Id': 'req_1' });

async function createOrders(...steps: Step[]) {
  const service = await scriptedService(...steps);
  return { service, orders: createTestClient(service).orders };
}

describe('a call returns a promise of its data', () => {
  test('that supports await, Promise.race, catch and finally', async () => {
    const { orders } = await createOrders(found, found, missing, found);
    const call = orders.get('ord_1');
    expect(call).toBeInstanceOf(Promise);
    expect(await call).toEqual(anOrder());
    expect(await Promise.all([orders.get('ord_1'), 5])).toEqual([anOrder(), 5]);
    expect(await orders.get('ord_1').catch((error) => error)).toBeInstanceOf(NotFoundError);
    let ended = false;
    await orders.get('ord_1').finally(() => {
      ended = true;
    });
    expect(ended).toBe(true);
  });

  test('and sends its request even if the promise is not awaited', async () => {
    const arrivals = new EventEmitter();
    const { orders } = await createOrders((response, request) => {
      arrivals.emit('request');
      found(response, request);
    });
    const arrived = once(arrivals, 'request');
    const call = orders.get('ord_1');
    await arrived;
    await call;
  });
});

describe('withResponse', () => {
  test('returns status, headers and request ID with the data', async () => {
    const { orders } = await createOrders(found);
    const { data, status, headers, requestId } = await orders.get('ord_1').withResponse();
    expect([data, status, requestId]).toEqual([anOrder(), 200, 'req_7']);
    expect(headers.get('etag')).toBe('"3"');
    const names: string[] = [];
    headers.forEach((_, name) => {
      names.push(name);
    });
    expect(names).toContain('etag');
  });

  test('returns the ETag that ifMatch accepts', async () => {
    const { service, orders } = await createOrders(found);
    const { headers } = await orders.get('ord_1').withResponse();
    const ifMatch = headers.get('ETag') ?? undefined;
    await orders.update('ord_1', { status: 'confirmed' }, { ifMatch });
    expect(service.request(1).headers['if-match']).toBe('"3"');
  });

  test('throws what the call throws', async () => {
    const { orders } = await createOrders(missing);
    expect(await catchTradepostError(orders.get('ord_1').withResponse())).toBeInstanceOf(
      NotFoundError,
    );
  });

  test('returns null as request ID when the response has none', async () => {
    const { orders } = await createOrders(json(200, { data: anOrder() }));
    expect((await orders.get('ord_1').withResponse()).requestId).toBeNull();
  });
});

describe('extensions', () => {
  test('are those that the response lists', async () => {
    const headers = { 'Tradepost-Extensions': 'orders.sort,, orders.reason ,new.one' };
    const { orders } = await createOrders(
      json(200, { data: anOrder() }, headers),
      problem(404, 'order_not_found', headers),
    );
    const listed = ['orders.sort', 'orders.reason', 'new.one'];
    expect((await orders.get('ord_1').withResponse()).extensions).toEqual(listed);
    expect((await catchTradepostError(orders.get('ord_1'))).extensions).toEqual(listed);
  });

  test('are none without the header, and without a response', async () => {
    const { orders } = await createOrders(found, reset);
    expect((await orders.get('ord_1').withResponse()).extensions).toEqual([]);
    const failed = orders.get('ord_1', { maxRetries: 0 });
    expect((await catchTradepostError(failed)).extensions).toEqual([]);
  });
});

describe('safe', () => {
  test('returns a success with its data, status and request ID', async () => {
    const { orders } = await createOrders(found);
    const result = await orders.get('ord_1').safe();
    expect(result).toMatchObject({ ok: true, data: anOrder(), status: 200, requestId: 'req_7' });
  });

  test('returns a failure as a value', async () => {
    const { orders } = await createOrders(missing);
    const result = await orders.get('ord_1').safe();
    expect(result).toEqual({ ok: false, error: expect.any(NotFoundError) });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const throwing = {
    get quantity(): number {
      throw new Error('no quantity today');
    },
  };
  const { orders, webhooks, events } = new Tradepost({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'tpk_test',
  });
  const wrong = (value: unknown) => value as never;

  test.each<[string, () => { safe(): Promise<Result<unknown>> }, string]>([
    ['a body with a cycle', () => orders.create(wrong(cycle)), 'circular'],
    ['a body with a BigInt', () => orders.create(wrong({ quantity: 5n })), 'BigInt'],
    ['a body that throws', () => orders.create(wrong(throwing)), 'no quantity today'],
    ['no id', () => orders.get(wrong(undefined)), '/v1/orders/:id needs id'],
    ['a BigInt for an id', () => orders.get(wrong(5n)), '/v1/orders/:id'],
    ['half a character for an id', () => orders.get('\ud800'), '/v1/orders/:id'],
    [
      'a query that is not a text',
      () => orders.list(wrong({ status: Object.create(null) })),
      'convert',
    ],
    ['options that are null', () => orders.get('ord_1', wrong(null)), 'orders.get'],
    ['an invalid signal', () => orders.get('ord_1', { signal: wrong('stop') }), 'signal'],
    [
      'a header that is not a text',
      () => webhooks.get('w', { headers: { a: wrong(Symbol('x')) } }),
      'Symbol',
    ],
    ['a list with a bad limit of time', () => events.list({}, { timeout: 0 }), 'timeout'],
  ])('does not throw for %s', async (_, begin, message) => {
    const result = await begin().safe();
    if (result.ok) throw new Error('it succeeded');
    expect(result.error).toMatchObject({ name: 'TradepostError', code: 'invalid_configuration' });
    expect(result.error.message).toContain(message);
    expect(result.error.message).not.toContain('\n');
  });
});

test('one call sends one request, however its response is used', async () => {
  const { service, orders } = await createOrders(found);
  const call = orders.get('ord_1');
  const [data, response, result] = await Promise.all([call, call.withResponse(), call.safe()]);
  expect(await call).toBe(data);
  expect(response.data).toBe(data);
  expect(result).toMatchObject({ ok: true, data });
  expect(service.seen).toHaveLength(1);
});

test('only an unhandled failure is reported by the runtime', async () => {
  const { orders } = await createOrders(missing);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  const reported: unknown[] = [];
  process.on('unhandledRejection', (reason) => reported.push(reason));
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
  });

  const call = orders.get('ord_safe');
  const { ok } = await call.safe();
  const error = await catchTradepostError(orders.get('ord_response').withResponse());
  expect([ok, error.status]).toEqual([false, 404]);
  expect((await orders.list().safe()).ok).toBe(false);
  const unheard = once(process, 'unhandledRejection');
  Object(orders).get('ord_unheard');
  await unheard;
  expect(reported).toEqual([expect.objectContaining({ path: '/v1/orders/ord_unheard' })]);
});

describe('a list', () => {
  const page = json(200, { data: [anOrder()], nextCursor: null }, { 'X-Request-Id': 'req_9' });

  test('returns the response of its one page, and requests it once', async () => {
    const { service, orders } = await createOrders(page);
    const list = orders.list();
    const { data, status, requestId } = await list.withResponse();
    expect(data).toEqual({ data: [anOrder()], nextCursor: null });
    expect([status, requestId]).toEqual([200, 'req_9']);
    expect(await list.safe()).toMatchObject({ ok: true, data: await list });
    expect(service.seen).toHaveLength(1);
  });

  test('is not requested until it is used', async () => {
    const { service, orders } = await createOrders(page);
    const list = orders.list();
    await orders.list({ status: 'pending' });
    expect(service.seen).toHaveLength(1);
    await list.safe();
    expect(service.seen).toHaveLength(2);
  });
});
