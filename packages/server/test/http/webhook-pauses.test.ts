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

  it('stays in backoff when its values are repeated, or its events change', async () => {
    const hook = await harness.hook(respond(500));
    await harness.failUntilBackoff();
    const { backoffUntil } = await resume(hook);
    expect(backoffUntil).not.toBeNull();
    const events = ['order.created', 'task.completed'];
    expect(await change(hook, { events, url: hook.webhook.url })).toMatchObject({ backoffUntil });
  });
});
