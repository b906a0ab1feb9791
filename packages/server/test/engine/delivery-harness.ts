import type { EventType } from '@tradepost/contract';
import type { Attempt } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import {
  insecureWebhookPolicy,
  type WebhookPolicy,
} from '@tradepost/domain/webhooks/webhook-policy';
import { expect, onTestFinished } from 'vitest';
import { createSender, type Sender } from '../../src/engine/attempt/send';
import { type AttemptListener, DeliveryWorker } from '../../src/engine/delivery-worker';
import type { SqliteOptions } from '../../src/stores/sqlite/database';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../src/stores/store';
import { CapturedLog, type LogLine } from '../helpers/captured-log';
import { expectNoSockets } from '../helpers/leaks';
import { Receiver, type Respond } from '../helpers/receiver';
import { tempFile } from '../helpers/temp-folder';
import { Trade } from '../helpers/trade';

/** The shutdown timeout of a worker in milliseconds; on the fake clock it ends only when a test advances it. */
export const shutdownTimeout = 5_000;

/** Options of a worker of the harness. */
export interface WorkerOptions {
  policy?: WebhookPolicy;
  /** Milliseconds that one attempt may take. */
  timeout?: number;
  /** How many attempts may be in flight at once. */
  maxAttempts?: number;
  /** Makes the attempts; a real sender by default. */
  sender?: Sender;
  /** The queue; the store's by default. */
  deliveries?: DeliveryStore;
  /** Called for every attempt. */
  onAttempt?: AttemptListener;
}

/** Workers with a store in a file, data for trade, real receivers, a fake clock and a log. */
export class DeliveryHarness {
  readonly clock = new FakeClock();
  readonly logs = new CapturedLog();
  readonly #file: string;
  readonly #workers = new Set<DeliveryWorker>();
  store: Store;

  private constructor(
    file: string,
    store: Store,
    /** `restart` replaces it, with the store. */
    public trade: Trade,
  ) {
    this.#file = file;
    this.store = store;
  }

  /** Creates a harness. When the test ends, everything is stopped, and a leak fails it. */
  static async open(): Promise<DeliveryHarness> {
    const file = tempFile();
    // Checks run last: what is registered first runs after everything that a test opens later.
    onTestFinished(expectNoSockets);
    const store = openSqliteStore(file);
    const harness = new DeliveryHarness(file, store, await Trade.open(store));
    onTestFinished(async () => {
      await Promise.all([...harness.#workers].map((worker) => harness.stop(worker)));
      await harness.store.close();
      expect(harness.clock.pendingTimers).toBe(0);
    });
    return harness;
  }

  /**
   * Returns the store's queue, which cannot record results as long as `fault` returns an error.
   *
   * @param fault Called for each batch.
   */
  failingToRecord(fault: () => Error | null): DeliveryStore {
    const { deliveries } = this.store;
    return {
      ...deliveries,
      recordAttempts: async (outcomes, now) => {
        const error = fault();
        if (error !== null) throw error;
        return deliveries.recordAttempts(outcomes, now);
      },
    };
  }

  /** Opens the same file again, as another process does. */
  beside(options: SqliteOptions = {}): Trade {
    const store = openSqliteStore(this.#file, options);
    onTestFinished(() => store.close());
    return this.trade.on(store);
  }

  /** Starts a worker as the server does. */
  start(options: WorkerOptions = {}): DeliveryWorker {
    const { clock, logs, store } = this;
    const { policy, timeout, sender, deliveries, maxAttempts, onAttempt } = options;
    const worker = new DeliveryWorker({
      maxAttempts,
      deliveries: deliveries ?? store.deliveries,
      sender: sender ?? createSender(policy ?? insecureWebhookPolicy, clock, { timeout }),
      clock,
      log: logs.log,
      random: () => 0.5,
      ...(onAttempt && { onAttempt }),
    });
    this.#workers.add(worker);
    store.onDeliveriesQueued(() => worker.wake());
    worker.wake();
    return worker;
  }

  /** Stops a worker and waits for it. */
  async stop(worker: DeliveryWorker): Promise<void> {
    this.#workers.delete(worker);
    await worker.stop(shutdownTimeout);
  }

  /** Closes and reopens the store, as a restart of the process does. */
  async restart(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.stop(worker)));
    await this.store.close();
    this.store = openSqliteStore(this.#file);
    this.trade = this.trade.on(this.store);
  }

  /** Opens a receiver and registers it as the buyer's webhook. */
  async receiver(
    respond: Respond,
    events: EventType[] = ['order.created'],
  ): Promise<{ receiver: Receiver; webhook: Webhook }> {
    const receiver = await Receiver.open(respond);
    const url = `${receiver.origin}/hook`;
    const webhook = await this.trade.subscribe(this.trade.buyer, events, { url });
    return { receiver, webhook };
  }

  /** Places an order now. */
  async place(): Promise<void> {
    await this.trade.place({ now: this.clock.now(), quantity: 1 });
  }

  /** Waits for the next attempt that the worker logs as recorded. */
  recorded(): Promise<LogLine & Pick<Attempt, 'status' | 'error'>> {
    return this.logs.next('attempt') as Promise<LogLine & Pick<Attempt, 'status' | 'error'>>;
  }

  /** Sets the clock to when the next delivery is due. The time between does not pass. */
  async skipToNext(worker: DeliveryWorker): Promise<number> {
    const due = await this.store.deliveries.nextDueAt();
    if (due === null) throw new Error('nothing is due any more');
    this.clock.set(due);
    worker.wake();
    return due;
  }

  /** Lets time pass until the next delivery is due, and a little longer, because timers are never early. */
  async advanceToNext(): Promise<number> {
    const due = await this.store.deliveries.nextDueAt();
    if (due === null) throw new Error('nothing is due any more');
    await this.clock.advance(Math.max(due - this.clock.now(), 0) + 1);
    return due;
  }
}
