import { Counter } from '../../../helpers/counter';
import type { SeededRandom } from '../../../helpers/seeded-random';
import type { ClientDependencies } from './api-client';
import { audit } from './audit';
import { Buyer } from './buyer';
import { ClientGroup } from './client-group';
import { Drain } from './drain';
import { EventReader } from './event-reader';
import type { Activity } from './kill-point';
import { createOperationLog, type OperationLog, type PlacedOrder } from './operation-log';
import { createSeedData, type Market, type SeedData } from './seed-data';
import { StatusUpdater } from './status-updater';
import { Subscribers } from './subscribers';
import { type Summary, summarize } from './summary';
import type { Probe, System } from './system';

/** The result of a kill loop. */
export interface KillLoopResult {
  /** The violated invariants, one sentence each. */
  violations: string[];
  summary: Summary;
  /** What the system measured, one row for each kind of fault. */
  report: object[];
}

/** How many webhooks are registered during the rounds. */
const lateWebhooks = 10;
const minRoundsPerWebhook = 2;
const roundsPerProgress = 20;

/** A system that suffers one fault after another, with clients and receivers that keep running. */
export class KillLoop {
  readonly #random: SeededRandom;
  readonly #seedData: SeedData;
  readonly #system: System;
  readonly #log: OperationLog;
  readonly #activity: Activity;
  readonly #drain = new Drain();
  readonly #subscribers: Subscribers;
  readonly #clients = new ClientGroup();
  readonly #readers: EventReader[] = [];
  /** The orders of each market, oldest first. */
  readonly #orders: PlacedOrder[][];
  /** The clients that find out whether an API process works, by its URL. */
  readonly #probers = new Map<string, Buyer>();

