import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Order, type OrderStatus, Tradepost } from '@tradepost/sdk';
import { openSqliteStore } from '@tradepost/server';
import Database from 'better-sqlite3';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Counter } from '../../helpers/counter';
import { forTest } from '../../helpers/for-test';
import { forwardRequest } from '../../helpers/forward-request';
import { startHttpServer } from '../../helpers/loopback';
import { passTurns } from '../../helpers/pass-turns';
import { runServerCommand } from '../../helpers/run-server-command';
import { seedDatabase } from '../../helpers/seed';
import { SeededRandom } from '../../helpers/seeded-random';
import { type RunningProcess, startProcess } from '../../helpers/start-process';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';
import { type TemporaryFolder, temporaryFolder } from '../../helpers/temporary-folder';
import { type Environment, installEnvironment } from './install-environment';
import { readRecipe } from './read-recipe';

/** The package that this checkout has compiled. */
const library = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));

/** How often a mirror is killed. */
const kills = 24;
/** Orders before the mirror starts: the backfill has several pages. */
const firstOrders = 450;

let environment: Environment;
beforeAll(async () => {
  environment = await installEnvironment({
    name: 'mirror',
    dependencies: {
      '@types/better-sqlite3': '7.6.13',
      '@types/node': '20.19.43',
      'better-sqlite3': `link:${library}`,
      typescript: '5.9.3',
    },
    files: readRecipe('Mirror orders'),
  });
  await environment.run('typescript/bin/tsc');
  return environment.remove;
});

/** Moves of an order. Source: `docs/glossary.md`. */
const moves: Readonly<Record<string, readonly OrderStatus[]>> = {
  pending: ['confirmed', 'fulfilling', 'cancelled'],
  confirmed: ['fulfilling', 'cancelled'],
  fulfilling: ['completed', 'cancelled'],
};

/** The real server behind a proxy, whose address stays when the server is started again, and a writer. */
class Service {
  /** Requests of the mirror, and their responses. */
  readonly requests = new Counter();
  readonly responses = new Counter();
  readonly #random: SeededRandom;
  readonly #open = new Map<string, OrderStatus>();
  #server!: ServerProcess;
  #folder!: TemporaryFolder;
  #buyer!: Tradepost;
  #seller!: Tradepost;
  #listingId = '';
  /** What the mirror gets. */
  variables: Record<string, string> = {};

  constructor(seed: number) {
    this.#random = new SeededRandom(`${seed}`);
  }

