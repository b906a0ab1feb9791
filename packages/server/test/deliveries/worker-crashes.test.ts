import { beforeEach, describe, expect, test } from 'vitest';
import { leaseTime } from '../../src/deliveries/delivery';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import { StoreUnavailableError } from '../../src/store-unavailable-error';
import { answer, inTurn } from '../receiver';
import { DeliveryRig } from './delivery-rig';

const unavailable = new StoreUnavailableError('SQLite: database is locked (SQLITE_BUSY)');

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

  test('of a worker with its hands full: its places are free at once, though not what it had', async () => {
    const { receiver } = await rig.receiver(answer(200));
    for (let count = 0; count < 6; count += 1) await rig.place();
    const now = rig.clock.now();
    const claim = { now, leaseUntil: now + leaseTime, token: 'of the one that crashed', limit: 9 };
    expect(await rig.store.deliveries.claimDue(claim)).toHaveLength(4);

    rig.start();
    for (let count = 0; count < 2; count += 1) {
      expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    }
    expect(receiver.count).toBe(2);
    await rig.clock.advance(leaseTime);
    for (let count = 0; count < 4; count += 1) {
      expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    }
    expect(receiver.count).toBe(6);
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

  test('of the store while an outcome is recorded: it is recorded later, and nothing is sent again', async () => {
    let faults = 3;
    const { receiver } = await rig.receiver(answer(200));
    await rig.place();
    rig.start({
      deliveries: rig.failingToRecord(() => {
        faults -= 1;
        return faults >= 0 ? unavailable : null;
      }),
    });
    await rig.book.next('could not record attempts; trying again');
    await rig.clock.advance(2_000);
    expect(faults).toBe(0);
    await rig.clock.advance(1_000);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    await rig.clock.advance(leaseTime);
    expect(receiver.count).toBe(1);
  });

  test('of the store for longer than a lease: the worker takes no more work, and sends nothing again', async () => {
    let working = false;
    const { receiver } = await rig.receiver(answer(200));
    await rig.place();
    rig.start({ deliveries: rig.failingToRecord(() => (working ? null : unavailable)) });
    await rig.book.next('could not record attempts; trying again');
    await rig.place();
    await rig.clock.advance(5 * leaseTime);
    expect(receiver.count).toBe(1);
    working = true;
    await rig.clock.advance(2_000);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    expect(receiver.count).toBe(2);
  });

  test('of one outcome that cannot be written: the delivery is made again, never lost', async () => {
    let faults = 1;
    const { receiver } = await rig.receiver(answer(200));
    await rig.place();
    rig.start({
      deliveries: rig.failingToRecord(() => {
        faults -= 1;
        return faults >= 0 ? new TypeError('that cannot be written') : null;
      }),
    });
    await rig.book.next('could not record an attempt; it will be made again');
    await rig.clock.advance(leaseTime);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    const [first, second] = [await receiver.next(), await receiver.next()];
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  });
});
