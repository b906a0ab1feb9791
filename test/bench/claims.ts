import pg from 'pg';
import type { BenchContext } from './bench-context';
import { type BenchProcess, startBenchProcess } from './bench-process';
import type { ClaimsOperations, ClaimTimes } from './claims-process';
import { createFigure, type Figure, type Goal, type Measurement } from './figure';
import { type FilledDeliveries, fillDeliveries } from './fill-deliveries';
import { type BenchPostgres, startBenchPostgres } from './postgres';
import { median } from './quantiles';
import { formatCount } from './report';
import { interleave } from './rounds';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: {
    rounds: 21,
    claims: 25,
    few: 1_000,
    more: 100_000,
    many: 1_000_000,
    delivered: 10_000_000,
  },
  quick: { rounds: 1, claims: 5, few: 200, more: 400, many: 800, delivered: 800 },
};
const limit = 64;
/** A first claim has none: a process makes one when it starts. */
const goal: Goal = { of: 'ratio', bound: 'at most', value: 1.5 };
const endpoints = 10;

/**
 * Commits do not wait for the disk, which takes the same time for all and would hide the rest, and filling takes as little time as
 * it can.
 */
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
];

type Size = (typeof sizes)['usual'];

/** A filled database. */
interface Queue {
  url: string;
  /** What is in it, in words. */
  what: string;
}

/** The names of the databases; the first two are what the others are compared with. */
type Name = 'few' | 'oneFew' | 'more' | 'many' | 'oneMany' | 'autovacuumOff' | 'autovacuumOn';

type Template = { file: string; trades: [TradingAccounts] };

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Does to one database what the setting `autovacuum=off` does to all. */
async function disableAutovacuum(url: string): Promise<void> {
  const tables = await query(
    url,
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  const changes = tables.map(({ name }) => `ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
  await query(url, changes.join('; '));
}

/** Creates the databases, one after the other. Those with dead rows come first, so that autovacuum may remove them meanwhile. */
async function createQueues(
  { log }: BenchContext,
  postgres: BenchPostgres,
  size: Size,
): Promise<Record<Name, Queue>> {
  const urls = Array.from({ length: endpoints }, (_, index) => `http://127.0.0.1:${9_000 + index}`);
  const empty = { backlog: 0, orders: 1 };
  const { several, single } = await postgres.createDatabases({
    several: [{ ...empty, urls }],
    single: [{ ...empty, urls: urls.slice(0, 1) }],
  });
  async function create(
    what: string,
    template: Template,
    deliveries: FilledDeliveries,
    prepare?: (url: string) => Promise<void>,
  ): Promise<Queue> {
    const startedAt = performance.now();
    const url = await postgres.createDatabase(new URL(template.file).pathname.slice(1));
    await prepare?.(url);
    await fillDeliveries(url, template.trades[0], deliveries);
    if (deliveries.delivered === 0) await query(url, 'VACUUM ANALYZE');
    log(`filled in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${what}`);
    return { url, what };
  }
  const queue = (template: Template, count: number) =>
    create(
      `${formatCount(count)} queued for ${template === single ? 'one endpoint' : `${endpoints} endpoints`}`,
      template,
      { delivered: 0, queued: count },
    );
  const past = { delivered: size.delivered, queued: size.few };
  const after = `${formatCount(size.few)} queued after ${formatCount(size.delivered)} delivered`;
  return {
    autovacuumOn: await create(`${after}, autovacuum=on`, several, past),
    autovacuumOff: await create(`${after}, autovacuum=off`, several, past, disableAutovacuum),
    few: await queue(several, size.few),
    oneFew: await queue(single, size.few),
    more: await queue(several, size.more),
    many: await queue(several, size.many),
    oneMany: await queue(single, size.many),
  };
}

/** Describes how far vacuum got. */
async function describeVacuum({ url }: Queue): Promise<string> {
  const [row] = await query(
    url,
    `SELECT n_dead_tup AS dead, autovacuum_count AS times FROM pg_stat_user_tables WHERE relname = 'deliveries'`,
  );
  const { dead = 0, times = 0 } = row ?? {};
  return `Autovacuum had processed the table of deliveries ${times} times before, and ${formatCount(Number(dead))} dead rows were left.`;
}

/** Claims from each database in turn. */
async function measure(
  { log }: BenchContext,
  store: BenchProcess<ClaimsOperations>,
  queues: Record<Name, Queue>,
  { rounds, claims }: Size,
): Promise<Record<Name, ClaimTimes[]>> {
  const sides = Object.fromEntries(
    Object.entries(queues).map(([name, { url }]) => [
      name,
      () => store.call('claim', { database: url, claims, limit }),
    ]),
  ) as Record<Name, () => Promise<ClaimTimes>>;
  // The code of the store is compiled while it runs.
  await sides.few();
  return await interleave(rounds, sides, log);
}

function compare(
  name: Name,
  queues: Record<Name, Queue>,
  times: Record<Name, ClaimTimes[]>,
  notes: string[],
): Figure[] {
  const baseline = name === 'oneMany' ? 'oneFew' : 'few';
  const { what } = queues[name];
  const leased = times[name][0]?.leased ?? 0;
  const failures = times[name][0]?.failures ?? 0;
  const ofLater = (rounds: ClaimTimes[]) => rounds.map(({ later }) => median(later));
  const ofFirst = (rounds: ClaimTimes[]) => rounds.map(({ first }) => first);
  const figure = (
    claim: string,
    select: (rounds: ClaimTimes[]) => number[],
    more: Pick<Measurement, 'goal' | 'notes'>,
  ): Figure =>
    createFigure({
      bench: 'claims',
      what: `${claim} with ${what}`,
      unit: 'ms',
      ours: select(times[name]),
      baseline: { what: queues[baseline].what, values: select(times[baseline]) },
      ...more,
      notes: [...notes, ...(more.notes ?? [])],
    });
  return [
    figure('claim', ofLater, {
      goal,
      notes: [`Each claim leased ${leased}, of at most ${limit}.`],
    }),
    figure('first claim of a newly opened store', ofFirst, {
      notes: [
        `The first of all took ${ofFirst(times[name])[0]?.toFixed(0)} ms, with ${failures} statements that took too long. Later ones pass what it marked as dead.`,
      ],
    }),
  ];
}

/**
 * Measures how long a worker takes to claim deliveries from PostgreSQL, by the number of queued deliveries and of dead rows: the
 * first time after it opened the store, when it searches everything, and then.
 */
export async function claims(context: BenchContext): Promise<Figure[]> {
  const { environment, quick } = context;
  const size = quick ? sizes.quick : sizes.usual;
  if (!quick) context.log('filling the databases: ten minutes, and about 35 GB of disk');
  const postgres = await startBenchPostgres(environment, settings);
  const queues = await createQueues(context, postgres, size);
  const program = new URL('./claims-process.ts', import.meta.url);
  const store = startBenchProcess<ClaimsOperations>(environment, program);
  const vacuum = await describeVacuum(queues.autovacuumOn);
  const times = await measure(context, store, queues, size);
  await store.stop();
  const kept =
    'As after a transaction that was open meanwhile, such as a backup: no claim could remove entries from the indexes.';
  const notes: Partial<Record<Name, string[]>> = {
    autovacuumOff: [kept],
    autovacuumOn: [vacuum],
  };
  return (['more', 'many', 'oneMany', 'autovacuumOff', 'autovacuumOn'] as const).flatMap((name) =>
    compare(name, queues, times, notes[name] ?? []),
  );
}
