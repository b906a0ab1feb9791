import { DeliveryRoom } from '@tradepost/domain/deliveries/open-deliveries';
import { createEvent } from '@tradepost/domain/events/event';
import type { LoggedEvent } from '@tradepost/domain/events/event-log';
import { aContext, anOrderRecord, noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Transaction } from '../../../src/stores/postgres/database';
import { addEvents } from '../../../src/stores/postgres/events';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { WriteSet } from '../../../src/stores/postgres/write-set';
import type { Store } from '../../../src/stores/store';
import { startPostgres, type TestDatabase } from '../../helpers/postgres';
import { addCaller } from '../../helpers/trade';

const postgres = await startPostgres();
afterAll(postgres.stop);

const writerCount = 3;
/** For how many steps readers wait at most: a statement of the store waits two seconds for a lock. */
const maxStepsBlocked = 6;

let database: TestDatabase;
/** Two processes. */
let stores: Store[];
/** The connections of transactions that are open at the same time, and of one that keeps the readers waiting. */
let writers: pg.Client[];
let blocker: pg.Client;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url, pipeline: true });
  await client.connect();
  return client;
}

beforeAll(async () => {
  database = await postgres.createDatabase();
  stores = [await openPostgresStore(database.url), await openPostgresStore(database.url)];
  writers = await Promise.all(Array.from({ length: writerCount }, connect));
  blocker = await connect();
  await blocker.query('CREATE SEQUENCE numbers_at_insert');
});

afterAll(async () => {
  await Promise.all([...writers, blocker].map((client) => client.end()));
  await Promise.all(stores.map((store) => store.close()));
  await database.remove();
});

/** What happens next. Numbers choose among transactions, accounts and stores. */
type Step =
  | { kind: 'insert'; writer: number; accounts: number[]; createdAt: number }
  | { kind: 'commit' | 'rollback'; writer: number }
  | { kind: 'read'; account: number; store: number; limit: number }
  /** From now on, readers that number events wait, until the transaction that makes them wait ends. */
  | { kind: 'block' | 'unblock'; account: number };

/** When events get their sequence numbers: when they are read, as the store does it, or when they are inserted. */
type Numbering = 'when read' | 'at insert';

/** Reads an account's event log, each time from where it is. */
class Reader {
  readonly seen: LoggedEvent[] = [];
  #reading: Promise<void> | null = null;

  constructor(
    readonly accountId: string,
    readonly store: Store,
  ) {}

  /** Reads a page, unless it still waits for one. Returns once it has it, or waits for a lock. */
  async read(limit: number): Promise<void> {
    if (this.#reading !== null) return;
    let isReading = true;
    this.#reading = this.#readPage(limit).finally(() => {
      this.#reading = null;
      isReading = false;
    });
    this.#reading.catch(() => {});
    while (isReading && !(await isAnyoneBlocked())) await new Promise(setImmediate);
    if (!isReading) await this.#reading;
  }

  /** Waits for the page that it is reading. */
  async settle(): Promise<void> {
    await this.#reading;
  }

  /** Reads to the end. */
  async finish(): Promise<void> {
    await this.settle();
    for (let before = -1; this.seen.length > before; ) {
      before = this.seen.length;
      await this.#readPage(2);
    }
  }

  async #readPage(limit: number): Promise<void> {
    const after = this.seen.at(-1)?.seq ?? 0;
    this.seen.push(...(await this.store.events.readEvents(this.accountId, after, limit)));
  }
}

async function isAnyoneBlocked(): Promise<boolean> {
  const { rows } = await blocker.query<{ blocked: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted) AS blocked',
  );
  return rows[0]?.blocked ?? false;
}

/** Two accounts, their readers on both stores, and transactions that write events for them. */
class Run {
  readonly #numbering: Numbering;
  readonly #accounts: string[];
  readonly #readers: Reader[];
  /** By writer, the recipients of the events that its open transaction inserted. */
  readonly #open = new Map<number, [id: string, accounts: string[]][]>();
  /** The IDs of the committed events, by account. */
  readonly #committed = new Map<string, string[]>();
  #isBlocked = false;
  #stepsBlocked = 0;

