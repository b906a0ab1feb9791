import { beforeEach, describe, expect, test } from 'vitest';
import { leaseTime } from '../../src/deliveries/delivery';
import { StoreUnavailableError } from '../../src/store-unavailable-error';
import { noon } from '../builders';
import { settle } from '../fake-clock';
import { answer, inTurn } from '../receiver';
import { DeliveryRig, patience } from './delivery-rig';

let rig: DeliveryRig;

beforeEach(async () => {
  rig = await DeliveryRig.open();
});

describe('stopping a worker', () => {
  test('waits for the attempts that are under way, and records them', async () => {
    const worker = rig.start();
    const answers: (() => void)[] = [];
    const { receiver } = await rig.receiver((response) => {
      answers.push(() => response.writeHead(200).end());
    });
    await rig.place();
    await receiver.next();
    let stopped = false;
    const stopping = rig.stop(worker).then(() => {
      stopped = true;
    });
    await settle();
    expect(stopped).toBe(false);
    for (const release of answers) release();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered' });
    await stopping;
  });

  test('waits for what a claim that is under way still brings', async () => {
    const { receiver } = await rig.receiver(answer(200));
    await rig.place();
    const worker = rig.start();
    await rig.stop(worker);
    expect(receiver.count).toBe(1);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('cuts off attempts that outlast its patience, and holds that against nobody', async () => {
    const worker = rig.start();
    const { receiver } = await rig.receiver(inTurn(() => {}, answer(200)));
    await rig.place();
    await receiver.next();
    const stopping = rig.stop(worker);
    await rig.clock.advance(patience);
    await stopping;
    expect(await rig.store.deliveries.nextDueAt()).toBe(rig.clock.now());
    rig.start();
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('gives up outcomes that the store does not take; their deliveries are made again when the leases end', async () => {
    const fault = new StoreUnavailableError('SQLite: database is locked (SQLITE_BUSY)');
    const worker = rig.start({ deliveries: rig.failingToRecord(() => fault) });
    const { receiver } = await rig.receiver(answer(200));
    await rig.place();
    await rig.book.next('could not record attempts; trying again');
    const stopping = rig.stop(worker);
    await rig.clock.advance(patience);
    await stopping;
    await rig.book.next('could not record attempts; they will be made again');
    rig.start();
    await rig.clock.advance(leaseTime);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    expect(receiver.count).toBe(2);
  });

  test('takes no more work', async () => {
    const worker = rig.start();
    const { receiver } = await rig.receiver(answer(200));
    await rig.stop(worker);
    await rig.place();
    worker.wake();
    await rig.clock.advance(10_000);
    expect(receiver.count).toBe(0);
    expect(await rig.store.deliveries.nextDueAt()).toBe(noon);
  });

  test('may be done twice', async () => {
    const worker = rig.start();
    await Promise.all([rig.stop(worker), rig.stop(worker)]);
  });
});
