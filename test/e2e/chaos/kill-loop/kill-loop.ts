import { Counter } from '../../../helpers/counter';
import type { SeededRandom } from '../../../helpers/seeded-random';
import { audit } from './audit';
import { Buyer } from './buyer';
import { Drain } from './drain';
import { type Activity, drawKillPoint, waitForKillPoint } from './kill-point';
import { KillableServer } from './killable-server';
import { createOperationLog, type OperationLog, type PlacedOrder } from './operation-log';
import { readPending, readRecordedState } from './recorded-state';
import type { ClientDependencies } from './retry-until-response';
import { createSeedData, type Market, type SeedData } from './seed-data';
import { StatusUpdater } from './status-updater';
import { Subscribers } from './subscribers';
import { type Summary, summarize } from './summary';

/** The result of a kill loop. */
export interface KillLoopResult {
  /** The violated invariants, one sentence each. */
  violations: string[];
  summary: Summary;
}

/** How many webhooks are registered during the kills. */
const lateWebhooks = 10;

/** A server that is killed repeatedly, with clients and receivers that keep running. */
export class KillLoop {
  readonly #random: SeededRandom;
  readonly #database: string;
  readonly #seedData: SeedData;
  readonly #server: KillableServer;
  readonly #log: OperationLog;
  readonly #activity: Activity;
  readonly #drain = new Drain();
  readonly #subscribers: Subscribers;
  readonly #clients: Promise<void>[] = [];
  #isTrading = true;

  private constructor(
    random: SeededRandom,
    database: string,
    seedData: SeedData,
    server: KillableServer,
  ) {
    this.#random = random;
    this.#database = database;
    this.#seedData = seedData;
    this.#server = server;
    this.#log = createOperationLog(server.killedAt);
    this.#activity = {
      requests: new Counter(),
      responses: new Counter(),
      arrivals: new Counter(),
      acknowledgements: new Counter(),
    };
    const dependencies = { ...this.#clientDependencies, random: random.stream('subscribers') };
    this.#subscribers = new Subscribers(dependencies, (arrival) =>
      this.#drain.recordDelivery(arrival),
    );
  }

  /** Creates the database. Starts nothing yet. */
  static async create(database: string, random: SeededRandom): Promise<KillLoop> {
    const seedData = await createSeedData(database);
    return new KillLoop(random, database, seedData, await KillableServer.create(database, random));
  }

  /** Kills the server `kills` times, waits until all deliveries are made, and audits the database. */
  async run(kills: number, log: (line: string) => void): Promise<KillLoopResult> {
    const startedAt = performance.now();
    await this.#server.start();
    for (const market of this.#seedData.markets) await this.#subscribers.subscribeAll(market);
    await this.#server.stop();

    for (const [number, market] of this.#seedData.markets.entries())
      this.#startClients(market, number);
    await this.#server.failOnCrash(this.#killRepeatedly(kills, log));
    this.#isTrading = false;
    await this.#server.failOnCrash(Promise.all(this.#clients));

    const drainStartedAt = performance.now();
    this.#subscribers.recover();
    const pending = readPending(this.#database);
    log(`no more changes; ${pending.length} deliveries are pending`);
    await this.#server.failOnCrash(this.#drain.waitForAll(pending, this.#server.run));
    await this.#server.stop();

    const state = readRecordedState(this.#database);
    const durations = {
      killing: drainStartedAt - startedAt,
      draining: performance.now() - drainStartedAt,
    };
    const summary = summarize(this.#log, state, durations);
    return { violations: audit(this.#seedData, this.#log, state), summary };
  }

  /** Stops everything that still runs. */
  async close(): Promise<void> {
    await this.#server.close();
    await this.#subscribers.close();
  }

  get #clientDependencies(): ClientDependencies {
    return { server: this.#server, log: this.#log, activity: this.#activity };
  }

  /** Starts a market's clients. Each does one action after another until trading ends. */
  #startClients(market: Market, number: number): void {
    const orders: PlacedOrder[] = [];
    const createDependencies = (name: string) => {
      const random = this.#random.stream(`${name} ${number}`);
      return { ...this.#clientDependencies, random, market, orders };
    };
    const clients = [
      ...market.buyers.map(
        (buyer, index) => new Buyer(buyer, createDependencies(`buyer ${index}`)),
      ),
      new StatusUpdater(market.seller, createDependencies('seller')),
      new StatusUpdater(market.agent, createDependencies('agent')),
    ];
    for (const client of clients) {
      const run = async () => {
        while (this.#isTrading) await client.act();
      };
      this.#clients.push(run());
    }
  }

  /** Starts and kills the server repeatedly, and finally starts it once more. */
  async #killRepeatedly(kills: number, log: (line: string) => void): Promise<void> {
    const random = this.#random.stream('kills');
    const { responses, arrivals } = this.#activity;
    const killsPerWebhook = Math.ceil(kills / lateWebhooks);
    for (let killed = 0; killed < kills; killed += 1) {
      if (killed > 0 && killed % 20 === 0) {
        log(`${killed} kills, ${responses.count} responses, ${arrivals.count} arrivals so far`);
      }
      if (killed % killsPerWebhook === 0) {
        this.#clients.push(this.#subscribers.addSubscription(random.pick(this.#seedData.markets)));
      }
      const killPoint = drawKillPoint(random);
      if (killPoint.by === 'start') await this.#server.startAndKill(killPoint.turns);
      else {
        await this.#server.start();
        await waitForKillPoint(killPoint, this.#activity);
        await this.#server.kill();
      }
    }
    await this.#server.start();
  }
}
