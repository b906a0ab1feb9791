import { beforeEach, describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/deliveries/delivery';
import type { Sender } from '../../src/deliveries/send';
import { anAttempt } from '../builders';
import { Child } from '../child';
import { answer, Receiver } from '../receiver';
import { DeliveryRig } from './delivery-rig';
import { names, openDnsServer } from './dns-server';

let rig: DeliveryRig;

beforeEach(async () => {
  rig = await DeliveryRig.open();
});

/** A sender whose attempts go as they are told, one after the other; the last way stays. */
function senderThat(...ways: (() => Promise<Attempt>)[]): Sender & { calls: number } {
  return {
    calls: 0,
    send() {
      const way = ways[Math.min(this.calls, ways.length - 1)];
      this.calls += 1;
      if (way === undefined) throw new Error('tell it how');
      return way();
    },
    close: async () => {},
  };
}

const shortage = async () => anAttempt({ status: null, error: 'out_of_sockets', excerpt: '' });
const success = async () => anAttempt();

describe('a lack of sockets', () => {
  test('is no attempt and no failure of the endpoint: the delivery is due again in a second', async () => {
    const { webhook } = await rig.receiver(answer(204));
    const sender = senderThat(shortage, shortage, shortage, success);
    rig.start({ sender });
    await rig.place();
    for (let count = 1; count <= 3; count += 1) {
      await rig.book.next('out of sockets or file descriptors; pausing deliveries for a second');
      expect(sender.calls).toBe(count);
      await rig.clock.advance(1_000);
    }
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    const { accountId, id } = webhook;
    const found = await rig.store.webhooks.findWebhook(accountId, id);
    expect(found?.traffic).toMatchObject({ failures: 0, heldUntil: 0 });
  });

  test('pauses all deliveries, so that they do not fail again and again at full speed', async () => {
    await rig.receiver(answer(204));
    await rig.receiver(answer(204));
    const sender = senderThat(shortage);
    rig.start({ sender });
    await rig.place();
    await rig.book.next('out of sockets or file descriptors; pausing deliveries for a second');
    await rig.clock.advance(900);
    const calls = sender.calls;
    await rig.place();
    expect(sender.calls).toBe(calls);
    expect(calls).toBeLessThanOrEqual(2);
  });
});

test('a process without file descriptors never takes that for a fault of a name or of a receiver', async () => {
  const { address } = await openDnsServer(names({ 'receiver.test': ['127.0.0.1'] }));
  const receiver = await Receiver.open(answer(204));
  const { port } = new URL(receiver.origin);
  const urls = [`http://127.0.0.1:${port}/`, `http://receiver.test:${port}/`];
  const child = new Child(
    new URL('./send-without-descriptors.ts', import.meta.url),
    address,
    ...urls,
  );
  const { before, without } = JSON.parse(await child.says());
  // The name is one of the DNS server alone.
  expect(before).toEqual([null, null, null, expect.stringMatching(/^dns_failed/)]);
  expect(without).toEqual(Array(4).fill('out_of_sockets'));
}, 60_000);

describe('a fault of the engine itself', () => {
  test('frees the slot and is logged, and the delivery is made again when its lease ends', async () => {
    await rig.receiver(answer(204));
    const sender = senderThat(async () => {
      throw new TypeError('a fault of ours');
    }, success);
    rig.start({ sender });
    await rig.place();
    const line = await rig.book.next('could not make an attempt');
    expect(line).toMatchObject({ err: { message: 'a fault of ours' } });
    await rig.clock.advance(26_000);
    expect(await rig.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('in what listens to attempts leaves the outcome as it was recorded', async () => {
    await rig.receiver(answer(204));
    rig.start({
      onAttempt: () => {
        throw new Error('a metric of another name');
      },
    });
    await rig.place();
    await rig.book.next('could not make an attempt');
    const status = await rig.store.deliveries.queueStatus(rig.clock.now());
    expect(status).toMatchObject({ depth: 0, inFlight: 0 });
  });
});
