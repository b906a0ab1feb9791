import { type LeasedDelivery, retryWindowMs } from '../../src/deliveries/delivery';
import type { DeliveryStore } from '../../src/deliveries/delivery-store';
import type { Webhook } from '../../src/features/webhooks/webhook';
import { SqliteDatabase } from '../../src/stores/sqlite/database';
import { createStore } from '../../src/stores/sqlite/sqlite-store';
import { noon } from '../helpers/builders';
import { addEndpoint, enqueueDelivery } from '../helpers/enqueue';
import { Trade } from '../helpers/trade';
import { FaultInjector } from './fault-injector';
import { Invariants } from './invariants';
import { drawPlan, lastArrival, type Plan, type PlannedEndpoint } from './plan';
import { SeededRandom } from './seeded-random';
import { createReply, socketExhaustion } from './simulated-receivers';
import { VirtualTime } from './virtual-time';
import { WorkerLife, type WorkerSurroundings } from './worker-life';

const second = 1_000;
const hour = 3_600 * second;
const longestNap = second;
const stopPatience = 5 * second;
/** Within this time each worker that runs has looked at the clock. */
const looksAtClock = 3 * second;
/** All is over by then: the last arrival, its window, and what setbacks add to it. */
const longest = lastArrival + retryWindowMs + 10 * hour;
const shortest = 25 * hour;
/** Moments at which something happens: many times what a day has. */
const mostMoments = 50_000;
/** Turns of the event loop without a call of the store after which nothing continues by itself. */
const calmTurns = 4;

/** An endpoint in the store, with what it is to do. */
interface SimulatedEndpoint {
  name: string;
  planned: PlannedEndpoint;
  webhook: Webhook;
  random: SeededRandom;
}

/** A day and more in the life of the engine: real workers on a real store, and all else as a seed will have it. */
export class Simulation {
  readonly plan: Plan;
  readonly time = new VirtualTime(noon);
  readonly invariants: Invariants;
  readonly #db = new SqliteDatabase(':memory:');
  readonly #store = createStore(this.#db);
  readonly #surroundings: WorkerSurroundings;
  readonly #fates: FaultInjector;
  readonly #chance: SeededRandom;
  readonly #pauses: SeededRandom;
  readonly #lives = new Set<WorkerLife>();
  readonly #stopping = new Set<WorkerLife>();
  readonly #endpoints = new Map<string, SimulatedEndpoint>();
  /** What was to happen by now, and happens once all else is quiet. */
  readonly #actions: (() => Promise<void>)[] = [];
  /** Since when workers may see something new though nothing is due, in milliseconds since the beginning. */
  #looksFrom = Number.NEGATIVE_INFINITY;
  #arrivals = 0;
  #calls = 0;

