import { sampleEvent, exampleSecret as secret, signDelivery } from '@tradepost/sdk/testing';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import type { RunningProcess } from '../../helpers/start-process';
import { replacePart } from './read-recipe';
import type { Start } from './start-application';

/** The file with a worker whose handler the test controls: a variant of the recipe. */
export const controlledWorker = 'src/controlled-worker.ts';

/** Changes the worker of a recipe: the test controls its handler. */
export function withControl(recipe: string): string {
  const imported = replacePart(recipe, './handle.js', './control.js');
  return replacePart(imported, 'handle(data)', 'handle(data.id)');
}

/** A queue with a receiver and workers in processes of their own. */
export interface QueueTarget {
  /** Starts a process of the project. */
  start: Start;
  /** The variables that name the queue. */
  connection: Record<string, string>;
  /** Returns how many jobs the queue has in any state. */
  countJobs(): Promise<number>;
  /** Returns whether the queue has the job of an event as completed. */
  isCompleted(id: string): Promise<boolean>;
  /** Makes the time of the jobs that run end now, if the queue has one. Otherwise a lock expires by itself. */
  expireJobs?(): Promise<unknown>;
  /** Stops the queue, until the returned function is called. */
  breakQueue(): Promise<() => Promise<void>>;
}

/** A signed delivery, and the ID of its event, by which the output of the worker is found. */
async function aDelivery(by = secret) {
  const event = sampleEvent('order.created');
  const { headers, init } = await signDelivery({ event, secret: by });
  return { id: headers['webhook-id'] ?? '', init };
}

type Delivery = Awaited<ReturnType<typeof aDelivery>>;

/** Tests that a recipe with a queue loses and repeats nothing. */
export function describeQueue(title: string, getTarget: () => QueueTarget): void {
  describe(title, () => {
    let target: QueueTarget;
    let url: string;
    let receiver: RunningProcess;

    beforeEach(async () => {
      target = getTarget();
      const started = await target.start({
        args: ['dist/receiver.js'],
        ready: /listening on port/,
        env: target.connection,
      });
      receiver = started.process;
      url = `http://127.0.0.1:${started.port}/webhooks`;
      return () => receiver.stop('SIGKILL');
    });

    async function send({ init }: Delivery): Promise<[number, string]> {
      const response = await fetch(url, init);
      return [response.status, await response.text()];
    }

    /** Starts a worker. Its handlers do what `handlers` says; by default, they succeed. */
    async function startWorker(handlers = ''): Promise<RunningProcess> {
      const { process } = await target.start({
        args: ['dist/controlled-worker.js'],
        ready: /^working$/m,
        env: { ...target.connection, HANDLERS: handlers },
      });
      return forTest(process, 'SIGKILL');
    }

    const handled = ({ id }: Delivery) => new RegExp(`^handled ${id}$`, 'm');
    const started = ({ id }: Delivery) => new RegExp(`^started ${id}$`, 'm');
    const count = (worker: RunningProcess, line: RegExp) =>
      worker.stdout().match(new RegExp(line, 'gm'))?.length ?? 0;

    test('a delivery that arrives several times is one job, before and after it is done', async () => {
      const before = await target.countJobs();
      const delivery = await aDelivery();
      const responses = await Promise.all([send(delivery), send(delivery), send(delivery)]);
      expect(responses).toEqual([204, 204, 204].map((status) => [status, '']));
      expect(await target.countJobs()).toBe(before + 1);
      const worker = await startWorker();
      await worker.writes(handled(delivery));
      await expect.poll(() => target.isCompleted(delivery.id), { timeout: 30_000 }).toBe(true);
      expect(await send(delivery)).toEqual([204, '']);
      expect(await target.countJobs()).toBe(before + 1);
      const last = await aDelivery();
      expect(await send(last)).toEqual([204, '']);
      await worker.writes(handled(last));
      expect(count(worker, started(delivery))).toBe(1);
    });

    test('a forged delivery adds no job', async () => {
      const before = await target.countJobs();
      const [status] = await send(await aDelivery('whsec_b3RoZXI='));
      expect(status).toBe(400);
      expect(await target.countJobs()).toBe(before);
    });

    test('a job whose handler throws is done again', async () => {
      const worker = await startWorker('fail');
      const delivery = await aDelivery();
      expect(await send(delivery)).toEqual([204, '']);
      await worker.writes(handled(delivery));
      expect(count(worker, started(delivery))).toBe(2);
    });

    test('a job whose worker is killed, twice, is done by another worker', async () => {
      const delivery = await aDelivery();
      expect(await send(delivery)).toEqual([204, '']);
      for (let kill = 1; kill <= 2; kill += 1) {
        const worker = await startWorker('wait');
        await worker.writes(started(delivery));
        expect(await worker.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
        await target.expireJobs?.();
      }
      const worker = await startWorker();
      await worker.writes(handled(delivery));
    });

    test('while the queue is down, the service gets a 500, and then delivers again', async () => {
      const worker = await startWorker();
      const delivery = await aDelivery();
      const restore = await target.breakQueue();
      expect(await send(delivery)).toEqual([500, 'HANDLER_FAILED']);
      await restore();
      await expect
        .poll(() => send(delivery), { timeout: 30_000, interval: 100 })
        .toEqual([204, '']);
      await worker.writes(handled(delivery));
    });

    // The last test, because the times of this worker are long and BullMQ keeps them in the queue.
    test('the worker of the recipe gets the event, and ends with SIGTERM', async () => {
      const delivery = await aDelivery();
      expect(await send(delivery)).toEqual([204, '']);
      const { process: worker } = await target.start({
        args: ['dist/worker.js'],
        ready: /^working$/m,
        env: target.connection,
      });
      onTestFinished(async () => void (await worker.stop('SIGKILL')));
      const [line] = await worker.writes(new RegExp(`^.*${delivery.id}.*$`, 'm'));
      expect(line).toMatch(/^evt_\w+ order\.created \d{4}-/);
      expect(await worker.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
    });
  });
}
