import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { findUnusedPort } from '../../../../test/helpers/loopback';
// What sends a call is loaded now: with the first call, that would count towards its timeout.
import '../../src/http/retry-loop';
import { Tradepost, type TradepostError } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import {
  breakOff,
  hang,
  json,
  problem,
  reset,
  type Step,
  scriptedService,
  text,
} from '../helpers/scripted-service';

const aNewOrder = { listingId: 'lst_1', quantity: 1 };
const honoured = { 'tradepost-idempotency': '86400' };
const placed = json(201, { data: anOrder() });
const notRepeated = 'It may have been applied, and was not repeated';

/** Only a hang needs a timeout. The request must reach the service before it, also on a busy machine. */
const timeoutAfter = (...steps: Step[]) => (steps.includes(hang) ? { timeout: 1_000 } : {});

/** Everything after which an order may have been placed, although no response says so. */
const losses: [string, Step][] = [
  ["a proxy's 502", text(502, '<html>')],
  ['a 500', problem(500, 'internal_error')],
  ['a 503', problem(503, 'store_unavailable')],
  ['a 503 without a problem', text(503, 'overloaded')],
  ["a proxy's 504", text(504, '<html>')],
  ['a 408', text(408, '')],
  ['a reset connection', reset],
  ['a truncated response', breakOff],
  ['a hang', hang],
];

describe('on a service that is not known to honour idempotency keys', () => {
  test.each(losses)('an order is placed once after %s', async (_, step) => {
    const service = await scriptedService(step, placed);
    const { orders } = createTestClient({ ...service, ...timeoutAfter(step) });
    const error = await catchTradepostError(orders.create(aNewOrder));
    expect(service.seen).toHaveLength(1);
    expect(error.mayHaveBeenApplied).toBe(true);
    expect(error.message).toContain(notRepeated);
  });

  test.each([
    ['a 429', problem(429, 'rate_limited', { 'retry-after': '1' })],
    ['a 425', text(425, '')],
    ['a 503 of a service with too many requests', problem(503, 'overloaded')],
    ['a 503 of a service that is shutting down', problem(503, 'shutting_down')],
  ])('an order is sent once after %s, and was certainly not placed', async (_, step) => {
    const service = await scriptedService(step, placed);
    const error = await catchTradepostError(createTestClient(service).orders.create(aNewOrder));
    expect(service.seen).toHaveLength(1);
    expect(error.mayHaveBeenApplied).toBe(false);
    expect(error.message).not.toContain(notRepeated);
  });

  test('the same holds for every POST', async () => {
    const service = await scriptedService(text(502, '<html>'));
    const { webhooks, deliveries } = createTestClient(service);
    const calls = [
      webhooks.create({ url: 'https://receiver.example', events: ['order.created'] }),
      webhooks.stageSecret('whk_1'),
      webhooks.promoteSecret('whk_1'),
      webhooks.test('whk_1', { event: 'order.created' }),
      webhooks.replayDeliveries('whk_1', {}),
      deliveries.replay('dlv_1'),
      new Tradepost({ ...service, apiKey: 'tpk_test' }).request('POST', '/v1/things'),
    ];
    await Promise.all(calls.map((call) => catchTradepostError(call)));
    expect(service.seen).toHaveLength(calls.length);
  });

  test('a POST that certainly was not sent is repeated', async () => {
    const baseUrl = `http://127.0.0.1:${await findUnusedPort()}`;
    const { orders, waits } = createTestClient({ baseUrl });
    const error = await catchTradepostError(orders.create(aNewOrder));
    expect(waits).toHaveLength(3);
    expect(error).toMatchObject({ notSent: true, mayHaveBeenApplied: false });
    expect(error.message).not.toContain(notRepeated);
  });

  test('the ID of a request, which many services send, proves nothing', async () => {
    const service = await scriptedService(
      json(200, { data: anOrder() }, { 'x-request-id': 'req_1', ratelimit: '"a";r=1;t=1' }),
      reset,
    );
    const { orders } = createTestClient(service);
    await orders.get('ord_1');
    await catchTradepostError(orders.create(aNewOrder));
    expect(service.seen).toHaveLength(2);
  });
});

