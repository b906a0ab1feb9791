import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { beforeEach, describe, expect, test } from 'vitest';
import { inTurn, respond } from '../helpers/receiver';
import { DeliveryHarness } from './delivery-harness';

const unavailable = new StoreUnavailableError('SQLite: database is locked (SQLITE_BUSY)');

let harness: DeliveryHarness;

beforeEach(async () => {
  harness = await DeliveryHarness.open();
});

describe('a crash', () => {
  test('of a worker with a lease makes another worker deliver when the lease ends', async () => {
    const { receiver } = await harness.receiver(respond(200));
    await harness.place();
    const now = harness.clock.now();
    const lease = {
      now,
      leaseUntil: now + leaseMs,
      leaseToken: 'of the one that crashed',
      limit: 9,
    };
    expect(await harness.store.deliveries.leaseDue(lease)).toHaveLength(1);

    harness.start();
    await harness.clock.advance(leaseMs - 1);
    expect(receiver.count).toBe(0);
    await harness.clock.advance(1);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('of a worker at its limit frees its slots at once, but not its leases', async () => {
    const { receiver } = await harness.receiver(respond(200));
    for (let count = 0; count < 6; count += 1) await harness.place();
    const now = harness.clock.now();
    const lease = {
      now,
      leaseUntil: now + leaseMs,
      leaseToken: 'of the one that crashed',
      limit: 9,
    };
    expect(await harness.store.deliveries.leaseDue(lease)).toHaveLength(4);

    harness.start();
    for (let count = 0; count < 2; count += 1) {
      expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    }
    expect(receiver.count).toBe(2);
    await harness.clock.advance(leaseMs);
    for (let count = 0; count < 4; count += 1) {
      expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    }
    expect(receiver.count).toBe(6);
  });

  test('of the process loses nothing: queued deliveries are made after a restart on the same file', async () => {
    const { receiver } = await harness.receiver(inTurn(respond(500), respond(200)));
    await harness.place();
    await harness.place();
    await harness.restart();
    harness.start();
    const states = [(await harness.recorded()).state, (await harness.recorded()).state];
    expect(states.sort()).toEqual(['delivered', 'pending']);
    const sent = [await receiver.next(), await receiver.next()];
    await harness.restart();
    harness.start();
    await harness.advanceToNext();
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 2 });
    const again = await receiver.next();
    expect(sent.map(({ headers }) => headers['webhook-id'])).toContain(again.headers['webhook-id']);
  });

  test('of the store during a poll is logged, and the worker polls again', async () => {
    let working = false;
    const { deliveries } = harness.store;
    const failing: DeliveryStore = {
      ...deliveries,
      leaseDue: async (request) => {
        if (!working) throw new Error('the disk is on fire');
        return deliveries.leaseDue(request);
      },
    };
    await harness.receiver(respond(200));
    await harness.place();
    const worker = harness.start({ deliveries: failing });
    await harness.logs.next('polling for deliveries failed; retrying');
    await harness.clock.advance(1_000);
    await harness.logs.next('polling for deliveries failed; retrying');
    expect([worker.isPolling, worker.blockedMs]).toEqual([true, 1_000]);
    working = true;
    await harness.clock.advance(1_000);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered' });
    expect(worker.blockedMs).toBe(0);
  });

  test('of the store without a response is no poll', async () => {
    let goOn = (_dueAt: number | null) => {};
    const nextDueAt = () =>
      new Promise<number | null>((resolve) => {
        goOn = resolve;
      });
    const worker = harness.start({ deliveries: { ...harness.store.deliveries, nextDueAt } });
    await harness.clock.advance(14_999);
    expect(worker.isPolling).toBe(true);
    await harness.clock.advance(1);
    expect(worker.isPolling).toBe(false);
    goOn(null);
    await harness.clock.advance(0);
    expect(worker.isPolling).toBe(true);
  });

  test('of the store during a result delays its recording, and nothing is sent again', async () => {
    let faults = 3;
    const { receiver } = await harness.receiver(respond(200));
    await harness.place();
    harness.start({
      deliveries: harness.failingToRecord(() => {
        faults -= 1;
        return faults >= 0 ? unavailable : null;
      }),
    });
    await harness.logs.next('recording attempts failed; retrying');
    await harness.clock.advance(2_000);
    expect(faults).toBe(0);
    await harness.clock.advance(1_000);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    await harness.clock.advance(leaseMs);
    expect(receiver.count).toBe(1);
  });

  test('of the store for longer than a lease stops new work, and nothing is sent again', async () => {
    let working = false;
    const { receiver } = await harness.receiver(respond(200));
    await harness.place();
    const worker = harness.start({
      deliveries: harness.failingToRecord(() => (working ? null : unavailable)),
    });
    await harness.logs.next('recording attempts failed; retrying');
    await harness.place();
    await harness.clock.advance(5 * leaseMs);
    expect(receiver.count).toBe(1);
    expect(worker.blockedMs).toBe(5 * leaseMs);
    working = true;
    await harness.clock.advance(2_000);
    expect(worker.blockedMs).toBe(0);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    expect(receiver.count).toBe(2);
  });

  test('of the store because of a result records less of it, and nothing is sent again', async () => {
    let faults = 1;
    const { receiver } = await harness.receiver(respond(200));
    await harness.place();
    harness.start({
      deliveries: harness.failingToRecord(() => {
        faults -= 1;
        return faults >= 0 ? new TypeError('that cannot be written') : null;
      }),
    });
    await harness.logs.next('the store rejects a result; recording less of it');
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    await harness.clock.advance(leaseMs);
    expect(receiver.count).toBe(1);
  });
});
