import { sampleEvent, exampleSecret as secret, signDelivery } from '@tradepost/sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { replacePart } from './read-recipe';
import type { Application, Start } from './start-application';

/** The file of a recipe that starts a receiver with the store. */
export const main = 'src/main.ts';

/** The file with a handler that the test controls: a variant of the recipe. */
export const controlled = 'src/controlled.ts';

/** Changes a recipe: the test controls the handler of `order.created` and the lease. */
export function withControl(recipe: string): string {
  const changes: [RegExp | string, string][] = [
    ['({ event, data }) => console.log(event, data.orderId)', '({ data }) => handle(data.orderId)'],
    ['createServer(receiver.node)', 'createServer(withControl(receiver.node))'],
    [/DedupeStore\((.+)\)(?=[,;]$)/m, 'DedupeStore($1, { leaseMs: Number(process.env.LEASE_MS) })'],
  ];
  const text = changes.reduce((before, change) => replacePart(before, ...change), recipe);
  return `import { handle, withControl } from './control.js';\n${text}`;
}

/** A store with receivers in several processes. */
export interface DedupeTarget {
  /** Starts a process of the project. */
  start: Start;
  /** The variables that name the store. */
  connection: Record<string, string>;
  /** Makes the time of a key end now, in the store itself. */
  expire(key: string): Promise<void>;
  /** Lists the keys of a store that has to be pruned. */
  listKeys?(): Promise<string[]>;
  /** Returns the milliseconds until a key is forgotten. */
  readRemainingMs(key: string): Promise<number>;
  /** Makes the store fail, until the returned function is called. */
  breakStore(): Promise<() => Promise<void>>;
}

/** A receiver in a process of its own, with a handler that the test controls. */
interface Receiver {
  /** Sends a delivery. Resolves with the status and the text of the response. */
  send(delivery: Delivery): Promise<[number, string]>;
  /** Sends a delivery again until it is not in progress. Resolves with the status. */
  sendUntilDone(delivery: Delivery): Promise<number>;
  /** Waits until the handler of a delivery has started. */
  started(delivery: Delivery): Promise<unknown>;
  /** Returns how often a delivery was handled. */
  countHandled(delivery: Delivery): number;
  /** Ends the handlers that wait, successfully or not. */
  end(how: 'finish' | 'fail'): Promise<unknown>;
  stop(signal: NodeJS.Signals): Promise<unknown>;
}

interface Delivery {
  /** The key in the store. */
  key: string;
  orderId: string;
  init: RequestInit;
}

let lastNumber = 0;

async function aDelivery(): Promise<Delivery> {
  lastNumber += 1;
  const orderId = `ord_${String(lastNumber).padStart(8, '0')}`;
  const event = sampleEvent('order.created', { data: { orderId } });
  const { headers, init } = await signDelivery({ event, secret });
  return { key: headers['webhook-id'] ?? '', orderId, init };
}

function toReceiver({ port, process }: Application): Receiver {
  const url = `http://127.0.0.1:${port}`;
  const send: Receiver['send'] = async ({ init }) => {
    const response = await fetch(`${url}/webhooks`, init);
    return [response.status, await response.text()];
  };
  return {
    send,
    async sendUntilDone(delivery) {
      for (;;) {
        const [status] = await send(delivery);
        if (status !== 503) return status;
      }
    },
    started: ({ orderId }) => process.writes(new RegExp(`started ${orderId}`)),
    countHandled: ({ orderId }) => process.stdout().split(`handled ${orderId}\n`).length - 1,
    end: (how) => fetch(`${url}/${how}`),
    stop: process.stop,
  };
}

/**
 * Tests a store with real processes: they race for deliveries, hang and are killed. The time of the store changes only where
 * a test changes it.
 *
 * @param isPruned whether the store itself removes old keys
 */
