import type { EventKind } from '@tradepost/contract';
import { expect, onTestFinished } from 'vitest';
import type { Attempt } from '../../src/deliveries/delivery';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import { type AttemptListener, DeliveryWorker } from '../../src/deliveries/delivery-worker';
import { createSender, type Sender } from '../../src/deliveries/send';
import type { Store } from '../../src/store';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import type { Webhook } from '../../src/webhooks/webhook';
import { insecureWebhookPolicy, type WebhookPolicy } from '../../src/webhooks/webhook-policy';
import { FakeClock } from '../fake-clock';
import { expectNoSockets } from '../leaks';
import { type Line, LogBook } from '../log-book';
import { Receiver, type Respond } from '../receiver';
import { Trade } from '../stores/trade';
import { tempFile } from '../temp-folder';

/** How long a worker is given to end its attempts; on the fake clock it ends only when a test says so. */
export const patience = 5_000;

/** What can be set of a rig's worker. */
export interface WorkerOptions {
  policy?: WebhookPolicy;
  /** Milliseconds that one attempt may take. */
  timeout?: number;
  /** How many attempts may be in flight at once. */
  maxAttempts?: number;
  /** What makes the attempts; a real sender by default. */
  sender?: Sender;
  /** The store's queue unless told: where a test makes it fail. */
  deliveries?: DeliveryStore;
  /** Is told of every attempt. */
  onAttempt?: AttemptListener;
}

/** A worker with all that it works with: a store in a file, trade in it, real receivers, a clock that stands still, a log. */
export class DeliveryRig {
  readonly clock = new FakeClock();
  readonly book = new LogBook();
  readonly #file: string;
  readonly #workers = new Set<DeliveryWorker>();
  store: Store;

  private constructor(
    file: string,
    store: Store,
    /** Moves on as `restart` opens the store again. */
    public trade: Trade,
  ) {
    this.#file = file;
    this.store = store;
  }

  /** Opens one. When the test ends, everything is stopped, and what leaks fails it. */
  static async open(): Promise<DeliveryRig> {
    const file = tempFile();
    // Checks run last: what is registered first here is done after all that a test opens later.
    onTestFinished(expectNoSockets);
    const store = openSqliteStore(file);
    const rig = new DeliveryRig(file, store, await Trade.open(store));
    onTestFinished(async () => {
      await Promise.all([...rig.#workers].map((worker) => rig.stop(worker)));
      await rig.store.close();
      expect(rig.clock.pendingTimers).toBe(0);
    });
    return rig;
  }

  /**
   * The store's queue with outcomes that it cannot record as long as `fault` gives an error.
   *
   * @param fault Is asked at each try.
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

  /** Opens the same file once more, as another process does, and trades there. */
  beside(): Trade {
    const store = openSqliteStore(this.#file);
    onTestFinished(() => store.close());
    return this.trade.on(store);
  }

  /** Starts a worker as the server does. */
  start(options: WorkerOptions = {}): DeliveryWorker {
    const { clock, book, store } = this;
    const { policy, timeout, sender, deliveries, maxAttempts, onAttempt } = options;
    const worker = new DeliveryWorker({
      maxAttempts,
      deliveries: deliveries ?? store.deliveries,
      sender: sender ?? createSender(policy ?? insecureWebhookPolicy, clock, { timeout }),
      clock,
      log: book.log,
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
    await worker.stop(patience);
  }

  /** Closes the store and opens it again from its file, as a restart of the process does. */
  async restart(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.stop(worker)));
    await this.store.close();
    this.store = openSqliteStore(this.#file);
    this.trade = this.trade.on(this.store);
  }

  /** Opens a receiver and registers it as the buyer's webhook. */
  async receiver(
    respond: Respond,
    events: EventKind[] = ['order.created'],
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

  /** The next attempt that the worker says it recorded. */
  recorded(): Promise<Line & Pick<Attempt, 'status' | 'error'>> {
    return this.book.next('attempt') as Promise<Line & Pick<Attempt, 'status' | 'error'>>;
  }

  /** Sets the clock to when the next delivery is due, without living through the time between. */
  async skipToNext(worker: DeliveryWorker): Promise<number> {
    const due = await this.store.deliveries.nextDueAt();
    if (due === null) throw new Error('nothing is due any more');
    this.clock.set(due);
    worker.wake();
    return due;
  }

  /** Lets time pass until the next delivery is due, and a moment more, as timers are never early. */
  async advanceToNext(): Promise<number> {
    const due = await this.store.deliveries.nextDueAt();
    if (due === null) throw new Error('nothing is due any more');
    await this.clock.advance(Math.max(due - this.clock.now(), 0) + 1);
    return due;
  }
}
