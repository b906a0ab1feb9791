import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { noon } from '@tradepost/domain/test/builders';
import { settle } from '@tradepost/domain/test/fake-clock';
import { beforeEach, describe, expect, test } from 'vitest';
import { inTurn, respond } from '../helpers/receiver';
import { DeliveryHarness, shutdownTimeout } from './delivery-harness';

let harness: DeliveryHarness;

beforeEach(async () => {
  harness = await DeliveryHarness.open();
});

describe('the stop of a worker', () => {
  test('waits for the attempts in flight, and records them', async () => {
    const worker = harness.start();
    const pendingResponses: (() => void)[] = [];
    const { receiver } = await harness.receiver((response) => {
      pendingResponses.push(() => response.writeHead(200).end());
    });
    await harness.place();
    await receiver.next();
    let stopped = false;
    const stopping = harness.stop(worker).then(() => {
      stopped = true;
    });
    await settle();
    expect(stopped).toBe(false);
    for (const release of pendingResponses) release();
    expect(await harness.recorded()).toMatchObject({ state: 'delivered' });
    await stopping;
  });

  test('waits for the deliveries of a lease request in progress', async () => {
    const { receiver } = await harness.receiver(respond(200));
    await harness.place();
    const worker = harness.start();
    await harness.stop(worker);
    expect(receiver.count).toBe(1);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('interrupts attempts that outlast its timeout, without counting them as failures', async () => {
    const worker = harness.start();
    const { receiver } = await harness.receiver(inTurn(() => {}, respond(200)));
    await harness.place();
    await receiver.next();
    const stopping = harness.stop(worker);
    await harness.clock.advance(shutdownTimeout);
    await stopping;
    expect(await harness.store.deliveries.nextDueAt()).toBe(harness.clock.now());
    harness.start();
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('abandons results that the store cannot record; their deliveries are attempted again when the leases end', async () => {
    const fault = new StoreUnavailableError('SQLite: database is locked (SQLITE_BUSY)');
    const worker = harness.start({ deliveries: harness.failingToRecord(() => fault) });
    const { receiver } = await harness.receiver(respond(200));
    await harness.place();
    await harness.logs.next('recording attempts failed; retrying');
    const stopping = harness.stop(worker);
    await harness.clock.advance(shutdownTimeout);
    await stopping;
    await harness.logs.next('recording attempts failed; they will be repeated');
    harness.start();
    await harness.clock.advance(leaseMs);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    expect(receiver.count).toBe(2);
  });

  test('waits five seconds for a store that is unavailable, however long attempts may take', async () => {
    const fault = new StoreUnavailableError('SQLite: database is locked (SQLITE_BUSY)');
    const worker = harness.start({ deliveries: harness.failingToRecord(() => fault) });
    await harness.receiver(respond(200));
    await harness.place();
    await harness.logs.next('recording attempts failed; retrying');
    const stopping = worker.stop(60_000);
    await harness.clock.advance(6_000);
    await stopping;
    await harness.logs.next('recording attempts failed; they will be repeated');
  });

  test('ends all new work', async () => {
    const worker = harness.start();
    const { receiver } = await harness.receiver(respond(200));
    await harness.stop(worker);
    await harness.place();
    worker.wake();
    await harness.clock.advance(10_000);
    expect(receiver.count).toBe(0);
    expect(await harness.store.deliveries.nextDueAt()).toBe(noon);
  });

  test('may be requested twice', async () => {
    const worker = harness.start();
    await Promise.all([harness.stop(worker), harness.stop(worker)]);
  });
});
