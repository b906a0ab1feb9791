import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import type { Clock } from '@tradepost/domain/kernel/context';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { pino } from 'pino';
import { DeliveryWorker } from '../../src/engine/delivery-worker';
import type { FaultInjector, Verb } from './fault-injector';
import type { SimulatedLocks } from './simulated-locks';
import { type SimulatedNetwork, SimulatedSender } from './simulated-sender';
import type { StoreCalls } from './store-calls';
import type { Timer } from './virtual-time';

/** What a simulated worker runs in. */
export interface WorkerEnvironment extends SimulatedNetwork {
  /** Opens the store of a worker. */
  openStore(): DeliveryStore;
  /** The locks that the store asks which workers are alive. */
  locks: SimulatedLocks;
  /** Numbers from 0 to below 1, for the jitter. */
  random: () => number;
  faultInjector: FaultInjector;
  /** The calls of the store. */
  calls: StoreCalls;
  /** Called when the worker crashes in a call of the store, with the time until another one starts. */
  onCrash(worker: SimulatedWorker, downFor: number): void;
}

const silent = pino({ level: 'silent' });

function never(): Promise<never> {
  return new Promise(() => {});
}

/** A real worker that can crash: then none of its pending calls and timers completes. */
export class SimulatedWorker {
  /** Its timers. */
  readonly timers = new Set<Timer>();
  readonly #environment: WorkerEnvironment;
  readonly #sender: SimulatedSender;
  readonly #worker: DeliveryWorker;
  #isDead = false;
  #id: string | null = null;

  constructor(environment: WorkerEnvironment) {
    this.#environment = environment;
    this.#sender = new SimulatedSender(environment);
    this.#worker = new DeliveryWorker({
      deliveries: this.#deliveries(),
      sender: this.#sender,
      clock: this.#clock(),
      log: silent,
      random: environment.random,
    });
    environment.invariants.workerStarted(this.#sender);
    this.#worker.wake();
  }

  wake(): void {
    if (!this.#isDead) this.#worker.wake();
  }

  /** Stops the worker, as a shutdown does. */
  async stop(timeoutMs: number): Promise<void> {
    await this.#worker.stop(timeoutMs);
    this.#endProcess();
    this.#environment.invariants.workerEnded(this.#sender, 'a worker stops');
  }

  /** Ends the worker, as a crash does. */
  kill(how = 'a worker crashes'): void {
    this.#endProcess();
    this.#sender.kill();
    this.#environment.invariants.workerEnded(this.#sender, how);
    for (const timer of this.timers) this.#environment.time.cancel(timer);
    this.timers.clear();
  }

  #endProcess(): void {
    this.#isDead = true;
    if (this.#id !== null) this.#environment.locks.end(this.#id);
  }

  #clock(): Clock {
    const { time } = this.#environment;
    return {
      now: () => time.now(),
      elapsed: () => time.elapsed,
      schedule: (milliseconds, work) => {
        if (this.#isDead) return () => {};
        const timer = time.schedule(milliseconds, () => {
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
    const { invariants } = this.#environment;
    const store = this.#environment.openStore();
    return {
      ...store,
      registerWorker: () =>
        this.#call('registerWorker', async () => {
          const { id, end } = await store.registerWorker();
          this.#id = id;
          if (this.#isDead) this.#endProcess();
          return {
            id,
            end: (now) =>
              this.#call('endWorker', () => {
                invariants.releasesLeases(this.#sender);
                return end(now);
              }),
          };
        }),
      releaseDeadLeases: (now) =>
        this.#call('releaseDeadLeases', async () => {
          const released = await store.releaseDeadLeases(now);
          if (released > 0) invariants.log(`released ${released} leases of dead workers`);
          return released;
        }),
      resetStaleLeases: (now) =>
        this.#call('resetStaleLeases', async () => {
          await store.resetStaleLeases(now);
          await invariants.adjusted();
        }),
      adjustToClock: (clock) =>
        this.#call('adjustToClock', async () => {
          await store.adjustToClock(clock);
          await invariants.adjusted();
        }),
      nextDueAt: () => this.#call('nextDueAt', () => store.nextDueAt()),
      leaseDue: (request) =>
        this.#call('leaseDue', async () => {
          const leased = await store.leaseDue(request);
          await invariants.leased(request, leased, this.#sender);
          return leased;
        }),
      recordAttempts: (outcomes, now) =>
        this.#call('recordAttempts', async () => {
          await store.recordAttempts(outcomes, now);
          invariants.recorded(outcomes);
        }),
    };
  }

  async #call<Result>(verb: Verb, work: () => Promise<Result>): Promise<Result> {
    if (this.#isDead) return never();
    await this.#environment.calls.start();
    try {
      if (this.#isDead) return never();
      const { fault, downFor } = this.#environment.faultInjector.decide(verb);
      if (fault === 'crash before') return this.#crash(downFor);
      if (fault !== 'done') this.#environment.invariants.disturbed(`${verb} ${fault}`);
      if (fault === 'rejected') throw new StoreUnavailableError(`${verb} is rejected`);
      const result = await work();
      if (this.#isDead) return never();
      if (fault === 'crash after') return this.#crash(downFor);
      if (fault === 'response lost')
        throw new StoreUnavailableError(`the response of ${verb} is lost`);
      return result;
    } finally {
      this.#environment.calls.end();
    }
  }

  #crash(downFor: number): Promise<never> {
    this.kill();
    this.#environment.onCrash(this, downFor);
    return never();
  }
}
