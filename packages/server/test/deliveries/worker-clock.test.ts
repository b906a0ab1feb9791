import { beforeEach, describe, expect, test } from 'vitest';
import { retryWindow } from '../../src/deliveries/delivery';
import { noon } from '../builders';
import { answer, inTurn } from '../receiver';
import { DeliveryRig } from './delivery-rig';

let rig: DeliveryRig;

beforeEach(async () => {
  rig = await DeliveryRig.open();
});

describe('a worker goes on when the clock is', () => {
  test('set back: what is due waits for it, what is new does not', async () => {
    rig.start();
    const { receiver } = await rig.receiver(inTurn(answer(500), answer(200)));
    await rig.place();
    const { nextAttemptAt } = await rig.recorded();
    rig.clock.set(noon - 3_600_000);
    await rig.place();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered' });
    await rig.clock.advance(3_600_000);
    expect(receiver.count).toBe(2);
    await rig.clock.advance(Number(nextAttemptAt) - noon);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 2 });
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
