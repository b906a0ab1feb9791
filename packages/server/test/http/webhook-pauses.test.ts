import type { WebhookDetails } from '@tradepost/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retryWindow } from '../../src/deliveries/delivery';
import { noon } from '../builders';
import { answer, inTurn } from '../receiver';
import { DeliveringService, type Hook } from './delivering-service';
import { dataOf } from './service';

let rig: DeliveringService;

beforeEach(async () => {
  rig = await DeliveringService.start();
});
afterEach(() => rig.close());

async function change({ webhook }: Hook, body: object): Promise<WebhookDetails> {
  const path = `PATCH /v1/webhooks/${webhook.id}`;
  return dataOf<WebhookDetails>(await rig.service.ask(path, { as: rig.buyer, body }));
}

const pause = (hook: Hook) => change(hook, { status: 'paused' });
const resume = (hook: Hook) => change(hook, { status: 'active' });

describe('a paused webhook', () => {
  it('is sent nothing, neither what waits nor what is new, and gets all of it once it is resumed', async () => {
    const hook = await rig.hook(inTurn(answer(500), answer(200)));
    const waiting = await rig.placeAndRecord();
    await pause(hook);
    await rig.clock.advance(3_600_000);
    const fresh = await rig.place();
    await rig.clock.advance(3_600_000);
    expect(hook.receiver.count).toBe(1);
    expect(await rig.deliveries('?state=pending')).toMatchObject([
      { nextAttemptAt: null, attempts: 0 },
      { nextAttemptAt: null, attempts: 1 },
    ]);
    expect(await resume(hook)).toMatchObject({ status: 'active', pendingDeliveries: 2 });
    await rig.recorded();
    await rig.recorded();
    const bodies: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      bodies.push((await hook.receiver.next()).body.toString());
    }
    const ids = [waiting.id, waiting.id, fresh.id];
    for (const [index, id] of ids.entries()) expect(bodies[index]).toContain(id);
    expect(await rig.deliveries('?state=delivered')).toHaveLength(2);
  });

  it('does not gain time: what waited for 24 hours has failed, and can be replayed', async () => {
    const hook = await rig.hook(answer(200));
    await pause(hook);
    await rig.place();
    rig.clock.set(noon + retryWindow + 1);
    await resume(hook);
    await rig.book.next('given up: the deadline passed before it could be tried again');
    const failed = await rig.newest();
    expect(failed).toMatchObject({ state: 'failed', attempts: 0, attemptLog: [] });
    await rig.service.ask(`POST /v1/deliveries/${failed.id}/replay`, { as: rig.buyer });
    await rig.recorded();
    expect(await rig.newest()).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('ends an attempt that is under way as any', async () => {
    const inHand: (() => void)[] = [];
    const hook = await rig.hook((response) => {
      inHand.push(() => response.writeHead(200).end());
    });
    await rig.place();
    await hook.receiver.next();
    await pause(hook);
    inHand[0]?.();
    await rig.recorded();
    expect(await rig.newest()).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  it('keeps no other webhook waiting', async () => {
    const paused = await rig.hook(answer(200));
    const other = await rig.hook(answer(200));
    await pause(paused);
    await rig.placeAndRecord();
    expect([paused.receiver.count, other.receiver.count]).toEqual([0, 1]);
  });
});

describe('an endpoint that was held', () => {
  it('is tried at once when its webhook is resumed', async () => {
    const refusals = Array.from({ length: 5 }, () => answer(500));
    const hook = await rig.hook(inTurn(...refusals, answer(200)));
    await rig.failUntilHeld();
    expect((await pause(hook)).heldUntil).not.toBeNull();
    expect(await resume(hook)).toMatchObject({ heldUntil: null, consecutiveFailures: 5 });
    await rig.skipToNext();
    await rig.recorded();
    expect(hook.receiver.count).toBe(6);
    expect(await rig.see(`/v1/webhooks/${hook.webhook.id}`)).toMatchObject({
      consecutiveFailures: 0,
      heldUntil: null,
    });
  });

  it('is tried at its new address at once', async () => {
    const hook = await rig.hook(answer(500));
    const moved = await rig.hook(answer(200), { as: rig.seller, events: ['task.completed'] });
    await rig.failUntilHeld();
    await rig.place();
    expect(hook.receiver.count).toBe(5);
    const changed = await change(hook, { url: `${moved.receiver.origin}/moved` });
    expect(changed).toMatchObject({ heldUntil: null, pendingDeliveries: 2 });
    await rig.recorded();
    expect((await moved.receiver.next()).path).toBe('/moved');
    expect(hook.receiver.count).toBe(5);
  });

  it('stays held when it is told to be what it is, or to take other events', async () => {
    const hook = await rig.hook(answer(500));
    await rig.failUntilHeld();
    const { heldUntil } = await resume(hook);
    expect(heldUntil).not.toBeNull();
    const events = ['order.created', 'task.completed'];
    expect(await change(hook, { events, url: hook.webhook.url })).toMatchObject({ heldUntil });
  });
});

describe('a change of events', () => {
  it('holds for what happens from then on', async () => {
    const hook = await rig.hook(answer(200));
    await change(hook, { events: ['task.approval_requested'] });
    await rig.placeAndRecord();
    const { body } = await hook.receiver.next();
    expect(JSON.parse(body.toString())).toMatchObject({ event: 'task.approval_requested' });
    expect(await rig.deliveries()).toHaveLength(1);
  });
});

describe('a removed webhook', () => {
  it('is sent nothing any more, neither what waits nor what is new', async () => {
    const hook = await rig.hook(answer(500));
    await rig.placeAndRecord();
    await rig.service.ask(`DELETE /v1/webhooks/${hook.webhook.id}`, { as: rig.buyer });
    await rig.place();
    await rig.clock.advance(3_600_000);
    expect(hook.receiver.count).toBe(1);
    expect(await rig.deliveries()).toEqual([]);
  });

  it('ends an attempt that is under way without trouble', async () => {
    const inHand: (() => void)[] = [];
    const hook = await rig.hook((response) => {
      inHand.push(() => response.writeHead(500).end());
    });
    await rig.place();
    await hook.receiver.next();
    await rig.service.ask(`DELETE /v1/webhooks/${hook.webhook.id}`, { as: rig.buyer });
    inHand[0]?.();
    await rig.recorded();
    await rig.clock.advance(3_600_000);
    expect(hook.receiver.count).toBe(1);
  });
});
