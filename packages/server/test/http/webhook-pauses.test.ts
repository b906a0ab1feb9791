import type { WebhookDetails } from '@tradepost/contract';
import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTurn, respond } from '../helpers/receiver';
import { DeliveringService, type Hook } from './delivering-service';
import { getData } from './service';

let harness: DeliveringService;

beforeEach(async () => {
  harness = await DeliveringService.start();
});
afterEach(() => harness.close());

async function change({ webhook }: Hook, body: object): Promise<WebhookDetails> {
  const path = `PATCH /v1/webhooks/${webhook.id}`;
  return getData<WebhookDetails>(await harness.service.request(path, { as: harness.buyer, body }));
}

const pause = (hook: Hook) => change(hook, { status: 'paused' });
const resume = (hook: Hook) => change(hook, { status: 'active' });

describe('a paused webhook', () => {
  it('gets neither pending nor new deliveries, and gets all of them once it is resumed', async () => {
    const hook = await harness.hook(inTurn(respond(500), respond(200)));
    const waiting = await harness.placeAndRecord();
    await pause(hook);
    await harness.clock.advance(3_600_000);
    const fresh = await harness.place();
    await harness.clock.advance(3_600_000);
    expect(hook.receiver.count).toBe(1);
    expect(await harness.deliveries('?state=pending')).toMatchObject([
      { nextAttemptAt: null, attemptCount: 0 },
      { nextAttemptAt: null, attemptCount: 1 },
    ]);
    expect(await resume(hook)).toMatchObject({ status: 'active', pendingDeliveries: 2 });
    await harness.recorded();
    await harness.recorded();
    const bodies: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      bodies.push((await hook.receiver.next()).body.toString());
    }
    const ids = [waiting.id, waiting.id, fresh.id];
    for (const [index, id] of ids.entries()) expect(bodies[index]).toContain(id);
    expect(await harness.deliveries('?state=delivered')).toHaveLength(2);
  });

  it('does not extend deadlines: a delivery that waited for 24 hours has failed, and can be replayed', async () => {
    const hook = await harness.hook(respond(200));
    await pause(hook);
    await harness.place();
    harness.clock.set(noon + retryWindowMs + 1);
    await resume(hook);
    await harness.logs.next('delivery failed: its deadline passed before the next attempt');
    const failed = await harness.newest();
    expect(failed).toMatchObject({ state: 'failed', attemptCount: 0, attempts: [] });
    await harness.service.request(`POST /v1/deliveries/${failed.id}/replay`, { as: harness.buyer });
    await harness.recorded();
    expect(await harness.newest()).toMatchObject({ state: 'delivered', attemptCount: 1 });
  });

  it('finishes an attempt in flight as usual', async () => {
    const inHand: (() => void)[] = [];
    const hook = await harness.hook((response) => {
      inHand.push(() => response.writeHead(200).end());
    });
    await harness.place();
    await hook.receiver.next();
    await pause(hook);
    inHand[0]?.();
    await harness.recorded();
    expect(await harness.newest()).toMatchObject({ state: 'delivered', attemptCount: 1 });
  });

  it('does not delay other webhooks', async () => {
    const paused = await harness.hook(respond(200));
    const other = await harness.hook(respond(200));
    await pause(paused);
    await harness.placeAndRecord();
    expect([paused.receiver.count, other.receiver.count]).toEqual([0, 1]);
  });
});

describe('an endpoint in backoff', () => {
  it('gets an attempt at once when its webhook is resumed', async () => {
    const rejections = Array.from({ length: 5 }, () => respond(500));
    const hook = await harness.hook(inTurn(...rejections, respond(200)));
    await harness.failUntilBackoff();
    expect((await pause(hook)).backoffUntil).not.toBeNull();
    expect(await resume(hook)).toMatchObject({ backoffUntil: null, consecutiveFailures: 5 });
    await harness.skipToNext();
    await harness.recorded();
    expect(hook.receiver.count).toBe(6);
    expect(await harness.see(`/v1/webhooks/${hook.webhook.id}`)).toMatchObject({
      consecutiveFailures: 0,
      backoffUntil: null,
    });
  });

  it('gets an attempt at once at its new URL', async () => {
    const hook = await harness.hook(respond(500));
    const moved = await harness.hook(respond(200), {
      as: harness.seller,
      events: ['task.completed'],
    });
    await harness.failUntilBackoff();
    await harness.place();
    expect(hook.receiver.count).toBe(5);
    const changed = await change(hook, { url: `${moved.receiver.origin}/moved` });
    expect(changed).toMatchObject({ backoffUntil: null, pendingDeliveries: 2 });
    await harness.recorded();
    expect((await moved.receiver.next()).path).toBe('/moved');
    expect(hook.receiver.count).toBe(5);
  });

  it('stays in backoff when its values are repeated, or its events change', async () => {
    const hook = await harness.hook(respond(500));
    await harness.failUntilBackoff();
    const { backoffUntil } = await resume(hook);
    expect(backoffUntil).not.toBeNull();
    const events = ['order.created', 'task.completed'];
    expect(await change(hook, { events, url: hook.webhook.url })).toMatchObject({ backoffUntil });
  });
});

describe('a change of events', () => {
  it('applies to later events', async () => {
    const hook = await harness.hook(respond(200));
    await change(hook, { events: ['task.approval_requested'] });
    await harness.placeAndRecord();
    const { body } = await hook.receiver.next();
    expect(JSON.parse(body.toString())).toMatchObject({ event: 'task.approval_requested' });
    expect(await harness.deliveries()).toHaveLength(1);
  });
});

describe('a deleted webhook', () => {
  it('gets neither pending nor new deliveries', async () => {
    const hook = await harness.hook(respond(500));
    await harness.placeAndRecord();
    await harness.service.request(`DELETE /v1/webhooks/${hook.webhook.id}`, { as: harness.buyer });
    await harness.place();
    await harness.clock.advance(3_600_000);
    expect(hook.receiver.count).toBe(1);
    expect(await harness.deliveries()).toEqual([]);
  });

  it('finishes an attempt in flight without an error', async () => {
    const inHand: (() => void)[] = [];
    const hook = await harness.hook((response) => {
      inHand.push(() => response.writeHead(500).end());
    });
    await harness.place();
    await hook.receiver.next();
    await harness.service.request(`DELETE /v1/webhooks/${hook.webhook.id}`, { as: harness.buyer });
    inHand[0]?.();
    await harness.recorded();
    await harness.clock.advance(3_600_000);
    expect(hook.receiver.count).toBe(1);
  });
});
