import { describe, expect, test } from 'vitest';
import { findUnusedPort } from '../../../../test/helpers/loopback';
import { createTestClient } from '../helpers/a-client';
import { catchTradepostError } from '../helpers/catch-tradepost-error';
import {
  json,
  problem,
  reset,
  type Step,
  scriptedService,
  text,
} from '../helpers/scripted-service';

describe('a change of a webhook', () => {
  const webhook = { id: 'whk_1', status: 'paused' };

  test.each<[string, Step]>([
    ['a lost response', reset],
    ['a 500', problem(500, 'internal_error')],
    ["a proxy's 504", text(504, '<html>')],
  ])('is not repeated after %s, because it could undo a later change', async (_, step) => {
    const service = await scriptedService(step, json(200, { data: webhook }));
    await catchTradepostError(
      createTestClient(service).webhooks.update('whk_1', { status: 'paused' }),
    );
    expect(service.seen).toHaveLength(1);
  });

  test('is retried if it certainly was not applied', async () => {
    const service = await scriptedService(
      problem(503, 'shutting_down'),
      problem(429, 'rate_limited'),
      json(200, { data: webhook }),
    );
    await createTestClient(service).webhooks.update('whk_1', { status: 'paused' });
    expect(service.seen).toHaveLength(3);
  });
});

describe('a rejected retry', () => {
  const doneBefore = 'An earlier attempt may have been applied: check before you retry.';
  const updateAgainst = async (...steps: Step[]) =>
    catchTradepostError(
      createTestClient(await scriptedService(...steps)).orders.update('ord_1', {
        status: 'confirmed',
      }),
    );

  test('with 503 overloaded reports it too, because that was about the last attempt', async () => {
    const { message } = await updateAgainst(reset, problem(503, 'overloaded'));
    expect(message).toContain(`Detail of overloaded. ${doneBefore}`);
  });

  test.each([
    [403, 'account_kind_not_allowed'],
    [404, 'order_not_found'],
    [409, 'invalid_transition'],
    [412, 'precondition_failed'],
  ])('with %i reports that the change may have been applied', async (status, code) => {
    const error = await updateAgainst(reset, problem(status, code));
    expect(error.message).toBe(
      `PATCH /v1/orders/ord_1 failed with ${status} ${code}: Detail of ${code}. ${doneBefore} (request req_1, 2 attempts)`,
    );
  });

  test.each<[string, boolean, Step[]]>([
    ['a lost response and a rate limit', true, [reset, problem(429, 'rate_limited')]],
    ["a proxy's 502 and a lost response", true, [text(502, '<html>'), reset]],
    ['limits alone', false, [problem(429, 'rate_limited')]],
    ['an overload', false, [problem(503, 'overloaded')]],
    [
      'a shutdown and an overload',
      false,
      [problem(503, 'shutting_down'), problem(503, 'overloaded')],
    ],
    ['a lost response and an overload', true, [reset, problem(503, 'overloaded')]],
    ["a proxy's 502 and a shutdown", true, [text(502, '<html>'), problem(503, 'shutting_down')]],
    [
      'an unavailable store and an overload',
      true,
      [problem(503, 'store_unavailable'), problem(503, 'overloaded')],
    ],
    [
      'an unavailable store and a rate limit',
      true,
      [problem(503, 'store_unavailable'), problem(429, 'rate_limited')],
    ],
    ['an unavailable store', true, [problem(503, 'store_unavailable')]],
    ['a 503 with another problem', true, [problem(503, 'maintenance')]],
    ['a 503 that only mentions an overload', true, [json(503, { error: 'overloaded' })]],
    ['a 503 without a problem', true, [text(503, 'overloaded')]],
    ['a 500 with that code', true, [problem(500, 'overloaded')]],
    ['a rejection', false, [problem(409, 'invalid_transition')]],
  ])('after %s sets mayHaveBeenApplied to %s', async (_, mayHaveBeenApplied, steps) => {
    expect(await updateAgainst(...steps)).toMatchObject({ mayHaveBeenApplied });
  });

  test.each(['bad port', 'a dead port'])(
    'after %s reports that nothing was applied',
    async (kind) => {
      const port = kind === 'bad port' ? 1 : await findUnusedPort();
      const { orders } = createTestClient({ baseUrl: `http://127.0.0.1:${port}` });
      const error = await catchTradepostError(orders.create({ listingId: 'lst_1', quantity: 1 }));
      const unsent = { notSent: true, mayHaveBeenApplied: false };
      expect(error).toMatchObject({ code: 'connection_failed', ...unsent });
      expect(error.message).toContain('(4 attempts)');
    },
  );

  test.each([
    [true, 'EPROTO', 'write EPROTO error:0A00010B:SSL routines::wrong version number'],
    [false, 'EPROTO', 'write EPROTO'],
    [false, 'ERR_SSL_WRONG_VERSION_NUMBER', 'error:0A00010B:SSL routines::wrong version number'],
  ])(
    'after a server that does not speak TLS has notSent %s with %s: %s',
    async (notSent, code, message) => {
      const fetch = async () => {
        throw new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) });
      };
      const { orders } = createTestClient({ baseUrl: 'https://127.0.0.1', fetch });
      const error = await catchTradepostError(orders.create({ listingId: 'lst_1', quantity: 1 }));
      expect(error).toMatchObject({
        code: 'connection_failed',
        notSent,
        mayHaveBeenApplied: !notSent,
      });
    },
  );

  test('is not reported as not sent when its response was lost', async () => {
    const error = await updateAgainst(reset);
    expect(error).toMatchObject({ code: 'connection_failed', notSent: false });
  });

  test('reports it too when the next attempt was not sent', async () => {
    const rejections = [reset, problem(429, 'rate_limited'), text(403, '<html>')];
    expect((await updateAgainst(...rejections)).message).toContain(doneBefore);
  });

  test('does not mention it when no earlier attempt took effect', async () => {
    const error = await updateAgainst(
      problem(429, 'rate_limited'),
      problem(409, 'invalid_transition'),
    );
    expect(error.message).not.toContain('earlier attempt');
  });

  test('does not mention it for a call that is safe to repeat: a GET, a POST with its key', async () => {
    const rejecting = [reset, problem(403, 'account_kind_not_allowed')];
    const { orders } = createTestClient(await scriptedService(...rejecting, ...rejecting));
    expect((await catchTradepostError(orders.get('ord_1'))).message).not.toContain(
      'earlier attempt',
    );
    expect(
      (await catchTradepostError(orders.create({ listingId: 'lst_1', quantity: 5 }))).message,
    ).not.toContain('earlier attempt');
  });
});