describe('on a service that says that it honours idempotency keys', () => {
  test.each(losses)('an order is sent again after %s, with its key', async (_, step) => {
    const service = await scriptedService(json(200, { data: anOrder() }, honoured), step, placed);
    const { orders } = createTestClient({ ...service, ...timeoutAfter(step) });
    await orders.get('ord_1');
    await orders.create(aNewOrder);
    const [, first, second] = service.seen.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  test('the failed response itself may say so', async () => {
    const service = await scriptedService(problem(503, 'store_unavailable', honoured), placed);
    await createTestClient(service).orders.create(aNewOrder);
    expect(service.seen).toHaveLength(2);
  });

  test('an error may say so too, to any call of the client', async () => {
    const service = await scriptedService(problem(404, 'order_not_found', honoured), reset, placed);
    const { orders, webhooks } = createTestClient(service);
    await catchTradepostError(orders.get('ord_1'));
    await webhooks.create({ url: 'https://receiver.example', events: ['order.created'] });
    expect(service.seen).toHaveLength(3);
  });

  test('a client with other options knows it, unless its service is another one', async () => {
    const first = await scriptedService(json(200, { data: anOrder() }, honoured), reset, placed);
    const other = await scriptedService(reset, placed);
    const tradepost = new Tradepost({ ...first, apiKey: 'tpk_test' });
    const patient = tradepost.withOptions({ timeout: 60_000 });
    await tradepost.orders.get('ord_1');
    await patient.orders.create(aNewOrder);
    expect(first.seen).toHaveLength(3);
    await catchTradepostError(tradepost.withOptions({ ...other }).orders.create(aNewOrder));
    expect(other.seen).toHaveLength(1);
  });
});

describe('the option idempotency', () => {
  test('assume repeats a POST from the first call on', async () => {
    const service = await scriptedService(reset, placed);
    await createTestClient({ ...service, idempotency: 'assume' }).orders.create(aNewOrder);
    expect(service.seen).toHaveLength(2);
  });

  test('off never repeats a POST, and sends only the key of the caller', async () => {
    const service = await scriptedService(
      json(200, { data: anOrder() }, honoured),
      problem(503, 'store_unavailable', honoured),
    );
    const { orders } = createTestClient({ ...service, idempotency: 'off' });
    await orders.get('ord_1');
    await catchTradepostError(orders.create(aNewOrder));
    await catchTradepostError(orders.create(aNewOrder, { idempotencyKey: 'import-42' }));
    expect(service.seen.map(({ headers }) => headers['idempotency-key'])).toEqual([
      undefined,
      undefined,
      'import-42',
    ]);
  });
});

describe('mayHaveBeenApplied', () => {
  const outcomes: [
    string,
    boolean,
    (client: ReturnType<typeof createTestClient>) => Promise<unknown>,
    Step[],
  ][] = [
    [
      'a PATCH without a response',
      true,
      ({ orders }) => orders.update('o', { status: 'confirmed' }),
      [reset],
    ],
    [
      'a rejected PATCH',
      false,
      ({ orders }) => orders.update('o', { status: 'confirmed' }),
      [problem(409, 'invalid_transition')],
    ],
    ['a GET without a response', false, ({ orders }) => orders.get('o'), [reset]],
    ['a list without a response', false, async ({ orders }) => orders.list(), [hang]],
    [
      'a rejected POST',
      false,
      ({ orders }) => orders.create(aNewOrder),
      [problem(422, 'listing_not_found')],
    ],
    [
      'a POST whose response cannot be read',
      true,
      ({ orders }) => orders.create(aNewOrder),
      [text(201, 'ok')],
    ],
  ];

  test.each(outcomes)('after %s is %s', async (_, expected, call, steps) => {
    const service = await scriptedService(...steps);
    const client = createTestClient({
      ...service,
      ...timeoutAfter(...steps),
      maxRetries: 0,
    });
    expect((await catchTradepostError(call(client))).mayHaveBeenApplied).toBe(expected);
  });

  test('after an abort of a POST that was sent is true', async () => {
    const stop = new AbortController();
    const service = await scriptedService(() => stop.abort());
    const call = createTestClient(service).orders.create(aNewOrder, { signal: stop.signal });
    const error: TradepostError = await catchTradepostError(call);
    expect(error).toMatchObject({ name: 'AbortError', mayHaveBeenApplied: true });
  });
});