  static async start(seed: number): Promise<Service> {
    const service = new Service(seed);
    service.#folder = await temporaryFolder();
    const { accounts } = await seedDatabase(service.#file);
    const [buyer, seller, agent] = accounts;
    if (!(buyer && seller && agent)) throw new Error('The seed has too few accounts.');
    const create = ['listings', 'create', '--seller', seller.id, '--agent', agent.id];
    const listing = await runServerCommand<{ id: string }>(
      [...create, '--quantity', '1000000'],
      service.#file,
    );
    service.#listingId = listing.id;
    await service.#startServer();
    const proxy = forTest(
      startHttpServer((incoming, response) => {
        const isOfMirror = incoming.headers['x-writer'] === undefined;
        if (isOfMirror) service.requests.increment();
        response.on('finish', () => isOfMirror && service.responses.increment());
        forwardRequest(incoming, response, service.#server.url);
      }),
    );
    const { url: baseUrl } = await proxy;
    const defaultHeaders = { 'x-writer': 'yes' };
    service.#buyer = new Tradepost({ baseUrl, apiKey: buyer.apiKey, defaultHeaders });
    service.#seller = new Tradepost({ baseUrl, apiKey: seller.apiKey, defaultHeaders });
    service.variables = { TRADEPOST_BASE_URL: baseUrl, TRADEPOST_API_KEY: seller.apiKey };
    onTestFinished(async () => {
      await service.#server.stop('SIGKILL');
      await service.#folder.remove();
    });
    return service;
  }

  get #file(): string {
    return join(this.#folder.path, 'tradepost.db');
  }

  async #startServer(): Promise<void> {
    this.#server = await startServerProcess(this.#file, ['--rate-limit', '1000000']);
  }

  /** Kills the server, lets `work` change its database, and starts it again. */
  async restart(work: (database: string) => Promise<void> = async () => undefined): Promise<void> {
    await this.#server.stop('SIGKILL');
    await work(this.#file);
    await this.#startServer();
  }

  async place(): Promise<void> {
    const order = await this.#buyer.orders.create({ listingId: this.#listingId, quantity: 1 });
    this.#open.set(order.id, 'pending');
  }

  /** Makes one to four changes at the same time, of different orders. */
  async write(): Promise<void> {
    const ids = [...this.#open.keys()];
    const first = this.#random.below(ids.length);
    const moved = ids.slice(first, first + this.#random.below(4));
    await Promise.all([
      this.place(),
      ...moved.map(async (id) => {
        const status = this.#random.pick(moves[this.#open.get(id) ?? ''] ?? []);
        this.#open.delete(id);
        await this.#seller.orders.update(id, { status });
        if (moves[status] !== undefined) this.#open.set(id, status);
      }),
    ]);
  }

  /** Returns all orders that the mirror must have, by ID. */
  async listOrders(): Promise<Order[]> {
    const orders = await this.#seller.orders.list({ limit: 100 }).toArray({ limit: Infinity });
    return orders.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Returns what the log of a mirror must have that begins at a cursor. */
  async listLog(after: string): Promise<LogRow[]> {
    const rows: LogRow[] = [];
    for await (const { id, event, createdAt, data } of this.#seller.events.list({ after })) {
      if (event === 'order.created') rows.push([id, data.orderId, null, data.status, createdAt]);
      else if (event === 'order.status_changed')
        rows.push([id, data.orderId, data.previousStatus, data.status, createdAt]);
    }
    return rows;
  }

  /** Returns the last event that the mirror logs. */
  async findLastEvent(): Promise<string> {
    for await (const { id, event } of this.#seller.events.latest()) {
      if (event === 'order.created' || event === 'order.status_changed') return id;
    }
    throw new Error('There are no events.');
  }
}

/** Event, order, previous status, status, time. */
type LogRow = [string, string, string | null, string, string];

/** The database of a mirror, and its processes. */
class Mirror {
  readonly #service: Service;
  readonly #folder: TemporaryFolder;

  private constructor(service: Service, folder: TemporaryFolder) {
    this.#service = service;
    this.#folder = folder;
  }

  static async create(service: Service): Promise<Mirror> {
    return new Mirror(service, await forTest(temporaryFolder()));
  }

  get #file(): string {
    return join(this.#folder.path, 'mirror.db');
  }

  /** Starts a process. With `killAt`, it kills itself. */
  start(killAt?: string): RunningProcess {
    const preload = killAt === undefined ? [] : ['--import', './kill.mjs'];
    return forTest(
      startProcess(process.execPath, [...preload, 'dist/main.js'], {
        cwd: environment.path,
        env: {
          ...this.#service.variables,
          MIRROR_DATABASE: this.#file,
          ...(killAt !== undefined && { KILL_AT: killAt }),
        },
      }),
      'SIGKILL',
    );
  }

  /** Runs `work` on the database. */
  use<Result>(work: (database: Database.Database) => Result): Result {
    const database = new Database(this.#file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  }

  readPosition(): { after: string | null; page: string | null } {
    return this.use((database) =>
      database
        .prepare<[], { after: string | null; page: string | null }>(
          'SELECT after, page FROM position',
        )
        .get(),
    ) as { after: string | null; page: string | null };
  }

  readOrders(): Order[] {
    const columns = `id, status, buyer_id AS buyerId, seller_id AS sellerId, agent_id AS agentId,
      listing_id AS listingId, quantity, created_at AS createdAt, updated_at AS updatedAt`;
    return this.use((database) =>
      database.prepare<[], Order>(`SELECT ${columns} FROM orders ORDER BY id`).all(),
    );
  }

  readLog(): LogRow[] {
    return this.use((database) =>
      database.prepare('SELECT * FROM order_log ORDER BY rowid').raw().all(),
    ) as LogRow[];
  }

  /** Waits until the mirror has the last event. */
  async catchUp(): Promise<void> {
    const last = await this.#service.findLastEvent();
    await expect
      .poll(() => this.readLog().at(-1)?.[0], { timeout: 50_000, interval: 20 })
      .toBe(last);
  }
}

/** Removes all notifications and events from a database, as the retention of the service does after their time. */
async function removeEvents(file: string): Promise<void> {
  const store = openSqliteStore(file);
  try {
    const before = Date.now() + 60_000;
    const step = { after: null, before, limit: 500 };
    // Each call starts from the oldest, and ends when none is left.
    while (
      (await store.retention.pruneNotifications({ ...step, eventsBefore: before, unread: true }))
        .removed > 0
    );
    while ((await store.retention.pruneEvents(step)).removed > 0);
  } finally {
    await store.close();
  }
}

let service: Service;
let mirror: Mirror;
let seed: number;

beforeEach(async () => {
  seed = Number(process.env.MIRROR_SEED ?? randomInt(1_000_000));
  // Printed at once, so that the seed is known even if the test is interrupted.
  console.log(`mirror, seed ${seed}`);
  service = await Service.start(seed);
  mirror = await Mirror.create(service);
});

describe('the mirror of the recipe', () => {
  test('loses and repeats nothing when it is killed at any instant', async () => {
    const random = new SeededRandom(`${seed}`).stream('kills');
    await Promise.all(Array.from({ length: firstOrders }, () => service.place()));
    const seen = { backfill: 0, follow: 0, transaction: 0, written: 0 };
    let start: string | null = null;

    /** Starts a process, kills it, and writes until it has ended. */
    async function killOne(): Promise<void> {
      const isFollowing = start !== null && mirror.readPosition().page === null;
      // The first one ends within the first pages, so that the position at which the log begins is seen.
      const bound = isFollowing ? 50 : 300;
      const atStatement = !isFollowing || random.chance(0.6);
      const count = 5 + random.below(bound);
      const when = random.pick(['before', 'after']);
      const process = mirror.start(atStatement ? `${when}:${count}` : undefined);
      let hasEnded = false;
      const ended = process.exit.finally(() => {
        hasEnded = true;
      });
      if (!atStatement) {
        const counter = random.pick([service.requests, service.responses]);
        const turns = random.below(40);
        void counter
          .waitForMore(1 + random.below(20))
          .then(() => passTurns(turns))
          .then(() => process.stop('SIGKILL'));
      }
      while (!hasEnded) await service.write();
      const { signal, stdout, stderr } = await ended;
      expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' });
      const position = mirror.readPosition();
      start ??= position.after;
      // What the rest of the backfill has too.
      if (position.page !== null) await service.write();
      if (position.page !== null) seen.written = (await service.listLog(start ?? '')).length;
      seen[position.page === null ? 'follow' : 'backfill'] += 1;
      if (/killed (after (?!COMMIT)|before (?!BEGIN))/.test(stdout)) seen.transaction += 1;
    }

    for (let round = 0; round < kills; round += 1) {
      await killOne();
      if (round !== kills / 2) continue;
      // An outage of the service, which the mirror survives.
      const running = mirror.start();
      await running.writes(/^following$/m);
      await mirror.catchUp();
      await service.restart();
      await service.write();
      await mirror.catchUp();
      expect(await running.stop('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    }

    mirror.start();
    await mirror.catchUp();
    expect(mirror.readOrders()).toEqual(await service.listOrders());
    expect(mirror.readLog()).toEqual(await service.listLog(start ?? ''));
    console.log(`mirror, seed ${seed}: ${mirror.readLog().length} events`, seen);
    // Otherwise the kills interrupted nothing and the test proves nothing.
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
  });

  test('ends with an error in the process that is not alone, and the other one continues', async () => {
    await service.place();
    const processes: RunningProcess[] = [];
    for (let count = 0; count < 2; count += 1) {
      const process = mirror.start();
      await process.writes(/^following$/m);
      processes.push(process);
    }
    const loser = Promise.race(processes.map((process) => process.exit));
    let hasEnded = false;
    const ended = loser.finally(() => {
      hasEnded = true;
    });
    while (!hasEnded) await service.write();
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('Run one at a time.')]);
    await mirror.catchUp();
    expect(mirror.readOrders()).toEqual(await service.listOrders());
  });

  /** Runs a mirror until it has all orders and changes, and kills it. */
  async function killAfterCatchingUp(): Promise<void> {
    await service.place();
    const first = mirror.start();
    await first.writes(/^following$/m);
    await service.write();
    await mirror.catchUp();
    await first.stop('SIGKILL');
  }

  test('reads all orders again when its position says so, and keeps following', async () => {
    await killAfterCatchingUp();
    mirror.use((database) => database.exec("DELETE FROM orders; UPDATE position SET page = ''"));
    await service.write();
    mirror.start();
    await mirror.catchUp();
    expect(mirror.readOrders()).toEqual(await service.listOrders());
  });

  test('reads all orders again when the events after its cursor are no longer stored', async () => {
    await killAfterCatchingUp();
    // What the mirror misses: an order and, depending on the seed, changes of others.
    await service.write();
    await service.restart(removeEvents);
    const second = mirror.start();
    await second.writes(/no longer stored: all orders are read again/, 'stderr');
    await second.writes(/^following\nfollowing$/m);
    await service.write();
    await mirror.catchUp();
    expect(mirror.readOrders()).toEqual(await service.listOrders());
  });
});
