import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { anOrder } from '../../../../test/helpers/an-order';
import { Tradepost, type TradepostHooks } from '../../src/index';
import { createHookedClient } from '../helpers/a-hooked-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import { json, problem, reset, scriptedService } from '../helpers/scripted-service';

const found = json(200, { data: anOrder() }, { 'X-Request-Id': 'req_7' });
const busy = problem(503, 'shutting_down');

/** Hooks that record their calls. */
function notes() {
  const heard: unknown[][] = [];
  const hooks: TradepostHooks = {
    onRequest: ({ headers: _, ...about }) => {
      heard.push(['request', about]);
    },
    onResponse: ({ headers: _, durationMs, ...about }) => {
      heard.push(['response', about, durationMs >= 0]);
    },
    onRetry: ({ error, ...about }) => {
      heard.push(['retry', about, error.code]);
    },
    onError: ({ error, ...about }) => {
      heard.push(['error', about, error.code]);
    },
  };
  return { heard, hooks };
}

const about = (attempt: number) => ({
  operation: 'orders.get',
  callId: expect.stringMatching(/^\w+-\d+$/),
  method: 'GET',
  route: '/v1/orders/:id',
  path: '/v1/orders/ord_1',
  attempt,
});

describe('the client calls the hooks for each attempt', () => {
  test('when a call succeeds at the second attempt', async () => {
    const { heard, hooks } = notes();
    const { service, orders } = await createHookedClient(hooks, busy, found);
    await orders.get('ord_1');
    const url = `${service.baseUrl}/v1/orders/ord_1`;
    const failed = { code: 'shutting_down', status: 503, requestId: 'req_1' };
    expect(heard).toEqual([
      ['request', { ...about(1), url }],
      ['response', { ...about(1), status: 503, requestId: null }, true],
      [
        'retry',
        { ...about(1), ...failed, delayMs: 499.5, durationMs: expect.any(Number) },
        'shutting_down',
      ],
      ['request', { ...about(2), url }],
      ['response', { ...about(2), status: 200, requestId: 'req_7' }, true],
    ]);
  });

  test('and reports a failed call once', async () => {
    const { heard, hooks } = notes();
    const { orders } = await createHookedClient(hooks, reset);
    await catchTradepostError(orders.get('ord_1', { maxRetries: 1 }));
    expect(heard.map(([what]) => what)).toEqual(['request', 'retry', 'request', 'error']);
    const durationMs = expect.any(Number);
    const unheard = { code: 'connection_failed', status: null, requestId: null, durationMs };
    expect(heard.at(-1)).toEqual(['error', { ...about(2), ...unheard }, 'connection_failed']);
  });

  test('but only onError when the call is aborted before its first attempt', async () => {
    const { heard, hooks } = notes();
    const { orders } = await createHookedClient(hooks, found);
    await catchTradepostError(orders.get('ord_1', { signal: AbortSignal.abort() }));
    expect(heard).toEqual([['error', expect.objectContaining(about(0)), 'aborted']]);
  });

  test('but only onError, with the path template, when the arguments cannot be sent', async () => {
    const { heard, hooks } = notes();
    const { orders } = await createHookedClient(hooks, found);
    await catchTradepostError(orders.get(''));
    const place = { method: 'GET', path: '/v1/orders/:id', attempt: 0 };
    expect(heard).toEqual([['error', expect.objectContaining(place), 'invalid_configuration']]);
  });

  test('with the headers of the response and the error itself', async () => {
    const seen: unknown[] = [];
    const { orders } = await createHookedClient(
      {
        onResponse: ({ headers }) => {
          seen.push(headers.get('x-request-id'));
        },
        onError: ({ error }) => {
          seen.push(error);
        },
      },
      problem(404, 'order_not_found', { 'X-Request-Id': 'req_9' }),
    );
    expect(seen).toEqual([]);
    const error = await catchTradepostError(orders.get('ord_1'));
    expect(seen).toEqual(['req_9', error]);
  });
});

test('the client calls a hook with its own this', async () => {
  class Tracer {
    heard = '';
    onRequest() {
      this.heard += 'request ';
    }
    onResponse() {
      this.heard += 'response ';
    }
    onRetry() {
      this.heard += 'retry ';
    }
    onError() {
      this.heard += 'error';
    }
  }
  const tracer = new Tracer();
  const { orders, errors } = await createHookedClient(tracer, busy);
  await catchTradepostError(orders.get('ord_1', { maxRetries: 1 }));
  expect(tracer.heard).toBe('request response retry request response error');
  expect(errors).toEqual([]);
});

describe('an error in a hook other than onRequest does not affect the call', () => {
  const thrower = () => {
    throw new Error('boom tpk_test');
  };
  const rejecter = () => Promise.reject(new Error('boom tpk_test'));

  test.each([
    ['throw', thrower],
    ['reject', rejecter],
  ])('when the hook %s: the logger reports it', async (_, hook) => {
    const hooks = { onResponse: hook, onRetry: hook, onError: hook };
    const { orders, errors } = await createHookedClient(hooks, busy, found, busy);
    expect(await orders.get('ord_1')).toEqual(anOrder());
    expect((await catchTradepostError(orders.get('ord_1', { maxRetries: 0 }))).code).toBe(
      'shutting_down',
    );
    const describeError = (name: string) => `The ${name} hook threw: boom [redacted].`;
    expect(errors).toEqual(
      ['onResponse', 'onRetry', 'onResponse', 'onResponse', 'onError'].map(describeError),
    );
  });

  test.each([Object.create(null), Symbol('boom'), undefined, 'boom'])(
    'when the hook throws a value that is not an Error',
    async (thrown) => {
      const hook = () => {
        throw thrown;
      };
      const hooks = { onResponse: hook, onError: () => Promise.reject(thrown) };
      const { orders, errors } = await createHookedClient(hooks, found, busy);
      expect(await orders.get('ord_1')).toEqual(anOrder());
      await catchTradepostError(orders.get('ord_1', { maxRetries: 0 }));
      expect(errors).toHaveLength(3);
      const failing = await createHookedClient({ onRequest: hook }, found);
      expect((await catchTradepostError(failing.orders.get('ord_1'))).code).toBe('hook_failed');
    },
  );

  test('when the hook returns a rejected promise of another realm', async () => {
    const onResponse: () => Promise<void> = runInNewContext(
      '() => Promise.reject(new Error("boom"))',
    );
    const { orders, errors } = await createHookedClient({ onResponse }, found);
    await orders.get('ord_1');
    // The error is reported a few turns later, before the next response.
    await orders.get('ord_1');
    expect(errors[0]).toMatch(/^The onResponse hook threw: /);
  });

  test('when there is no logger', async () => {
    const service = await scriptedService(found);
    const hooks = { onResponse: rejecter };
    const { orders } = new Tradepost({ ...service, apiKey: 'tpk_test', hooks });
    expect(await orders.get('ord_1')).toEqual(anOrder());
  });
});