  private constructor(numbering: Numbering, accounts: string[]) {
    this.#numbering = numbering;
    this.#accounts = accounts;
    this.#readers = accounts.flatMap((id) => stores.map((store) => new Reader(id, store)));
  }

  static async start(numbering: Numbering): Promise<Run> {
    const [store] = stores as [Store];
    const callers = [await addCaller(store, 'buyer'), await addCaller(store, 'seller')];
    return new Run(
      numbering,
      callers.map(({ accountId }) => accountId),
    );
  }

  async perform(step: Step): Promise<void> {
    if (this.#isBlocked) this.#stepsBlocked += 1;
    if (this.#stepsBlocked > maxStepsBlocked) await this.#unblock();
    switch (step.kind) {
      case 'insert':
        return this.#insert(step.writer, step.accounts, step.createdAt);
      case 'commit':
      case 'rollback':
        return this.#end(step.writer, step.kind);
      case 'read':
        return this.#readers[step.account * stores.length + step.store]?.read(step.limit);
      case 'block':
        return this.#block(step.account);
      case 'unblock':
        return this.#unblock();
    }
  }

  /** Ends what is open, and compares what the readers have seen. */
  async finish(): Promise<void> {
    await this.#unblock();
    for (const writer of [...this.#open.keys()]) await this.#end(writer, 'commit');
    for (const reader of this.#readers) await reader.finish();
    for (const accountId of this.#accounts) {
      const committed = this.#committed.get(accountId) ?? [];
      const readers = this.#readers.filter((reader) => reader.accountId === accountId);
      const [log] = await Promise.all(
        stores.map((store) => store.events.readEvents(accountId, 0, 1_000)),
      );
      for (const { seen } of readers) {
        expect(seen.map(({ id }) => id).toSorted()).toEqual(committed.toSorted());
        expect(seen).toEqual(log);
      }
    }
  }

  /** Leaves nothing open, whatever failed. */
  async close(): Promise<void> {
    await blocker.query('ROLLBACK');
    for (const writer of this.#open.keys()) await writers[writer]?.query('ROLLBACK');
    await Promise.allSettled(this.#readers.map((reader) => reader.settle()));
  }

  /** Inserts an event by the store's own statements. */
  async #insert(writer: number, accounts: number[], createdAt: number): Promise<void> {
    const client = writers[writer] as pg.Client;
    if (!this.#open.has(writer)) {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      this.#open.set(writer, []);
    }
    const recipients = accounts.map((account) => this.#accounts[account] ?? '');
    const { id: orderId } = anOrderRecord();
    const data = { orderId, previousStatus: 'pending', status: 'confirmed' } as const;
    const about = { orderId, orderVersion: 2, recipients, message: '' };
    const context = aContext(noon + createdAt);
    const event = createEvent({ event: 'order.status_changed', data }, about, context);
    const onTimeline = Object.assign(client, { timeline: null });
    const tx = new Transaction(onTimeline, (text, values) => ({ text, values }), null);
    const writes = new WriteSet();
    const noneKnown = { accountIds: [], subscriptions: [] };
    const caused = { events: [event], context, traceContext: null };
    await addEvents(tx, writes, [caused], noneKnown, new DeliveryRoom());
    writes.send(tx);
    await tx.settled();
    if (this.#numbering === 'at insert') {
      await tx.run(
        "UPDATE account_events SET seq = nextval('numbers_at_insert') WHERE event_id = $1",
        event.id,
      );
    }
    this.#open.get(writer)?.push([event.id, recipients]);
  }

  async #end(writer: number, kind: 'commit' | 'rollback'): Promise<void> {
    const inserted = this.#open.get(writer);
    if (inserted === undefined) return;
    this.#open.delete(writer);
    await writers[writer]?.query(kind);
    if (kind === 'rollback') return;
    for (const [id, recipients] of inserted) {
      for (const accountId of recipients) {
        this.#committed.set(accountId, [...(this.#committed.get(accountId) ?? []), id]);
      }
    }
  }

  async #block(account: number): Promise<void> {
    if (this.#isBlocked) return;
    this.#isBlocked = true;
    const id = this.#accounts[account];
    await blocker.query('BEGIN');
    await blocker.query(
      `INSERT INTO event_logs (account_id, last_seq) VALUES ($1, 0)
       ON CONFLICT (account_id) DO UPDATE SET last_seq = event_logs.last_seq`,
      [id],
    );
  }

  async #unblock(): Promise<void> {
    this.#isBlocked = false;
    this.#stepsBlocked = 0;
    await blocker.query('COMMIT');
    for (const reader of this.#readers) await reader.settle();
  }
}

async function check(numbering: Numbering, steps: readonly Step[]): Promise<void> {
  const run = await Run.start(numbering);
  try {
    for (const step of steps) await run.perform(step);
    await run.finish();
  } finally {
    await run.close();
  }
}

const writer = fc.nat({ max: writerCount - 1 });
const account = fc.nat({ max: 1 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('insert'),
      writer,
      accounts: fc.uniqueArray(account, { minLength: 1, maxLength: 2 }),
      // The clocks of hosts differ.
      createdAt: fc.integer({ min: -2, max: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit'), writer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback'), writer }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('read'),
      account,
      store: fc.nat({ max: 1 }),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('block'), account }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unblock'), account }) },
);

const property = (numbering: Numbering) =>
  fc.asyncProperty(fc.array(anyStep, { minLength: 6, maxLength: 30, size: 'max' }), (steps) =>
    check(numbering, steps),
  );

/** Returns all orders of two sequences in which each keeps its own. */
function interleave<Item>(one: readonly Item[], other: readonly Item[]): Item[][] {
  const [first, ...rest] = one;
  const [second, ...others] = other;
  if (first === undefined || second === undefined) return [[...one, ...other]];
  return [
    ...interleave(rest, other).map((items) => [first, ...items]),
    ...interleave(one, others).map((items) => [second, ...items]),
  ];
}

const ends = ['commit', 'rollback'] as const;
const inserting = (by: number, end: (typeof ends)[number]): Step[] => [
  { kind: 'insert', writer: by, accounts: [0, 1], createdAt: 0 },
  { kind: 'insert', writer: by, accounts: [0], createdAt: 0 },
  { kind: end, writer: by },
];
const readingAll: Step[] = [0, 1].flatMap((of) =>
  [0, 1].map((store): Step => ({ kind: 'read', account: of, store, limit: 10 })),
);
const readAfterEach = (steps: readonly Step[]) => steps.flatMap((step) => [step, ...readingAll]);

describe('readers of the event log that continue from their last sequence number', () => {
  test.each(ends.flatMap((one) => ends.map((other) => [one, other] as const)))(
    'see each committed event once, in every order of two transactions that end with %s and %s',
    async (one, other) => {
      for (const steps of interleave(inserting(0, one), inserting(1, other))) {
        await check('when read', readAfterEach(steps));
      }
    },
  );

  test('see each committed event once, and in one order, whatever the order of commits is', async () => {
    await fc.assert(property('when read'), { numRuns: 60, interruptAfterTimeLimit: 20_000 });
  }, 60_000);

  test('would miss events if these got their numbers when they are inserted', async () => {
    const orders = interleave(inserting(0, 'commit'), inserting(1, 'commit'));
    let missed = 0;
    for (const steps of orders) {
      const performed = check('at insert', readAfterEach(steps));
      await performed.catch(() => {
        missed += 1;
      });
    }
    expect(missed).toBeGreaterThan(0);
    const { failed } = await fc.check(property('at insert'), { numRuns: 60, endOnFailure: true });
    expect(failed).toBe(true);
  }, 60_000);
});
