import { pino } from 'pino';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import { DeliveryWorker } from '../../src/deliveries/delivery-worker';
import type { Clock } from '../../src/kernel/context';
import { StoreUnavailableError } from '../../src/kernel/errors';
import type { FaultInjector, Verb } from './fault-injector';
import { type SimulatedNetwork, SimulatedSender } from './simulated-sender';
import type { Timer } from './virtual-time';

/** What a life is lived in. */
export interface WorkerSurroundings extends SimulatedNetwork {
  store: DeliveryStore;
  /** Numbers from 0 to below 1, for the jitter. */
  random: () => number;
  faultInjector: FaultInjector;
  /** Counts calls of the store that are in flight: 1 more, or 1 less. */
  count(calls: 1 | -1): void;
  /** Called when a call of the store was the worker's end, and how long it is gone. */
  onDeath(life: WorkerLife, downFor: number): void;
}

const silent = pino({ level: 'silent' });

function never(): Promise<never> {
  return new Promise(() => {});
}

/** A real worker from its start to its end, which may be sudden: then nothing that it waits for ever comes. */
export class WorkerLife {
  /** What it waits for to happen by time alone. */
  readonly timers = new Set<Timer>();
  readonly #in: WorkerSurroundings;
  readonly #sender: SimulatedSender;
  readonly #worker: DeliveryWorker;
  #dead = false;

  constructor(surroundings: WorkerSurroundings) {
    this.#in = surroundings;
    this.#sender = new SimulatedSender(surroundings);
    this.#worker = new DeliveryWorker({
      deliveries: this.#deliveries(),
      sender: this.#sender,
      clock: this.#clock(),
      log: silent,
      random: surroundings.random,
    });
    surroundings.invariants.began(this.#sender);
    this.#worker.wake();
  }

  wake(): void {
    if (!this.#dead) this.#worker.wake();
  }

  /** Stops it in good order. */
  async stop(patience: number): Promise<void> {
    await this.#worker.stop(patience);
    this.#dead = true;
    this.#in.invariants.ended(this.#sender, 'a worker stops');
  }

  /** Ends it as a crash does. */
  die(how = 'a worker crashes'): void {
    this.#dead = true;
    this.#sender.die();
    this.#in.invariants.ended(this.#sender, how);
    for (const timer of this.timers) this.#in.time.cancel(timer);
    this.timers.clear();
  }

  #clock(): Clock {
    const { time } = this.#in;
    return {
      now: () => time.now(),
      elapsed: () => time.elapsed,
      schedule: (milliseconds, work) => {
        if (this.#dead) return () => {};
        const timer = time.after(milliseconds, () => {
          this.timers.delete(timer);
          work();
        });
        this.timers.add(timer);
        return () => {
          time.cancel(timer);
          this.timers.delete(timer);
        };
      },
    };
  }

  #deliveries(): DeliveryStore {
    const { store, invariants } = this.#in;
    return {
      ...store,
      resetStaleLeases: (now) =>
        this.#call('beginAnew', async () => {
          await store.resetStaleLeases(now);
          invariants.adjusted();
        }),
      adjustToClock: (clock) =>
        this.#call('adjustToClock', async () => {
          await store.adjustToClock(clock);
          invariants.adjusted();
        }),
      nextDueAt: () => this.#call('nextDueAt', () => store.nextDueAt()),
      leaseDue: (request) =>
        this.#call('claimDue', async () => {
          const claimed = await store.leaseDue(request);
          invariants.claimed(request, claimed, this.#sender);
          return claimed;
        }),
      recordAttempts: (outcomes, now) =>
        this.#call('recordAttempts', async () => {
          await store.recordAttempts(outcomes, now);
          invariants.recorded(outcomes);
        }),
    };
  }

  async #call<Result>(verb: Verb, work: () => Promise<Result>): Promise<Result> {
    if (this.#dead) return never();
    this.#in.count(1);
    try {
      const { fate, downFor } = this.#in.faultInjector.of(verb);
      if (fate === 'crash before') return this.#crash(downFor);
      if (fate !== 'done') this.#in.invariants.disturbed(`${verb} ${fate}`);
      if (fate === 'refused') throw new StoreUnavailableError(`${verb} is refused`);
      const result = await work();
      if (this.#dead) return never();
      if (fate === 'crash after') return this.#crash(downFor);
      if (fate === 'answer lost') throw new StoreUnavailableError(`${verb} has no answer`);
      return result;
    } finally {
      this.#in.count(-1);
    }
  }

  #crash(downFor: number): Promise<never> {
    this.die();
    this.#in.onDeath(this, downFor);
    return never();
  }
}
