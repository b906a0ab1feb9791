import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import type { TradepostHooks } from '../../src/index';
import { createTestClient } from '../helpers/a-client';
import { createHookedClient } from '../helpers/a-hooked-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { hang, json, problem, reset, scriptedService } from '../helpers/scripted-service';

const found = json(200, { data: anOrder() }, { 'X-Request-Id': 'req_7' });
const busy = problem(503, 'shutting_down');
const aNewOrder = { listingId: 'lst_1', quantity: 5 };

describe('onRequest', () => {
  test('may set headers of one attempt, also asynchronously', async () => {
    const { service, orders } = await createHookedClient(
      {
        onRequest: async ({ headers, attempt }) => {
          await Promise.resolve();
          headers.set('traceparent', `00-${attempt}`);
          headers.delete('user-agent');
          if (attempt === 1) headers.set('x-first', 'yes');
        },
      },
      busy,
      found,
    );
    await orders.get('ord_1');
    const sent = service.seen.map(({ headers }) => [headers.traceparent, headers['x-first']]);
    expect(sent).toEqual([
      ['00-1', 'yes'],
      ['00-2', undefined],
    ]);
    expect(service.request(0).headers.authorization).toBe('Bearer tpk_test');
    expect(service.request(0).headers['user-agent']).not.toContain('tradepost');
  });

  test('never receives the Authorization header, but may set it', async () => {
    let seen: (string | null)[] = [];
    const { service, orders } = await createHookedClient(
      {
        onRequest: ({ headers }) => {
          headers.forEach((value) => {
            seen = [...seen, value];
          });
          seen = [...seen, headers.get('Authorization')];
          headers.set('Authorization', 'Bearer tpk_other');
        },
      },
      found,
    );
    await orders.get('ord_1');
    expect(seen.at(-1)).toBeNull();
    expect(seen.join()).not.toContain('tpk_test');
    expect(service.request(0).headers.authorization).toBe('Bearer tpk_other');
  });

  test('cannot make a POST happen twice: its key stays the same', async () => {
    const { service, orders } = await createHookedClient(
      { onRequest: ({ headers, attempt }) => headers.set('Idempotency-Key', `mine-${attempt}`) },
      json(200, { data: anOrder() }, { 'tradepost-idempotency': '86400' }),
      reset,
      json(201, { data: anOrder() }),
    );
    await orders.get('ord_1');
    await orders.create(aNewOrder, { idempotencyKey: 'import-42' });
    const keys = service.seen.slice(1).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['import-42', 'import-42']);
  });

  test('may set If-Match: then the change is not repeated when its response was lost', async () => {
    const { service, orders } = await createHookedClient(
      { onRequest: ({ headers }) => headers.set('If-Match', '"3"') },
      reset,
      found,
    );
    await catchTradepostError(orders.update('ord_1', { status: 'confirmed' }));
    expect(service.seen).toHaveLength(1);
  });

  test.each<[string, TradepostHooks['onRequest']]>([
    [
      'throws',
      () => {
        throw new Error('no token');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no token'))],
  ])('that %s fails the call before anything is sent', async (_, onRequest) => {
    const { service, orders, errors } = await createHookedClient({ onRequest }, found);
    const error = await catchTradepostError(orders.get('ord_1'));
    expect(error).toMatchObject({ name: 'TradepostError', code: 'hook_failed', status: null });
    expect(error.message).toBe(
      'GET /v1/orders/ord_1 was not sent, because the onRequest hook threw: no token.',
    );
    expect(error.cause).toMatchObject({ message: 'no token' });
    expect(service.seen).toHaveLength(0);
    expect(errors).toEqual([]);
  });

  test('that sets an invalid header fails the call too', async () => {
    const { service, orders } = await createHookedClient(
      { onRequest: ({ headers }) => headers.set('x-note', 'line\nbreak') },
      found,
    );
    expect((await catchTradepostError(orders.get('ord_1'))).code).toBe('hook_failed');
    expect(service.seen).toHaveLength(0);
  });

  test('that never ends is bounded by the timeout, and nothing is sent late', async () => {
    let goOn: () => void = () => undefined;
    const hung = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { service, orders } = await createHookedClient({ onRequest: () => hung }, found);
    const call = orders.update(
      'ord_1',
      { status: 'confirmed' },
      { ifMatch: '"3"', timeout: 20, maxRetries: 1 },
    );
    expect((await catchTradepostError(call)).message).toMatch(/within 20 ms.*\(2 attempts\)/);
    goOn();
    await hung;
    expect(service.seen).toHaveLength(0);
  });

  test('is not called for an attempt that gets its API key when its time is over', async () => {
    let provideLate: (key: string) => void = () => undefined;
    const late = new Promise<string>((resolve) => {
      provideLate = resolve;
    });
    let calls = 0;
    const apiKey = () => {
      calls += 1;
      if (calls === 2) provideLate('tpk_test');
      return late;
    };
    const attempts: number[] = [];
    const onRequest: TradepostHooks['onRequest'] = ({ attempt }) => void attempts.push(attempt);
    const service = await scriptedService(found);
    const { orders } = createTestClient({ ...service, apiKey, hooks: { onRequest }, timeout: 200 });
    expect(await orders.get('ord_1')).toEqual(anOrder());
    expect(attempts).toEqual([2]);
  });

  test('that never ends can be aborted', async () => {
    const stop = new AbortController();
    const onRequest = () => {
      stop.abort();
      return new Promise<void>(() => undefined);
    };
    const { service, orders } = await createHookedClient({ onRequest }, hang);
    expect((await catchTradepostError(orders.get('ord_1', { signal: stop.signal }))).code).toBe(
      'aborted',
    );
    expect(service.seen).toHaveLength(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });
});
