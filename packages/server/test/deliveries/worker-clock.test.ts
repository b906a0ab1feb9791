import { beforeEach, describe, expect, test } from 'vitest';
import { leaseTime, retryWindow } from '../../src/deliveries/delivery';
import { noon } from '../builders';
import { answer, inTurn } from '../receiver';
import { DeliveryRig } from './delivery-rig';

/** A worker looks once a second, and once more for what that brings. */
const lookAtLatest = 2_000;

let rig: DeliveryRig;

beforeEach(async () => {
  rig = await DeliveryRig.open();
});

describe('a worker goes on when the clock is', () => {
  test.each([2_000, 3_600_000, 30 * 24 * 3_600_000])(
    'set back by %i ms: a retry waits no longer than it had to',
    async (by) => {
      rig.start();
      const { receiver } = await rig.receiver(inTurn(answer(500), answer(200), answer(200)));
      await rig.place();
      const { nextAttemptAt } = await rig.recorded();
      rig.clock.set(noon - by);
      await rig.place();
      expect(await rig.recorded()).toMatchObject({ state: 'delivered' });
      expect(receiver.count).toBe(2);
      await rig.clock.advance(Number(nextAttemptAt) - noon + lookAtLatest);
      expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 2 });
    },
  );

  test('set back while an attempt is in flight: its retry comes as soon as any', async () => {
    const responses: (() => void)[] = [];
    rig.start();
    const { receiver } = await rig.receiver((response) => {
      const status = responses.length === 0 ? 500 : 204;
      responses.push(() => response.writeHead(status).end());
      if (status === 204) responses.at(-1)?.();
    });
    await rig.place();
    await receiver.next();
    rig.clock.set(noon - 3_600_000);
    await rig.clock.advance(lookAtLatest);
    responses[0]?.();
    const { nextAttemptAt } = await rig.recorded();
    expect(Number(nextAttemptAt) - rig.clock.now()).toBeLessThanOrEqual(5_500);
    await rig.clock.advance(5_500 + lookAtLatest);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 2 });
  });

  test('set back: an endpoint that asked for time has it, and no more', async () => {
    rig.start();
    await rig.receiver(inTurn(answer(429, { 'Retry-After': '60' }), answer(200)));
    await rig.place();
    await rig.recorded();
    rig.clock.set(noon - 3_600_000);
    await rig.clock.advance(59_000);
    expect(await rig.store.deliveries.nextDueAt()).toBeGreaterThan(rig.clock.now());
    await rig.clock.advance(1_000 + lookAtLatest);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 2 });
  });

  test('set back while nobody worked: what a dead worker had is made again when a lease has passed', async () => {
    const { receiver } = await rig.receiver(answer(200));
    await rig.place();
    const lost = { now: noon, leaseUntil: noon + leaseTime, token: 'lost', limit: 1 };
    expect(await rig.store.deliveries.claimDue(lost)).toHaveLength(1);
    rig.clock.set(noon - 3_600_000);
    rig.start();
    await rig.clock.advance(leaseTime - 1_000);
    expect(receiver.count).toBe(0);
    await rig.clock.advance(1_000 + lookAtLatest);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('set back: attempts that are in flight leave room for others after their first second', async () => {
    const worker = rig.start();
    const { receiver } = await rig.receiver(answer(200));
    for (let count = 0; count < 3; count += 1) {
      rig.clock.set(rig.clock.now() - 3_600_000);
      await rig.place();
      expect(await rig.recorded()).toMatchObject({ state: 'delivered' });
    }
    expect(receiver.count).toBe(3);
    await rig.stop(worker);
  });

  test('set forward: what is in flight is not sent a second time', async () => {
    const responses: (() => void)[] = [];
    rig.start();
    const { receiver } = await rig.receiver((response) => {
      responses.push(() => response.writeHead(200).end());
    });
    await rig.place();
    await receiver.next();
    rig.clock.set(noon + 3_600_000);
    await rig.clock.advance(lookAtLatest);
    expect(receiver.count).toBe(1);
    for (const respond of responses) respond();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    expect(receiver.count).toBe(1);
  });

  test('set ahead: nothing is tried after its deadline, which is told', async () => {
    const { receiver } = await rig.receiver(answer(500));
    await rig.place();
    rig.clock.set(noon + retryWindow + 1);
    rig.start();
    const line = await rig.book.next(
      'given up: the deadline passed before it could be tried again',
    );
    expect(line.deliveryId).toMatch(/^dlv_/);
    expect(receiver.count).toBe(0);
    expect(await rig.store.deliveries.nextDueAt()).toBeNull();
  });
});
