import type { DeliveryDetails } from '@tradepost/contract';
import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signBody, signStandard } from '../../src/engine/attempt/delivery-headers';
import { inTurn, type Respond, respond } from '../helpers/receiver';
import { DeliveringService } from './delivering-service';
import { getData, getProblem } from './service';

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

const iso = (time: number) => new Date(time).toISOString();

describe('GET /v1/deliveries/:id', () => {
  it('returns the exact body, and the request and response of each attempt', async () => {
    // An old connection could be reset; then the attempt uses another one.
    const late = respond(503, { Connection: 'close' }, 'später “bitte”');
    const reset: Respond = (_response, request) => request.socket.resetAndDestroy();
    const { receiver, webhook } = await harness.hook(inTurn(late, reset, respond(202, {}, 'ok')));
    await harness.placeAndRecord();
    for (let count = 1; count < 3; count += 1) {
      await harness.skipToNext();
      await harness.recorded();
    }
    const details = await harness.newest();
    expect(details).toMatchObject({ state: 'delivered', attemptCount: 3, lastStatus: 202 });
    expect(details.attempts).toMatchObject([
      { number: 1, status: 503, error: null, responseSnippet: 'später “bitte”' },
      { number: 2, status: null, error: 'connection_reset', responseSnippet: '' },
      { number: 3, status: 202, error: null, responseSnippet: 'ok' },
    ]);
    const { secret, url } = webhook;
    for (const { startedAt, durationMs, url: to, headers } of details.attempts) {
      const received = await receiver.next();
      expect(received.body.toString()).toBe(details.body);
      for (const [name, value] of Object.entries(headers)) {
        expect(received.headers[name.toLowerCase()]).toBe(value);
      }
      const seconds = Math.floor(Date.parse(startedAt) / 1_000);
      expect(headers).toMatchObject({
        'Service-Signature': signBody(secret, details.body),
        'webhook-id': details.eventId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signStandard(secret, details.eventId, seconds, details.body),
      });
      expect([to, durationMs >= 0]).toEqual([url, true]);
    }
    const times = details.attempts.map(({ startedAt }) => startedAt);
    expect(new Set(times).size).toBe(3);
    expect(times.toSorted()).toEqual(times);
  });

  it('returns when the next attempt is due, which is then made and not before', async () => {
    const { receiver } = await harness.hook(inTurn(respond(500), respond(200)));
    await harness.placeAndRecord();
    const { nextAttemptAt, deadlineAt, finishedAt, state } = await harness.newest();
    expect([state, deadlineAt, finishedAt]).toEqual(['pending', iso(noon + retryWindowMs), null]);
    const due = Date.parse(String(nextAttemptAt));
    expect(due).toBeGreaterThanOrEqual(noon + 5_000);
    await harness.clock.advance(due - harness.clock.now() - 1);
    expect(receiver.count).toBe(1);
    await harness.clock.advance(2);
    await harness.recorded();
    expect(await harness.newest()).toMatchObject({ state: 'delivered', nextAttemptAt: null });
  });

  it('returns no next attempt while one is in flight', async () => {
    const inHand: (() => void)[] = [];
    const { receiver } = await harness.hook((response) => {
      inHand.push(() => response.writeHead(200).end());
    });
    await harness.place();
    await receiver.next();
    const details = await harness.newest();
    expect(details).toMatchObject({ state: 'pending', attemptCount: 0, nextAttemptAt: null });
    expect(details.attempts).toEqual([]);
    inHand[0]?.();
    await harness.recorded();
    expect(await harness.newest()).toMatchObject({ state: 'delivered', attemptCount: 1 });
  });

  it('returns when the backoff of its endpoint ends', async () => {
    const { webhook } = await harness.hook(respond(500));
    await harness.failUntilBackoff();
    await harness.place();
    const { backoffUntil } = await harness.see<{ backoffUntil: string }>(
      `/v1/webhooks/${webhook.id}`,
    );
    expect(Date.parse(backoffUntil)).toBeGreaterThan(harness.clock.now());
    expect(await harness.newest()).toMatchObject({ attemptCount: 0, nextAttemptAt: backoffUntil });
  });

  it('does not distinguish a delivery of another account from a missing one', async () => {
    await harness.hook(respond(200), { as: harness.seller });
    await harness.placeAndRecord();
    const theirs = getData<DeliveryDetails[]>(
      await harness.service.request('GET /v1/deliveries', { as: harness.seller }),
    );
    const id = String(theirs[0]?.id);
    const request = (what: string) => harness.service.request(what, { as: harness.buyer });
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/replay'],
    ]) {
      const hidden = getProblem(await request(`${method} /v1/deliveries/${id}${rest}`));
      const missing = getProblem(await request(`${method} /v1/deliveries/dlv_none${rest}`));
      expect(hidden).toMatchObject({ status: 404, code: 'delivery_not_found' });
      expect(hidden.detail.replace(id, 'dlv_none')).toBe(missing.detail);
    }
  });
});
