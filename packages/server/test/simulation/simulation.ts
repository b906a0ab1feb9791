import { type LeasedDelivery, retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import { noon } from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import type { Store } from '../../src/stores/store';
import { addEndpoint, enqueueDelivery } from '../helpers/enqueue';
import { Trade } from '../helpers/trade';
import { FaultInjector } from './fault-injector';
import { Invariants } from './invariants';
import { drawPlan, lastArrival, type Plan, type PlannedEndpoint } from './plan';
import { SeededRandom } from './seeded-random';
import type { OpenDatabase, SimulatedDatabase } from './simulated-database';
import { SimulatedLocks } from './simulated-locks';
import { createReply, socketExhaustion } from './simulated-receivers';
import { SimulatedWorker, type WorkerEnvironment } from './simulated-worker';
import { StoreCalls } from './store-calls';
import { VirtualTime } from './virtual-time';

const second = 1_000;
const hour = 3_600 * second;
const pollIntervalMs = second;
const shutdownTimeoutMs = 5 * second;
/** Within this time, each running worker has checked the clock. */
const clockCheckMs = 3 * second;
/** The simulation ends by then: the last arrival, its retry window, and what setbacks add to it. */
const longest = lastArrival + retryWindowMs + 10 * hour;
const shortest = 25 * hour;
/** The maximum number of steps: many times what a day needs. */
const maxSteps = 50_000;

/** An endpoint in the store, with its plan. */
interface SimulatedEndpoint {
  name: string;
  planned: PlannedEndpoint;
  webhook: Webhook;
  random: SeededRandom;
}

/** Simulates more than a day of the engine: real workers and a real store; a seed decides the rest. */
export class Simulation {
  readonly plan: Plan;
  readonly time = new VirtualTime(noon);
  readonly invariants: Invariants;
  readonly #database: SimulatedDatabase;
  readonly #store: Store;
  readonly #calls: StoreCalls;
  readonly #locks: SimulatedLocks;
  readonly #environment: WorkerEnvironment;
  readonly #faultInjector: FaultInjector;
  readonly #random: SeededRandom;
  readonly #pauses: SeededRandom;
  readonly #workers = new Set<SimulatedWorker>();
  readonly #stopping = new Set<SimulatedWorker>();
  readonly #endpoints = new Map<string, SimulatedEndpoint>();
  /** Actions that are due. They run once everything else has settled. */
  readonly #actions: (() => Promise<void>)[] = [];
  /** Since when workers may find something new although nothing is due, in milliseconds since the start. */
  #pollsFrom = Number.NEGATIVE_INFINITY;
  #arrivals = 0;

  private constructor(
    seed: number,
    database: SimulatedDatabase,
    locks: SimulatedLocks,
    alterStore: (deliveries: DeliveryStore) => DeliveryStore,
  ) {
    this.#random = new SeededRandom(`simulation ${seed}`);
    this.plan = drawPlan(seed);
    this.#database = database;
    this.#store = database.store;
    this.#locks = locks;
    this.#calls = new StoreCalls(database.hasRealIo ? this.#random.stream('turns') : null);
    this.invariants = new Invariants(this.time, database.state);
    this.#faultInjector = new FaultInjector(
      this.plan.faults,
      this.#random.stream('faults'),
      this.time,
    );
    this.#pauses = this.#random.stream('pauses');
    const jitter = this.#random.stream('jitter');
    this.#environment = {
      time: this.time,
      invariants: this.invariants,
      faultInjector: this.#faultInjector,
      openStore: () => alterStore(database.openWorkerStore()),
      locks: this.#locks,
      random: () => jitter.next(),
      reply: (delivery) => this.#reply(delivery),
      calls: this.#calls,
      onCrash: (worker, downFor) => this.#scheduleRestart(worker, downFor),
    };
  }

  /**
   * Opens the simulation of a seed.
   *
   * @param alterStore Changes the store of a worker, so that a test can violate an invariant.
   */
  static async open(
    seed: number,
    openDatabase: OpenDatabase,
    alterStore: (deliveries: DeliveryStore) => DeliveryStore = (same) => same,
  ): Promise<Simulation> {
    const locks = new SimulatedLocks();
    return new Simulation(seed, await openDatabase(locks), locks, alterStore);
  }

  /** Runs the simulation to its end, or to the first violation. */
  async run(): Promise<void> {
    await this.#open();
    for (let steps = 0; steps < maxSteps; steps += 1) {
      await this.#calls.settle();
      for (const action of this.#actions.splice(0)) {
        await action();
        await this.#calls.settle();
      }
      if (this.invariants.violations.length > 0 || this.#over()) break;
      await this.#skipIdleTime();
      this.time.step();
    }
    if (this.invariants.violations.length === 0) await this.invariants.finish();
    for (const worker of [...this.#workers, ...this.#stopping]) worker.kill('the simulation ends');
    await this.#database.close();
  }

  #over(): boolean {
    const { elapsed } = this.time;
    const done = this.#arrivals === 0 && this.invariants.settled && elapsed >= shortest;
    return done || elapsed >= longest;
  }

  async #open(): Promise<void> {
    const trade = await Trade.open(this.#store);
    for (const [index, planned] of this.plan.endpoints.entries()) {
      const status = planned.kind === 'paused' ? 'paused' : 'active';
      const webhook = await addEndpoint(trade, { status });
      const name = `e${index + 1}`;
      const random = this.#random.stream(name);
      this.#endpoints.set(webhook.id, { name, planned, webhook, random });
    }
    this.#scheduleArrivals(trade);
    this.#scheduleDisturbances();
    this.#scheduleSweep();
    for (let count = 0; count < this.plan.workers; count += 1) this.#start();
    if (this.plan.woken) {
      this.#store.onDeliveriesQueued(() => {
        for (const worker of this.#workers) worker.wake();
      });
    }
  }

  #scheduleArrivals(trade: Trade): void {
    for (const endpoint of this.#endpoints.values()) {
      let queued = 0;
      for (const { at, count } of endpoint.planned.arrivals) {
        this.#arrivals += 1;
        this.#at(at, async () => {
          this.#arrivals -= 1;
          const now = this.time.now();
          const { accountId } = endpoint.webhook;
          for (const eventId of await enqueueDelivery(trade, { accountId, count, now })) {
            queued += 1;
            this.invariants.queued(eventId, {
              label: `${endpoint.name}#${queued}`,
              endpoint: endpoint.planned,
              queuedAt: this.time.elapsed,
              dueAt: now,
              deadlineAt: now + retryWindowMs,
            });
          }
        });
      }
    }
  }

  #scheduleDisturbances(): void {
    for (const crash of this.plan.crashes) {
      this.#at(crash.at, async () => {
        if (crash.upon !== 'immediately') return this.#faultInjector.arm(crash);
        const [worker] = this.#workers;
        worker?.kill();
        if (worker !== undefined) this.#scheduleRestart(worker, crash.downFor);
      });
    }
    for (const at of this.plan.stops) this.#at(at, async () => this.#replace());
    for (const { at, by } of this.plan.clockChanges) {
      this.#at(at, async () => {
        this.invariants.clockSet(by);
        this.time.setClock(by);
        this.#pollsFrom = this.time.elapsed;
      });
    }
    for (const { from, to } of this.plan.shortages) {
      this.#at(from, async () => this.invariants.disturbed('sockets run out'));
      this.#at(to, async () => this.invariants.disturbed('sockets are available again'));
    }
    for (const { to } of this.plan.faults) {
      this.#at(to, async () => {
        this.invariants.disturbed('the store is available again');
        this.#pollsFrom = this.time.elapsed;
      });
    }
  }

  #scheduleSweep(): void {
    this.time.schedule(this.#pauses.between(second, hour), () => {
      this.#actions.push(() => this.#sweep());
      this.#scheduleSweep();
    });
  }

  /** Fails overdue deliveries, as the engine's housekeeping does. */
  async #sweep(): Promise<void> {
    const request = { now: this.time.now(), limit: 3 };
    while ((await this.#store.deliveries.failOverdue(request)) > 0) await this.invariants.swept();
  }

  #at(context: number, action: () => Promise<void>): void {
    this.time.schedule(context, () => this.#actions.push(action));
  }

  #start(): void {
    this.#workers.add(new SimulatedWorker(this.#environment));
  }

  #scheduleRestart(worker: SimulatedWorker, downFor: number): void {
    this.#workers.delete(worker);
    this.#stopping.delete(worker);
    this.#at(downFor, async () => this.#start());
  }

  /** Stops a worker while its successor starts. */
  #replace(): void {
    const [worker] = this.#workers;
    if (worker === undefined) return;
    this.invariants.disturbed('stopping');
    this.#workers.delete(worker);
    this.#stopping.add(worker);
    this.#start();
    void worker.stop(shutdownTimeoutMs).then(() => {
      this.#stopping.delete(worker);
    });
  }

  #reply(delivery: LeasedDelivery) {
    const endpoint = this.#endpoints.get(delivery.webhookId);
    if (endpoint === undefined) throw new Error('a delivery to an unknown endpoint');
    const { elapsed } = this.time;
    const isShort = this.plan.shortages.some(({ from, to }) => from <= elapsed && elapsed < to);
    if (isShort) return socketExhaustion(endpoint.random);
    return createReply(endpoint.planned, elapsed, endpoint.random);
  }

  /**
   * Skips the polls in which idle workers would find nothing: a day has a great many of
   * them. Every other poll happens at its normal time.
   */
  async #skipIdleTime(): Promise<void> {
    if (this.#stopping.size > 0 || this.#faultInjector.fault !== undefined) return;
    // The next poll takes over the leases of a dead worker.
    if (this.#locks.hasEnded) return;
    // First, each worker must check the clock, as soon as the store allows it.
    if (this.time.elapsed < this.#pollsFrom + clockCheckMs) return;
    const pollTimers = new Set([...this.#workers].flatMap(({ timers }) => [...timers]));
    // A worker has more than its poll timer while results wait for the store.
    if (pollTimers.size !== this.#workers.size) return;
    const dueAt = (await this.#store.deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY;
    const due = this.time.elapsed + Math.max(0, dueAt - this.time.now());
    const until = Math.min(this.time.nextDue(pollTimers), due);
    for (const timer of pollTimers) {
      const polls = Math.floor((until - timer.due) / pollIntervalMs);
      if (polls > 0) timer.due += polls * pollIntervalMs;
    }
  }
}
