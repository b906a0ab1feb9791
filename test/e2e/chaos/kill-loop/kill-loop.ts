import { Counter } from '../../../helpers/counter';
import type { SeededRandom } from '../../../helpers/seeded-random';
import { audit } from './audit';
import { Buyer } from './buyer';
import { Drain } from './drain';
import { type Activity, drawKillMoment, reachKillMoment } from './kill-moment';
import { KillableServer } from './killable-server';
import { Mover } from './mover';
import { type Diary, newDiary, type PlacedOrder } from './operation-log';
import { readBooks, readPending } from './recorded-state';
import { type Market, makeWorld, type World } from './seed-data';
import { Subscribers } from './subscribers';
import { type Summary, summarize } from './summary';
import type { ClientParts } from './until-answered';

/** What came of a kill loop. */
export interface KillLoopResult {
  /** What is wrong, a sentence each: nothing, when nothing was lost. */
  faults: string[];
  summary: Summary;
}

/** How many webhooks are registered while the server is being killed. */
const lateWebhooks = 10;

/** A server that is killed over and over, with its clients and receivers, who live on. */
export class KillLoop {
  readonly #random: SeededRandom;
  readonly #database: string;
  readonly #world: World;
  readonly #server: KillableServer;
  readonly #diary: Diary;
  readonly #activity: Activity;
  readonly #drain = new Drain();
  readonly #subscribers: Subscribers;
  readonly #clients: Promise<void>[] = [];
  #trading = true;

  private constructor(
    random: SeededRandom,
    database: string,
    world: World,
    server: KillableServer,
  ) {
    this.#random = random;
    this.#database = database;
    this.#world = world;
    this.#server = server;
    this.#diary = newDiary(server.killedAt);
    this.#activity = {
      requests: new Counter(),
      answers: new Counter(),
      arrivals: new Counter(),
      acknowledgements: new Counter(),
    };
    const parts = { ...this.#clientParts, random: random.stream('subscribers') };
    this.#subscribers = new Subscribers(parts, (arrival) => this.#drain.note(arrival));
  }

  /** Fills a new database. Nothing runs yet. */
  static async on(database: string, random: SeededRandom): Promise<KillLoop> {
    const world = await makeWorld(database);
    return new KillLoop(random, database, world, await KillableServer.on(database, random));
  }

  /** Kills the server so many times, waits until all deliveries are made, and audits what is left. */
  async run(kills: number, say: (line: string) => void): Promise<KillLoopResult> {
    const began = performance.now();
    await this.#server.start();
    for (const market of this.#world.markets) await this.#subscribers.subscribeAll(market);
    await this.#server.stop();

    for (const [place, market] of this.#world.markets.entries()) this.#trade(market, place);
    await this.#server.unlessItEnds(this.#killOverAndOver(kills, say));
    this.#trading = false;
    await this.#server.unlessItEnds(Promise.all(this.#clients));

    const drainBegan = performance.now();
    this.#subscribers.calmDown();
    const pending = readPending(this.#database);
    say(`no more changes; ${pending.length} deliveries are yet to be made or recorded`);
    await this.#server.unlessItEnds(this.#drain.untilMade(pending, this.#server.run));
    await this.#server.stop();

    const books = readBooks(this.#database);
    const times = { killing: drainBegan - began, draining: performance.now() - drainBegan };
    const summary = summarize(this.#diary, books, times);
    return { faults: audit(this.#world, this.#diary, books), summary };
  }

  /** Ends all that still runs. */
  async close(): Promise<void> {
    await this.#server.discard();
    await this.#subscribers.close();
  }

  get #clientParts(): ClientParts {
    return { server: this.#server, diary: this.#diary, activity: this.#activity };
  }

  /** Sets a market's clients going, each of them one thing after another until trading ends. */
  #trade(market: Market, place: number): void {
    const orders: PlacedOrder[] = [];
    const partsOf = (who: string) => {
      const random = this.#random.stream(`${who} ${place}`);
      return { ...this.#clientParts, random, market, orders };
    };
    const clients = [
      ...market.buyers.map((buyer, number) => new Buyer(buyer, partsOf(`buyer ${number}`))),
      new Mover(market.seller, partsOf('seller')),
      new Mover(market.agent, partsOf('agent')),
    ];
    for (const client of clients) {
      const goOn = async () => {
        while (this.#trading) await client.act();
      };
      this.#clients.push(goOn());
    }
  }

  /** Starts and kills the server, and starts it once more in the end. */
  async #killOverAndOver(kills: number, say: (line: string) => void): Promise<void> {
    const random = this.#random.stream('kills');
    const { answers, arrivals } = this.#activity;
    const killsPerWebhook = Math.ceil(kills / lateWebhooks);
    for (let killed = 0; killed < kills; killed += 1) {
      if (killed > 0 && killed % 20 === 0) {
        say(`${killed} kills, ${answers.count} answers, ${arrivals.count} arrivals so far`);
      }
      if (killed % killsPerWebhook === 0) {
        this.#clients.push(this.#subscribers.subscribeOneMore(random.pick(this.#world.markets)));
      }
      const moment = drawKillMoment(random);
      if (moment.by === 'start') await this.#server.startAndKill(moment.turns);
      else {
        await this.#server.start();
        await reachKillMoment(moment, this.#activity);
        await this.#server.kill();
      }
    }
    await this.#server.start();
  }
}