export function describeDedupeStore(
  title: string,
  getTarget: () => DedupeTarget,
  { isPruned }: { isPruned: boolean },
): void {
  describe(title, () => {
    /** Starts a receiver that ends with the test. Its handlers wait for the test if `waits` is set. */
    async function startReceiver({ waits = false, leaseMs = 60_000 } = {}): Promise<Receiver> {
      const { start, connection } = getTarget();
      const application = await start({
        args: ['dist/controlled.js'],
        ready: /listening on port/,
        env: {
          ...connection,
          LEASE_MS: String(leaseMs),
          HANDLERS: waits ? 'wait' : 'end',
        },
      });
      onTestFinished(async () => {
        await application.process.stop('SIGKILL');
      });
      return toReceiver(application);
    }

    const startReceivers = (count: number, options?: Parameters<typeof startReceiver>[0]) =>
      Promise.all(Array.from({ length: count }, () => startReceiver(options)));

    test('four processes that race for the same deliveries handle each one once', async () => {
      const receivers = await startReceivers(4);
      const deliveries = await Promise.all(Array.from({ length: 40 }, aDelivery));
      const statuses = await Promise.all(
        receivers.flatMap((receiver) => deliveries.map(receiver.sendUntilDone)),
      );
      expect(new Set(statuses)).toEqual(new Set([204]));
      for (const delivery of deliveries) {
        const counts = receivers.map(({ countHandled }) => countHandled(delivery));
        expect(counts.toSorted()).toEqual([0, 0, 0, 1]);
      }
    });

    test('a process takes over the claim of a killed one when the lease ends, and not before', async () => {
      const delivery = await aDelivery();
      const [killed, other] = [await startReceiver({ waits: true }), await startReceiver()];
      const lost = killed.send(delivery).catch(() => 'lost');
      await killed.started(delivery);
      await killed.stop('SIGKILL');
      expect(await lost).toBe('lost');
      expect(await other.send(delivery)).toEqual([503, 'BUSY']);
      await getTarget().expire(delivery.key);
      expect(await other.send(delivery)).toEqual([204, '']);
      expect(other.countHandled(delivery)).toBe(1);
    });

    test('a lease ends by itself', async () => {
      const delivery = await aDelivery();
      const killed = await startReceiver({ waits: true, leaseMs: 500 });
      void killed.send(delivery).catch(() => undefined);
      await killed.started(delivery);
      await killed.stop('SIGKILL');
      const other = await startReceiver();
      expect(await other.sendUntilDone(delivery)).toBe(204);
      expect(other.countHandled(delivery)).toBe(1);
    });

    test.each([
      { how: 'fail', status: 500 },
      { how: 'finish', status: 204 },
    ] as const)(
      'a process whose claim was taken over does not change the new claim ($how)',
      async ({ how, status }) => {
        const delivery = await aDelivery();
        const [late, owner] = await startReceivers(2, { waits: true });
        const third = await startReceiver();
        if (!(late && owner)) throw new Error('Two receivers were started.');
        const lateResponse = late.send(delivery);
        await late.started(delivery);
        await getTarget().expire(delivery.key);
        const ownerResponse = owner.send(delivery);
        await owner.started(delivery);
        await late.end(how);
        expect(await lateResponse).toMatchObject([status, expect.anything()]);
        // Neither released nor completed: the new owner has it.
        expect(await third.send(delivery)).toEqual([503, 'BUSY']);
        await owner.end('finish');
        expect(await ownerResponse).toEqual([204, '']);
        expect(await third.send(delivery)).toEqual([204, '']);
        expect(third.countHandled(delivery)).toBe(0);
      },
    );

    test('a process does not take over from itself while its handler runs', async () => {
      const delivery = await aDelivery();
      const slow = await startReceiver({ waits: true });
      const response = slow.send(delivery);
      await slow.started(delivery);
      await getTarget().expire(delivery.key);
      expect(await slow.send(delivery)).toEqual([503, 'BUSY']);
      await slow.end('finish');
      expect(await response).toEqual([204, '']);
      expect(await slow.send(delivery)).toEqual([204, '']);
      expect(slow.countHandled(delivery)).toBe(1);
    });

    test('a handler that ends after its lease completes the delivery if no process took over', async () => {
      const delivery = await aDelivery();
      const slow = await startReceiver({ waits: true });
      const response = slow.send(delivery);
      await slow.started(delivery);
      await getTarget().expire(delivery.key);
      await slow.end('finish');
      expect(await response).toEqual([204, '']);
      const other = await startReceiver();
      expect(await other.send(delivery)).toEqual([204, '']);
      expect(other.countHandled(delivery)).toBe(0);
    });

    test('a delivery whose handler failed is handled with the next attempt', async () => {
      const delivery = await aDelivery();
      const [failing, other] = [await startReceiver({ waits: true }), await startReceiver()];
      const response = failing.send(delivery);
      await failing.started(delivery);
      await failing.end('fail');
      expect(await response).toEqual([500, 'HANDLER_FAILED']);
      expect(await other.send(delivery)).toEqual([204, '']);
      expect(other.countHandled(delivery)).toBe(1);
    });

    test('a restarted process knows which deliveries were handled, for three days', async () => {
      const delivery = await aDelivery();
      const first = await startReceiver();
      expect(await first.send(delivery)).toEqual([204, '']);
      await first.stop('SIGKILL');
      const restarted = await startReceiver();
      expect(await restarted.send(delivery)).toEqual([204, '']);
      expect(restarted.countHandled(delivery)).toBe(0);
      const days = (await getTarget().readRemainingMs(delivery.key)) / (24 * 3_600_000);
      expect(days).toBeGreaterThan(2.9);
      expect(days).toBeLessThanOrEqual(3);
    });

    test('a receiver whose store fails responds with 500 until the store works again', async () => {
      const [handled, delivery] = [await aDelivery(), await aDelivery()];
      const receiver = await startReceiver();
      expect(await receiver.send(handled)).toEqual([204, '']);
      const repair = await getTarget().breakStore();
      try {
        expect(await receiver.send(delivery)).toEqual([500, 'DEDUPE_FAILED']);
        expect(receiver.countHandled(delivery)).toBe(0);
      } finally {
        await repair();
      }
      await expect
        .poll(() => receiver.send(delivery), { timeout: 20_000, interval: 50 })
        .toEqual([204, '']);
      expect(receiver.countHandled(delivery)).toBe(1);
      expect(await receiver.send(handled)).toEqual([204, '']);
      expect(receiver.countHandled(handled)).toBe(1);
    });

    if (!isPruned) return;

    test('expired keys are removed, ten with each delivery, and no others', async () => {
      const { expire, listKeys = async () => [] } = getTarget();
      const [receiver, slow] = [await startReceiver(), await startReceiver({ waits: true })];
      const claimed = await aDelivery();
      const response = slow.send(claimed);
      await slow.started(claimed);
      const [old, recent] = [
        await Promise.all(Array.from({ length: 25 }, aDelivery)),
        await Promise.all(Array.from({ length: 5 }, aDelivery)),
      ];
      for (const delivery of [...old, ...recent]) {
        expect(await receiver.send(delivery)).toEqual([204, '']);
      }
      for (const { key } of old) await expire(key);
      const countOld = async () => {
        const keys = await listKeys();
        return old.filter(({ key }) => keys.includes(key)).length;
      };
      for (const expected of [15, 5, 0]) {
        expect(await receiver.send(await aDelivery())).toEqual([204, '']);
        expect(await countOld()).toBe(expected);
      }
      const kept = [claimed, ...recent].map(({ key }) => key);
      expect(await listKeys()).toEqual(expect.arrayContaining(kept));
      await slow.end('finish');
      expect(await response).toEqual([204, '']);
    });
  });
}
