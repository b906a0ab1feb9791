import { leaseMs, retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import { beforeEach, describe, expect, test } from 'vitest';
import { inTurn, respond } from '../helpers/receiver';
import { DeliveryHarness } from './delivery-harness';

/** A worker polls once a second, and polls again when it found something. */
const maxPollDelay = 2_000;

let harness: DeliveryHarness;

beforeEach(async () => {
  harness = await DeliveryHarness.open();
});

describe('a worker continues when the clock is', () => {
  test.each([2_000, 3_600_000, 30 * 24 * 3_600_000])(
    'set back by %i ms: a retry waits no longer than scheduled',
    async (by) => {
      harness.start();
      const { receiver } = await harness.receiver(inTurn(respond(500), respond(200), respond(200)));
      await harness.place();
      const { nextAttemptAt } = await harness.recorded();
      harness.clock.set(noon - by);
      await harness.place();
      expect(await harness.recorded()).toMatchObject({ state: 'delivered' });
      expect(receiver.count).toBe(2);
      await harness.clock.advance(Number(nextAttemptAt) - noon + maxPollDelay);
      expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 2 });
    },
  );

  test('set back while an attempt is in flight: its retry is not delayed', async () => {
    const responses: (() => void)[] = [];
    harness.start();
    const { receiver } = await harness.receiver((response) => {
      const status = responses.length === 0 ? 500 : 204;
      responses.push(() => response.writeHead(status).end());
      if (status === 204) responses.at(-1)?.();
    });
    await harness.place();
    await receiver.next();
    harness.clock.set(noon - 3_600_000);
    await harness.clock.advance(maxPollDelay);
    responses[0]?.();
    const { nextAttemptAt } = await harness.recorded();
    expect(Number(nextAttemptAt) - harness.clock.now()).toBeLessThanOrEqual(5_500);
    await harness.clock.advance(5_500 + maxPollDelay);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 2 });
  });

  test('set back: an endpoint gets exactly the wait that it requested', async () => {
    harness.start();
    await harness.receiver(inTurn(respond(429, { 'Retry-After': '60' }), respond(200)));
    await harness.place();
    await harness.recorded();
    harness.clock.set(noon - 3_600_000);
    await harness.clock.advance(59_000);
    expect(await harness.store.deliveries.nextDueAt()).toBeGreaterThan(harness.clock.now());
    await harness.clock.advance(1_000 + maxPollDelay);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 2 });
  });

  test('set back while no worker ran: what a crashed worker had leased is attempted again after a lease', async () => {
    const { receiver } = await harness.receiver(respond(200));
    await harness.place();
    const lost = { now: noon, leaseUntil: noon + leaseMs, leaseToken: 'lost', limit: 1 };
    expect(await harness.store.deliveries.leaseDue(lost)).toHaveLength(1);
    harness.clock.set(noon - 3_600_000);
    harness.start();
    await harness.clock.advance(leaseMs - 1_000);
    expect(receiver.count).toBe(0);
    await harness.clock.advance(1_000 + maxPollDelay);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('set back: attempts that are in flight leave room for others after their first second', async () => {
    const worker = harness.start();
    const { receiver } = await harness.receiver(respond(200));
    for (let count = 0; count < 3; count += 1) {
      harness.clock.set(harness.clock.now() - 3_600_000);
      await harness.place();
      expect(await harness.recorded()).toMatchObject({ state: 'delivered' });
    }
    expect(receiver.count).toBe(3);
    await harness.stop(worker);
  });

  test('set forward: a delivery in flight is not sent again', async () => {
    const responses: (() => void)[] = [];
    harness.start();
    const { receiver } = await harness.receiver((response) => {
      responses.push(() => response.writeHead(200).end());
    });
    await harness.place();
    await receiver.next();
    harness.clock.set(noon + 3_600_000);
    await harness.clock.advance(maxPollDelay);
    expect(receiver.count).toBe(1);
    for (const respond of responses) respond();
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    expect(receiver.count).toBe(1);
  });

  test('set ahead: nothing is attempted after its deadline, and the failure is logged', async () => {
    const { receiver } = await harness.receiver(respond(500));
    await harness.place();
    harness.clock.set(noon + retryWindowMs + 1);
    harness.start();
    const line = await harness.logs.next(
      'delivery failed: its deadline passed before the next attempt',
    );
    expect(line.deliveryId).toMatch(/^dlv_/);
    expect(receiver.count).toBe(0);
    expect(await harness.store.deliveries.nextDueAt()).toBeNull();
  });
});
