import { getEventListeners } from 'node:events';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { Tradepost, type TradepostHooks, type TradepostOptions } from '../src/index';
import { aPatientClient } from './support/a-client';
import { anOrder } from './support/an-order';
import { failureOf } from './support/failure-of';
import { hang, json, problem, reset, type Step, scriptedService } from './support/scripted-service';

const found = json(200, { data: anOrder() }, { 'X-Request-Id': 'req_7' });
const busy = problem(503, 'shutting_down');
const aNewOrder = { listingId: 'lst_1', quantity: 5 };

async function hookedClient(hooks: TradepostHooks, ...steps: Step[]) {
  const service = await scriptedService(...steps);
  const errors: string[] = [];
  const logger = { error: (message: string) => errors.push(message) };
  const options: TradepostOptions = { ...service, apiKey: 'tpk_test', hooks, logger };
  return { service, errors, ...aPatientClient(options) };
}

/** Hooks that write down what they hear. */
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

const about = (attempt: number) => ({ method: 'GET', path: '/v1/orders/ord_1', attempt });

describe('hooks hear of each attempt in turn', () => {
  test('when a call succeeds at the second attempt', async () => {
    const { heard, hooks } = notes();
    const { service, orders } = await hookedClient(hooks, busy, found);
    await orders.get('ord_1');
    const url = `${service.baseUrl}/v1/orders/ord_1`;
    const failed = { code: 'shutting_down', status: 503, requestId: 'req_1' };
    expect(heard).toEqual([
      ['request', { ...about(1), url }],
      ['response', { ...about(1), status: 503, requestId: null }, true],
      ['retry', { ...about(1), ...failed, delayMs: 499.5 }, 'shutting_down'],
      ['request', { ...about(2), url }],
      ['response', { ...about(2), status: 200, requestId: 'req_7' }, true],
    ]);
  });

  test('when it is given up, once', async () => {
    const { heard, hooks } = notes();
    const { orders } = await hookedClient(hooks, reset);
    await failureOf(orders.get('ord_1', { maxRetries: 1 }));
    expect(heard.map(([what]) => what)).toEqual(['request', 'retry', 'request', 'error']);
    const unheard = { code: 'connection_failed', status: null, requestId: null };
    expect(heard.at(-1)).toEqual(['error', { ...about(2), ...unheard }, 'connection_failed']);
  });

  test('when it is aborted before its first attempt', async () => {
    const { heard, hooks } = notes();
    const { orders } = await hookedClient(hooks, found);
    await failureOf(orders.get('ord_1', { signal: AbortSignal.abort() }));
    expect(heard).toEqual([['error', expect.objectContaining(about(0)), 'aborted']]);
  });

  test('when its arguments cannot be sent: there was no attempt, and the path is a template', async () => {
    const { heard, hooks } = notes();
    const { orders } = await hookedClient(hooks, found);
    await failureOf(orders.get(''));
    const place = { method: 'GET', path: '/v1/orders/:id', attempt: 0 };
    expect(heard).toEqual([['error', expect.objectContaining(place), 'invalid_configuration']]);
  });

  test('and get the headers of the answer, and the error itself', async () => {
    const seen: unknown[] = [];
    const { orders } = await hookedClient(
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
    const error = await failureOf(orders.get('ord_1'));
    expect(seen).toEqual(['req_9', error]);
  });
});

describe('onRequest', () => {
  test('sets headers of one attempt, also when it takes its time', async () => {
    const { service, orders } = await hookedClient(
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

  test('never sees the authorization, but may set one of its own', async () => {
    let seen: (string | null)[] = [];
    const { service, orders } = await hookedClient(
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
    const { service, orders } = await hookedClient(
      { onRequest: ({ headers, attempt }) => headers.set('Idempotency-Key', `mine-${attempt}`) },
      reset,
      json(201, { data: anOrder() }),
    );
    await orders.create(aNewOrder, { idempotencyKey: 'import-42' });
    const keys = service.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['import-42', 'import-42']);
  });

  test('may guard a change, which is then not repeated when its answer was lost', async () => {
    const { service, orders } = await hookedClient(
      { onRequest: ({ headers }) => headers.set('If-Match', '"3"') },
      reset,
      found,
    );
    await failureOf(orders.update('ord_1', { status: 'confirmed' }));
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
    const { service, orders, errors } = await hookedClient({ onRequest }, found);
    const error = await failureOf(orders.get('ord_1'));
    expect(error).toMatchObject({ name: 'TradepostError', code: 'hook_failed', status: null });
    expect(error.message).toBe(
      'GET /v1/orders/ord_1 was not sent, since the onRequest hook threw: no token.',
    );
    expect(error.cause).toMatchObject({ message: 'no token' });
    expect(service.seen).toHaveLength(0);
    expect(errors).toEqual([]);
  });

  test('that sets what HTTP does not allow fails the call too', async () => {
    const { service, orders } = await hookedClient(
      { onRequest: ({ headers }) => headers.set('x-note', 'line\nbreak') },
      found,
    );
    expect((await failureOf(orders.get('ord_1'))).code).toBe('hook_failed');
    expect(service.seen).toHaveLength(0);
  });

  test('that never ends is bounded by the timeout, and nothing is sent late', async () => {
    let goOn: () => void = () => undefined;
    const hung = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { service, orders } = await hookedClient({ onRequest: () => hung }, found);
    const call = orders.update(
      'ord_1',
      { status: 'confirmed' },
      { ifMatch: '"3"', timeout: 20, maxRetries: 1 },
    );
    expect((await failureOf(call)).message).toMatch(/within 20 ms.*\(2 attempts\)/);
    goOn();
    await hung;
    expect(service.seen).toHaveLength(0);
  });

  test('that never ends can be aborted', async () => {
    const stop = new AbortController();
    const onRequest = () => {
      stop.abort();
      return new Promise<void>(() => undefined);
    };
    const { service, orders } = await hookedClient({ onRequest }, hang);
    expect((await failureOf(orders.get('ord_1', { signal: stop.signal }))).code).toBe('aborted');
    expect(service.seen).toHaveLength(0);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });
});

test('hooks keep their this', async () => {
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
  const { orders, errors } = await hookedClient(tracer, busy);
  await failureOf(orders.get('ord_1', { maxRetries: 1 }));
  expect(tracer.heard).toBe('request response retry request response error');
  expect(errors).toEqual([]);
});

describe('what the other hooks throw changes nothing', () => {
  const thrower = () => {
    throw new Error('boom tpk_test');
  };
  const rejecter = () => Promise.reject(new Error('boom tpk_test'));

  test.each([
    ['throw', thrower],
    ['reject', rejecter],
  ])('when they %s: it goes to the logger', async (_, hook) => {
    const hooks = { onResponse: hook, onRetry: hook, onError: hook };
    const { orders, errors } = await hookedClient(hooks, busy, found, busy);
    expect(await orders.get('ord_1')).toEqual(anOrder());
    expect((await failureOf(orders.get('ord_1', { maxRetries: 0 }))).code).toBe('shutting_down');
    const told = (name: string) => `The ${name} hook threw: boom [redacted].`;
    expect(errors).toEqual(
      ['onResponse', 'onRetry', 'onResponse', 'onResponse', 'onError'].map(told),
    );
  });

  test.each([Object.create(null), Symbol('boom'), undefined, 'boom'])(
    'also when it is no Error',
    async (thrown) => {
      const hook = () => {
        throw thrown;
      };
      const hooks = { onResponse: hook, onError: () => Promise.reject(thrown) };
      const { orders, errors } = await hookedClient(hooks, found, busy);
      expect(await orders.get('ord_1')).toEqual(anOrder());
      await failureOf(orders.get('ord_1', { maxRetries: 0 }));
      expect(errors).toHaveLength(3);
      const refused = await hookedClient({ onRequest: hook }, found);
      expect((await failureOf(refused.orders.get('ord_1'))).code).toBe('hook_failed');
    },
  );

  test('when they reject with a promise of another realm', async () => {
    const onResponse: () => Promise<void> = runInNewContext(
      '() => Promise.reject(new Error("boom"))',
    );
    const { orders, errors } = await hookedClient({ onResponse }, found);
    await orders.get('ord_1');
    // It is heard of a few turns later: another answer takes more.
    await orders.get('ord_1');
    expect(errors[0]).toMatch(/^The onResponse hook threw: /);
  });

  test('also without a logger', async () => {
    const service = await scriptedService(found);
    const hooks = { onResponse: rejecter };
    const { orders } = new Tradepost({ ...service, apiKey: 'tpk_test', hooks });
    expect(await orders.get('ord_1')).toEqual(anOrder());
  });
});
