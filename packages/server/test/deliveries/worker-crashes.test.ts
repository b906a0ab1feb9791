import { beforeEach, describe, expect, test } from 'vitest';
import { leaseTime } from '../../src/deliveries/delivery';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import { answer, inTurn } from '../receiver';
import { DeliveryRig } from './delivery-rig';

let rig: DeliveryRig;

beforeEach(async () => {
  rig = await DeliveryRig.open();
});

describe('a crash', () => {
  test('of a worker with a claim: the delivery is made when the lease ends, by another worker', async () => {
    const { receiver } = await rig.receiver(answer(200));
    await rig.place();
    const now = rig.clock.now();
    const claim = { now, leaseUntil: now + leaseTime, token: 'of the one that crashed', limit: 9 };
    expect(await rig.store.deliveries.claimDue(claim)).toHaveLength(1);

    rig.start();
    await rig.clock.advance(leaseTime - 1);
    expect(receiver.count).toBe(0);
    await rig.clock.advance(1);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('of the process: what was queued is delivered after a restart on the same file', async () => {
    const { receiver } = await rig.receiver(inTurn(answer(500), answer(200)));
    await rig.place();
    await rig.place();
    await rig.restart();
    rig.start();
    const states = [(await rig.recorded()).state, (await rig.recorded()).state];
    expect(states.sort()).toEqual(['delivered', 'pending']);
    const sent = [await receiver.next(), await receiver.next()];
    await rig.restart();
    rig.start();
    await rig.advanceToNext();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 2 });
    const again = await receiver.next();
    expect(sent.map(({ headers }) => headers['webhook-id'])).toContain(again.headers['webhook-id']);
  });

  test('of the store while it is asked: the worker says so, and looks again', async () => {
    let working = false;
    const { deliveries } = rig.store;
    const failing: DeliveryStore = {
      ...deliveries,
      claimDue: async (request) => {
        if (!working) throw new Error('the disk is on fire');
        return deliveries.claimDue(request);
      },
    };
    await rig.receiver(answer(200));
    await rig.place();
    rig.start({ deliveries: failing });
    await rig.book.next('could not look for due deliveries; trying again');
    await rig.clock.advance(1_000);
    await rig.book.next('could not look for due deliveries; trying again');
    working = true;
    await rig.clock.advance(1_000);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered' });
  });

  test('of the store while an outcome is recorded: the delivery is made again, never lost', async () => {
    let failures = 1;
    const { deliveries } = rig.store;
    const failing: DeliveryStore = {
      ...deliveries,
      recordAttempts: async (outcomes) => {
        failures -= 1;
        if (failures >= 0) throw new Error('the disk is on fire');
        return deliveries.recordAttempts(outcomes);
      },
    };
    const { receiver } = await rig.receiver(answer(200));
    await rig.place();
    rig.start({ deliveries: failing });
    await rig.book.next('could not record an attempt');
    await rig.clock.advance(leaseTime);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    const [first, second] = [await receiver.next(), await receiver.next()];
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  });
});
