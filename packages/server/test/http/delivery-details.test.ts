import type { DeliveryDetails } from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retryWindow } from '../../src/deliveries/delivery';
import { signBody, signStandard } from '../../src/deliveries/sign';
import { noon } from '../builders';
import { answer, inTurn, type Respond } from '../receiver';
import { DeliveringService } from './delivering-service';
import { dataOf, problemIn } from './service';

let rig: DeliveringService;

beforeEach(async () => {
  rig = await DeliveringService.start();
});
afterEach(() => rig.close());

const iso = (time: number) => new Date(time).toISOString();

describe('GET /v1/deliveries/:id', () => {
  it('shows the exact body, and each attempt as it was sent and answered', async () => {
    // A connection that was used before could be reset for its age: then the attempt is made on another.
    const late = answer(503, { Connection: 'close' }, 'später “bitte”');
    const reset: Respond = (_response, request) => request.socket.resetAndDestroy();
    const { receiver, webhook } = await rig.hook(inTurn(late, reset, answer(202, {}, 'ok')));
    await rig.placeAndRecord();
    for (let count = 1; count < 3; count += 1) {
      await rig.skipToNext();
      await rig.recorded();
    }
    const details = await rig.newest();
    expect(details).toMatchObject({ state: 'delivered', attempts: 3, lastStatus: 202 });
    expect(details.attemptLog).toMatchObject([
      { number: 1, status: 503, error: null, excerpt: 'später “bitte”' },
      { number: 2, status: null, error: 'connection_reset', excerpt: '' },
      { number: 3, status: 202, error: null, excerpt: 'ok' },
    ]);
    const { secret, url } = webhook;
    for (const { startedAt, duration, url: to, headers } of details.attemptLog) {
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
      expect([to, duration >= 0]).toEqual([url, true]);
    }
    const times = details.attemptLog.map(({ startedAt }) => startedAt);
    expect(new Set(times).size).toBe(3);
    expect(times.toSorted()).toEqual(times);
  });

  it('tells when the next attempt is due, which is made then and not before', async () => {
    const { receiver } = await rig.hook(inTurn(answer(500), answer(200)));
    await rig.placeAndRecord();
    const { nextAttemptAt, deadlineAt, finishedAt, state } = await rig.newest();
    expect([state, deadlineAt, finishedAt]).toEqual(['pending', iso(noon + retryWindow), null]);
    const due = Date.parse(String(nextAttemptAt));
    expect(due).toBeGreaterThanOrEqual(noon + 5_000);
    await rig.clock.advance(due - rig.clock.now() - 1);
    expect(receiver.count).toBe(1);
    await rig.clock.advance(2);
    await rig.recorded();
    expect(await rig.newest()).toMatchObject({ state: 'delivered', nextAttemptAt: null });
  });

  it('tells of no next attempt while one is under way', async () => {
    const inHand: (() => void)[] = [];
    const { receiver } = await rig.hook((response) => {
      inHand.push(() => response.writeHead(200).end());
    });
    await rig.place();
    await receiver.next();
    const details = await rig.newest();
    expect(details).toMatchObject({ state: 'pending', attempts: 0, nextAttemptAt: null });
    expect(details.attemptLog).toEqual([]);
    inHand[0]?.();
    await rig.recorded();
    expect(await rig.newest()).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('tells that an attempt waits for an endpoint that is held', async () => {
    const { webhook } = await rig.hook(answer(500));
    await rig.failUntilHeld();
    await rig.place();
    const { heldUntil } = await rig.see<{ heldUntil: string }>(`/v1/webhooks/${webhook.id}`);
    expect(Date.parse(heldUntil)).toBeGreaterThan(rig.clock.now());
    expect(await rig.newest()).toMatchObject({ attempts: 0, nextAttemptAt: heldUntil });
  });

  it('shows what was sent before a change of url as it was sent', async () => {
    const { webhook } = await rig.hook(answer(500));
    const other = await rig.hook(answer(200), { as: rig.seller, events: ['task.completed'] });
    await rig.placeAndRecord();
    const url = `${other.receiver.origin}/moved`;
    const path = `PATCH /v1/webhooks/${webhook.id}`;
    await rig.service.ask(path, { as: rig.buyer, body: { url } });
    await rig.skipToNext();
    await rig.recorded();
    const { attemptLog } = await rig.newest();
    expect(attemptLog.map((attempt) => attempt.url)).toEqual([webhook.url, url]);
  });

  it('does not tell a delivery of somebody else from one that does not exist', async () => {
    await rig.hook(answer(200), { as: rig.seller });
    await rig.placeAndRecord();
    const theirs = dataOf<DeliveryDetails[]>(
      await rig.service.ask('GET /v1/deliveries', { as: rig.seller }),
    );
    const id = String(theirs[0]?.id);
    const ask = (what: string) => rig.service.ask(what, { as: rig.buyer });
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', '/replay'],
    ]) {
      const hidden = problemIn(await ask(`${method} /v1/deliveries/${id}${rest}`));
      const missing = problemIn(await ask(`${method} /v1/deliveries/dlv_none${rest}`));
      expect(hidden).toMatchObject({ status: 404, code: 'delivery_not_found' });
      expect(hidden.detail.replace(id, 'dlv_none')).toBe(missing.detail);
    }
  });
});
