import pg from 'pg';
import type { BenchContext } from './bench-context';
import { type BenchProcess, startBenchProcess } from './bench-process';
import { createDatabases, type Template } from './database';
import type { DatabaseSpec } from './database-process';
import { createFigure, type Figure } from './figure';
import type { FloodOperations, FloodTarget } from './flood-process';
import { startBenchPostgres } from './postgres';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import { createOrderRequest, type TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 5, warmUp: 8, cold: 2, seconds: 5, manyClientsFor: 30 },
  quick: { rounds: 1, warmUp: 0.1, cold: 0.1, seconds: 0.2, manyClientsFor: 0.3 },
};
const clients = 32;
const manyClients = 64;
const listings = 40;
/** How many clients order from the listing that another session has locked, beside those that order from the others. */
const clientsOfLocked = 8;

type Size = (typeof sizes)['usual'];
type Database = Template<TradingAccounts[]>;
type Flood = BenchProcess<FloodOperations>;

const spec: DatabaseSpec = { urls: [], backlog: 0, orders: 0 };
const specs = { forty: [spec, ...Array.from({ length: listings - 1 }, () => spec)] as const };

/** Requests for orders from the first listings of a database. */
function ordersFrom({ trades }: Database, count: number, first = 0): FloodTarget['requests'] {
  const [request, ...others] = trades.slice(first, first + count).map(createOrderRequest);
  if (request === undefined) throw new Error('The database has too few listings.');
  return [request, ...others];
}

/** Measures orders per second of a server that has just started, and of one that is warm. */
async function measureRates(
  { environment }: BenchContext,
  flood: Flood,
  database: Database,
  size: Size,
  count: number,
): Promise<{ cold: number; warm: number }> {
  return await database.use(async (file) => {
    const server = await startTradepostServer(environment, file);
    const target = { url: server.url, requests: ordersFrom(database, count), connections: clients };
    const cold = await flood.call('saturate', { ...target, seconds: size.cold });
    await flood.call('saturate', { ...target, seconds: size.warmUp });
    const warm = await flood.call('saturate', { ...target, seconds: size.seconds });
    await server.stop();
    return { cold: cold.perSecond, warm: warm.perSecond };
  });
}

/** Counts the orders of many clients from one listing that were rejected. */
async function countRejected(
  { environment }: BenchContext,
  flood: Flood,
  database: Database,
  seconds: number,
) {
  return await database.use(async (file) => {
    const server = await startTradepostServer(environment, file);
    const requests = ordersFrom(database, 1);
    const target = { url: server.url, requests, connections: manyClients };
    const { counts } = await flood.call('saturate', { ...target, seconds });
    await server.stop();
    const { 201: created = 0, ...rejected } = counts;
    return { created, rejected: Object.values(rejected).reduce((sum, count) => sum + count, 0) };
  });
}

/** Locks a row of a listing in a session of its own while work is done. */
async function withLockedListing<Result>(
  url: string,
  listingId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  await session.query('BEGIN');
  await session.query('SELECT 1 FROM listings WHERE id = $1 FOR UPDATE', [listingId]);
  try {
    return await work();
  } finally {
    await session.query('ROLLBACK');
    await session.end();
  }
}

/** Measures orders per second from all listings but the first, whose clients wait for its lock or not. */
async function measureBesides(
  { environment }: BenchContext,
  [flood, waiting]: [Flood, Flood],
  database: Database,
  size: Size,
  isLocked: boolean,
) {
  const [first] = database.trades;
  return await database.use(async (file) => {
    const server = await startTradepostServer(environment, file);
    const requests = ordersFrom(database, listings - 1, 1);
    const others = { url: server.url, requests, connections: clients - clientsOfLocked };
    await flood.call('saturate', { ...others, seconds: size.warmUp });
    const { seconds } = size;
    const measure = async () => {
      const hot = { requests: ordersFrom(database, 1), connections: clientsOfLocked };
      const [measured] = await Promise.all([
        flood.call('saturate', { ...others, seconds }),
        waiting.call('saturate', { url: server.url, ...hot, seconds }),
      ]);
      return measured;
    };
    const measured =
      isLocked && first !== undefined
        ? await withLockedListing(file, first.listingId, measure)
        : await measure();
    await server.stop();
    const { perSecond, succeeded, counts } = measured;
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    return { perSecond, rejected: all - succeeded };
  });
}