  private constructor(random: SeededRandom, seedData: SeedData, system: System) {
    this.#random = random;
    this.#seedData = seedData;
    this.#system = system;
    this.#log = createOperationLog(system);
    this.#activity = {
      requests: new Counter(),
      responses: new Counter(),
      arrivals: new Counter(),
      acknowledgements: new Counter(),
    };
    this.#orders = seedData.markets.map(() => []);
    const dependencies = { ...this.#clientDependencies, random: random.stream('subscribers') };
    this.#subscribers = new Subscribers(dependencies, (arrival) =>
      this.#drain.recordDelivery(arrival),
    );
  }

  /** Creates the data. Starts nothing yet. */
  static async create(system: System, random: SeededRandom, markets: number): Promise<KillLoop> {
    return new KillLoop(random, await createSeedData(system.database, markets), system);
  }

  /** Runs the rounds, waits until all deliveries are made, and audits the database. */
  async run(rounds: number, log: (line: string) => void): Promise<KillLoopResult> {
    const system = this.#system;
    const startedAt = performance.now();
    await system.failOnCrash(system.start());
    for (const market of this.#seedData.markets) await this.#subscribers.subscribeAll(market);
    for (const [number, market] of this.#seedData.markets.entries())
      this.#startClients(market, number);
    const early = await system.failOnCrash(this.#runRounds(rounds, log));
    await system.failOnCrash(this.#clients.end());

    const drainStartedAt = performance.now();
    this.#subscribers.recover();
    log('no more changes; waiting for the pending deliveries');
    await system.failOnCrash(system.finishDeliveries(this.#drain));
    await system.failOnCrash(this.#finishReading());
    await system.stop();

    const state = await system.readState();
    state.faults.push(...(await system.checkFiles()));
    const durations = {
      killing: drainStartedAt - startedAt,
      draining: performance.now() - drainStartedAt,
    };
    const summary = summarize(this.#log, state, durations);
    const violations = new Set([...early, ...audit(this.#seedData, this.#log, state)]);
    return { violations: [...violations], summary, report: system.report(this.#log) };
  }

  /** Stops everything that still runs. */
  async close(): Promise<void> {
    await this.#system.close();
    await this.#subscribers.close();
  }

  get #clientDependencies(): ClientDependencies {
    return { system: this.#system, log: this.#log, activity: this.#activity };
  }

  /** Starts a market's clients. Each does one action after another until the rounds are over. */
  #startClients(market: Market, number: number): void {
    const { buyers, seller, agent } = market;
    const createDependencies = (name: string) => {
      const random = this.#random.stream(`${name} ${number}`);
      return { ...this.#clientDependencies, random, market, orders: this.#getOrders(number) };
    };
    const traders = [
      ...buyers.map((buyer, index) => new Buyer(buyer, createDependencies(`buyer ${index}`))),
      new StatusUpdater(seller, createDependencies('seller')),
      new StatusUpdater(agent, createDependencies('agent')),
    ];
    for (const trader of traders) this.#clients.add(() => trader.act());
    for (const trader of [buyers[0], seller]) {
      const reader = new EventReader(trader, this.#clientDependencies);
      this.#readers.push(reader);
      this.#clients.add((pausing) => reader.act(pausing));
    }
  }

  #getOrders(market: number): PlacedOrder[] {
    const orders = this.#orders[market];
    if (orders === undefined) throw new Error(`There is no market ${market}.`);
    return orders;
  }

  /** Runs the rounds, until an audit after one of them finds a violation. Returns the violations. */
  async #runRounds(rounds: number, log: (line: string) => void): Promise<string[]> {
    const random = this.#random.stream('subscriptions');
    const { responses, arrivals } = this.#activity;
    const roundsPerWebhook = Math.max(minRoundsPerWebhook, Math.ceil(rounds / lateWebhooks));
    const probe = (url: string) => this.#probe(url);
    for (let round = 0; round < rounds; round += 1) {
      if (round > 0 && round % roundsPerProgress === 0) {
        log(`${round} rounds, ${responses.count} responses, ${arrivals.count} arrivals so far`);
      }
      if (round % roundsPerWebhook === 0) {
        const market = random.pick(this.#seedData.markets);
        this.#clients.addOnce(() => this.#subscribers.addSubscription(market));
      }
      await this.#system.runRound({ activity: this.#activity, probe });
      const violations = this.#system.isUpBetweenRounds ? await this.#auditRound() : [];
      if (violations.length === 0) continue;
      log(`round ${round + 1} violated invariants; no more rounds`);
      return violations;
    }
    await this.#system.finishRounds();
    return [];
  }

  /** Audits everything except the deliveries in flight. */
  async #auditRound(): Promise<string[]> {
    await this.#clients.pause();
    for (const reader of this.#readers) await reader.catchUp();
    const state = await this.#system.readState();
    const violations = audit(this.#seedData, this.#log, state, false);
    this.#clients.resume();
    return violations;
  }

  async #finishReading(): Promise<void> {
    for (const reader of this.#readers) {
      await reader.catchUp();
      await reader.compareWithStart();
    }
  }

  async #probe(url: string): Promise<Probe> {
    const firstArrival = this.#log.arrivals.length;
    const { id, buyerId } = await this.#getProber(url).placePlentiful();
    return { delivered: this.#waitForDelivery(id, buyerId, firstArrival) };
  }

  #getProber(url: string): Buyer {
    const known = this.#probers.get(url);
    if (known !== undefined) return known;
    const [market] = this.#seedData.markets;
    if (market === undefined) throw new Error('There is no market.');
    const prober = new Buyer(market.buyers[0], {
      ...this.#clientDependencies,
      system: this.#onlyAt(url),
      random: this.#random.stream(`probe ${this.#probers.size}`),
      market,
      orders: this.#getOrders(0),
      keyPrefix: `probe-${this.#probers.size}-`,
    });
    this.#probers.set(url, prober);
    return prober;
  }

  /** Returns the system as if it had one API process. */
  #onlyAt(url: string): ClientDependencies['system'] {
    const system = this.#system;
    return {
      urls: [url],
      get run() {
        return system.run;
      },
      waitUntilUp: () => system.waitUntilUp(),
    };
  }

  /** Waits until the account got the creation of its order. */
  async #waitForDelivery(orderId: string, accountId: string, firstArrival: number): Promise<void> {
    const { arrivals, subscriptions } = this.#log;
    const webhooks = subscriptions
      .filter((subscription) => subscription.accountId === accountId)
      .map(({ webhookId }) => webhookId);
    const isDelivered = () =>
      arrivals
        .slice(firstArrival)
        .some(
          ({ webhookId, body, acknowledgedAt }) =>
            acknowledgedAt !== null && webhooks.includes(webhookId) && body.includes(orderId),
        );
    while (!isDelivered()) await this.#activity.acknowledgements.waitForMore(1);
  }
}