  /** @param tamper Makes the store another one: where a test has promises broken. */
  constructor(seed: number, tamper: (deliveries: DeliveryStore) => DeliveryStore = (same) => same) {
    this.#chance = new SeededRandom(`simulation ${seed}`);
    this.plan = drawPlan(seed);
    this.invariants = new Invariants(this.time, this.#db);
    this.#fates = new FaultInjector(this.plan.faults, this.#chance.stream('fates'), this.time);
    this.#pauses = this.#chance.stream('pauses');
    const jitter = this.#chance.stream('jitter');
    this.#surroundings = {
      time: this.time,
      invariants: this.invariants,
      faultInjector: this.#fates,
      store: tamper(this.#store.deliveries),
      random: () => jitter.next(),
      reply: (delivery) => this.#reply(delivery),
      count: (calls) => {
        this.#calls += calls;
      },
      onDeath: (life, downFor) => this.#bury(life, downFor),
    };
  }

  /** Lives through all of it, or up to the first promise that is broken. */
  async run(): Promise<void> {
    await this.#open();
    for (let moments = 0; moments < mostMoments; moments += 1) {
      await this.#quiet();
      for (const action of this.#actions.splice(0)) {
        await action();
        await this.#quiet();
      }
      if (this.invariants.broken.length > 0 || this.#over()) break;
      await this.#skipIdleTime();
      this.time.step();
    }
    if (this.invariants.broken.length === 0) this.invariants.finish();
    for (const life of [...this.#lives, ...this.#stopping]) life.die('all is over');
    await this.#store.close();
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
      const random = this.#chance.stream(name);
      this.#endpoints.set(webhook.id, { name, planned, webhook, random });
    }
    this.#scheduleArrivals(trade);
    this.#scheduleDisturbances();
    this.#scheduleSweep();
    for (let count = 0; count < this.plan.workers; count += 1) this.#start();
    if (this.plan.woken) {
      this.#store.onDeliveriesQueued(() => {
        for (const life of this.#lives) life.wake();
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
        if (crash.upon !== 'the moment') return this.#fates.load(crash);
        const [life] = this.#lives;
        life?.die();
        if (life !== undefined) this.#bury(life, crash.downFor);
      });
    }
    for (const at of this.plan.stops) this.#at(at, async () => this.#replace());
    for (const { at, by } of this.plan.clockChanges) {
      this.#at(at, async () => {
        this.invariants.clockSet(by);
        this.time.setClock(by);
        this.#looksFrom = this.time.elapsed;
      });
    }
    for (const { from, to } of this.plan.shortages) {
      this.#at(from, async () => this.invariants.disturbed('sockets run out'));
      this.#at(to, async () => this.invariants.disturbed('sockets are there again'));
    }
    for (const { to } of this.plan.faults) {
      this.#at(to, async () => {
        this.invariants.disturbed('the store is well');
        this.#looksFrom = this.time.elapsed;
      });
    }
  }

  #scheduleSweep(): void {
    this.time.after(this.#pauses.between(second, hour), () => {
      this.#actions.push(() => this.#sweep());
      this.#scheduleSweep();
    });
  }

  /** Fails what is overdue, as the engine's housekeeping does. */
  async #sweep(): Promise<void> {
    const request = { now: this.time.now(), limit: 3 };
    while ((await this.#store.deliveries.failOverdue(request)) > 0) this.invariants.swept();
  }

  #at(context: number, action: () => Promise<void>): void {
    this.time.after(context, () => this.#actions.push(action));
  }

  #start(): void {
    this.#lives.add(new WorkerLife(this.#surroundings));
  }

  #bury(life: WorkerLife, downFor: number): void {
    this.#lives.delete(life);
    this.#stopping.delete(life);
    this.#at(downFor, async () => this.#start());
  }

  /** Stops a worker in good order while its successor starts. */
  #replace(): void {
    const [life] = this.#lives;
    if (life === undefined) return;
    this.invariants.disturbed('stopping');
    this.#lives.delete(life);
    this.#stopping.add(life);
    this.#start();
    void life.stop(stopPatience).then(() => {
      this.#stopping.delete(life);
    });
  }

  #reply(delivery: LeasedDelivery) {
    const endpoint = this.#endpoints.get(delivery.webhookId);
    if (endpoint === undefined) throw new Error('a delivery to nobody');
    const { elapsed } = this.time;
    const isShort = this.plan.shortages.some(({ from, to }) => from <= elapsed && elapsed < to);
    if (isShort) return socketExhaustion(endpoint.random);
    return createReply(endpoint.planned, elapsed, endpoint.random);
  }

  /** Lets everything run that waits for nothing but its turn. */
  async #quiet(): Promise<void> {
    for (let calm = 0; calm < calmTurns; calm += 1) {
      await new Promise((done) => setImmediate(done));
      if (this.#calls > 0) calm = -1;
    }
  }

  /**
   * Lets workers that nap sleep through looks in which they would find nothing: a day has a great many of
   * them. What remains happens exactly when it would have.
   */
  async #skipIdleTime(): Promise<void> {
    if (this.#stopping.size > 0 || this.#fates.fault !== undefined) return;
    // Each worker is to see first what became of the clock, as soon as the store lets it.
    if (this.time.elapsed < this.#looksFrom + looksAtClock) return;
    const naps = new Set([...this.#lives].flatMap(({ timers }) => [...timers]));
    // More than a nap is set while outcomes wait for the store.
    if (naps.size !== this.#lives.size) return;
    const dueAt = (await this.#store.deliveries.nextDueAt()) ?? Number.POSITIVE_INFINITY;
    const due = this.time.elapsed + Math.max(0, dueAt - this.time.now());
    const until = Math.min(this.time.nextDue(naps), due);
    for (const timer of naps) {
      const looks = Math.floor((until - timer.due) / longestNap);
      if (looks > 0) timer.due += looks * longestNap;
    }
  }
}