/**
 * Measures orders per second over HTTP on both stores: from one listing, from forty, from many clients of one listing, and beside a
 * listing that another session has locked.
 */
export async function hotListing(context: BenchContext): Promise<Figure[]> {
  const { environment, log, quick } = context;
  const size = quick ? sizes.quick : sizes.usual;
  const server = await startBenchPostgres(environment);
  const databases = {
    postgres: (await server.createDatabases(specs)).forty,
    sqlite: (await createDatabases(environment, specs)).forty,
  };
  const program = new URL('./flood-process.ts', import.meta.url);
  const floods: [Flood, Flood] = [
    startBenchProcess<FloodOperations>(environment, program),
    startBenchProcess<FloodOperations>(environment, program),
  ];
  const [flood] = floods;
  const figures: Figure[] = [];
  for (const count of [1, listings]) {
    const from = count === 1 ? 'one listing' : `${count} listings`;
    const what = `orders of ${clients} clients from ${from} on PostgreSQL`;
    const { postgres, sqlite } = await interleave(
      size.rounds,
      {
        postgres: () => measureRates(context, flood, databases.postgres, size, count),
        sqlite: () => measureRates(context, flood, databases.sqlite, size, count),
      },
      log,
      what,
    );
    for (const state of ['warm', 'cold'] as const) {
      figures.push(
        createFigure({
          bench: 'hotListing',
          what: state === 'warm' ? what : `${what}, just started`,
          unit: '/s',
          ours: postgres.map((round) => round[state]),
          baseline: { what: 'SQLite', values: sqlite.map((round) => round[state]) },
          ...(state === 'warm' && { goal: { of: 'ratio', bound: 'at least', value: 0.8 } }),
        }),
      );
    }
  }
  for (const [store, database] of Object.entries(databases)) {
    log(`${manyClients} clients, ${store}`);
    const counted = await countRejected(context, flood, database, size.manyClientsFor);
    figures.push(
      createFigure({
        bench: 'hotListing',
        what: `rejected orders of ${manyClients} clients from one listing in ${size.manyClientsFor} s, ${store}`,
        unit: 'orders',
        ours: [counted.rejected],
        goal: { of: 'ours', bound: 'at most', value: 0 },
        notes: [`${formatCount(counted.created)} orders were created.`],
      }),
    );
  }
  const besides = (database: Database, isLocked: boolean) => () =>
    measureBesides(context, floods, database, size, isLocked);
  const { locked, free, sqlite } = await interleave(
    size.rounds,
    {
      locked: besides(databases.postgres, true),
      free: besides(databases.postgres, false),
      sqlite: besides(databases.sqlite, false),
    },
    log,
    'beside a locked listing',
  );
  const what = `orders from ${listings - 1} listings on PostgreSQL beside a locked one`;
  const rates = (rounds: typeof locked) => rounds.map(({ perSecond }) => perSecond);
  figures.push(
    createFigure({
      bench: 'hotListing',
      what,
      unit: '/s',
      ours: rates(locked),
      baseline: { what: 'the same, not locked', values: rates(free) },
    }),
    createFigure({
      bench: 'hotListing',
      what: `${what}, against SQLite`,
      unit: '/s',
      ours: rates(locked),
      baseline: { what: 'SQLite, which locks no rows', values: rates(sqlite) },
    }),
    createFigure({
      bench: 'hotListing',
      what: `${what}, rejected`,
      unit: 'orders',
      ours: locked.map(({ rejected }) => rejected),
      goal: { of: 'ours', bound: 'at most', value: 0 },
    }),
  );
  await Promise.all(floods.map((process) => process.stop()));
  return figures;
}
