import type { Attempt } from '@tradepost/domain/deliveries/delivery';
import { anAttempt } from '@tradepost/domain/test/builders';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Sender } from '../../../src/engine/attempt/send';
import { Child } from '../../helpers/child';
import { Receiver, respond } from '../../helpers/receiver';
import { DeliveryHarness } from '../delivery-harness';
import { names, openDnsServer } from './dns-server';

let harness: DeliveryHarness;

beforeEach(async () => {
  harness = await DeliveryHarness.open();
});

/** A sender whose attempts have the given results, in turn; the last one repeats. */
function senderThat(...ways: (() => Promise<Attempt>)[]): Sender & { calls: number } {
  return {
    calls: 0,
    send() {
      const way = ways[Math.min(this.calls, ways.length - 1)];
      this.calls += 1;
      if (way === undefined) throw new Error('No result is left.');
      return way();
    },
    close: async () => {},
  };
}

const shortage = async () =>
  anAttempt({ status: null, error: 'socket_exhaustion', responseSnippet: '' });
const success = async () => anAttempt();

describe('a lack of sockets', () => {
  test('is neither an attempt nor a failure of the endpoint: the delivery is due again in a second', async () => {
    const { webhook } = await harness.receiver(respond(204));
    const sender = senderThat(shortage, shortage, shortage, success);
    harness.start({ sender });
    await harness.place();
    for (let count = 1; count <= 3; count += 1) {
      await harness.logs.next(
        'out of sockets or file descriptors; pausing deliveries for a second',
      );
      expect(sender.calls).toBe(count);
      await harness.clock.advance(1_000);
    }
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    const { accountId, id } = webhook;
    const found = await harness.store.webhooks.findWebhook(accountId, id);
    expect(found?.health).toMatchObject({ failures: 0, backoffUntil: 0 });
  });

  test('pauses all deliveries, so that they do not fail again and again at full speed', async () => {
    await harness.receiver(respond(204));
    await harness.receiver(respond(204));
    const sender = senderThat(shortage);
    harness.start({ sender });
    await harness.place();
    await harness.logs.next('out of sockets or file descriptors; pausing deliveries for a second');
    await harness.clock.advance(900);
    const calls = sender.calls;
    await harness.place();
    expect(sender.calls).toBe(calls);
    expect(calls).toBeLessThanOrEqual(2);
  });
});

test('a process without free file descriptors never reports that as a failure of a name or a receiver', async () => {
  const { address } = await openDnsServer(names({ 'receiver.test': ['127.0.0.1'] }));
  const receiver = await Receiver.open(respond(204));
  const { port } = new URL(receiver.origin);
  const urls = [`http://127.0.0.1:${port}/`, `http://receiver.test:${port}/`];
  const child = new Child(
    new URL('./send-without-descriptors-process.ts', import.meta.url),
    address,
    ...urls,
  );
  const { before, without } = JSON.parse(await child.readLine());
  // Only the DNS server knows the name.
  expect(before).toEqual([null, null, null, expect.stringMatching(/^dns_failed/)]);
  expect(without).toEqual(Array(4).fill('socket_exhaustion'));
}, 60_000);

describe('an error in the engine itself', () => {
  test('frees the slot and is logged, and the delivery is attempted again when its lease ends', async () => {
    await harness.receiver(respond(204));
    const sender = senderThat(async () => {
      throw new TypeError('a fault of ours');
    }, success);
    harness.start({ sender });
    await harness.place();
    const line = await harness.logs.next('attempt could not be made');
    expect(line).toMatchObject({ err: { message: 'a fault of ours' } });
    await harness.clock.advance(26_000);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
  });

  test('in a listener for attempts does not affect the recorded result', async () => {
    await harness.receiver(respond(204));
    harness.start({
      onAttempt: () => {
        throw new Error('a metric of another name');
      },
    });
    await harness.place();
    await harness.logs.next('attempt could not be made');
    const status = await harness.store.deliveries.queueStatus(harness.clock.now());
    expect(status).toMatchObject({ depth: 0, inFlight: 0 });
  });
});
