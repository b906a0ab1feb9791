import { setTimeout } from 'node:timers/promises';
import { ApiClient } from './api-client';
import { loadApi, mixInWords } from './api-load';
import type { BenchContext } from './bench-context';
import { createDatabases, type Template } from './database';
import type { DatabaseSpec } from './database-process';
import { createFigure, type Figure } from './figure';
import { closedLoop, machineTime } from './loops';
import { pastDays } from './past-orders';
import {
  countPrunable,
  type PrunableRows,
  untilDelivered,
  untilKeysArePruned,
  watchPruning,
} from './prunable-rows';
import { median, quantile } from './quantiles';
import { startReceiver } from './receiver';
import { formatCount } from './report';
import { interleave } from './rounds';
import { type ServerUnderLoad, startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: {
    rounds: 3,
    trades: 8,
    pastOrders: 5_000,
    orders: 1_000,
    callers: 64,
    warmUp: 1.5,
    seconds: 8,
    perSecond: 100,
  },
  quick: {
    rounds: 1,
    trades: 2,
    pastOrders: 50,
    orders: 20,
    callers: 8,
    warmUp: 0.1,
    seconds: 0.3,
    perSecond: 50,
  },
};
const dayMs = 24 * 60 * 60 * 1000;
/** Rows that are older are expired by every default. Those that the bench creates are recent. */
const oldBefore = Date.now() - (pastDays - 10) * dayMs;
const pruneNothing = ['deliveries', 'events', 'notifications', 'unread-notifications'].flatMap(
  (kind) => [`--keep-${kind}`, '3650'],
);

type Size = (typeof sizes)['usual'];
type Database = Template<[TradingAccounts, ...TradingAccounts[]]>;

/** Calls `work` with a server that prunes, or that has nothing left to prune. */
async function withServer<Result>(
  { environment }: BenchContext,
  { use }: Database,
  prunes: boolean,
  work: (server: ServerUnderLoad, file: string) => Promise<Result>,
): Promise<Result> {
  return await use(async (file) => {
    const untilSettled = prunes ? watchPruning(file) : () => untilKeysArePruned(file);
    const server = await startTradepostServer(environment, file, prunes ? [] : pruneNothing);
    try {
      await untilSettled();
      return await work(server, file);
    } finally {
      await server.stop();
    }
  });
}

/** Calculates the rows per minute that were pruned between two counts. */
function prunedPerMinute(before: PrunableRows, after: PrunableRows): number {
  return ((before.old - after.old) / (after.at - before.at)) * 60_000;
}

/** Creates orders as fast as they are accepted. Returns orders per second. */
async function placeOrders(
  server: ServerUnderLoad,
  trade: TradingAccounts,
  size: Size,
): Promise<number> {
  const api = new ApiClient(server.url, trade, size.callers);
  const perSecond = await closedLoop({ ...size, warmUp: 0 }, () =>
    api.createOrder(crypto.randomUUID()),
  );
  await api.close();
  return perSecond;
}

interface Rates {
  /** Rows pruned per minute. */
  pruned: number;
  /** Orders accepted per second. */
  orders: number;
  /** Rows that were written per order; 0 if rows were pruned meanwhile. */
  rowsPerOrder: number;
  /** Whether all old rows were deleted before the end. */
  ranOut: boolean;
}

/** Measures pruning without requests. */
async function pruneIdle(context: BenchContext, database: Database, size: Size): Promise<Rates> {
  return await withServer(context, database, true, async (_, file) => {
    const before = countPrunable(file, oldBefore);
    await setTimeout(size.seconds * 1000);
    const after = countPrunable(file, oldBefore);
    const pruned = prunedPerMinute(before, after);
    return { pruned, orders: 0, rowsPerOrder: 0, ranOut: after.old === 0 };
  });
}

/** Measures orders while the server prunes, or has nothing to prune. */
async function takeIn(
  context: BenchContext,
  database: Database,
  size: Size,
  prunes: boolean,
): Promise<Rates> {
  const [trade] = database.trades;
  return await withServer(context, database, prunes, async (server, file) => {
    const before = countPrunable(file, oldBefore);
    const startedAt = machineTime();
    const orders = await placeOrders(server, trade, size);
    const placed = (orders * (machineTime() - startedAt)) / 1000;
    const after = countPrunable(file, oldBefore);
    const pruned = prunedPerMinute(before, after);
    if (prunes) return { pruned, orders, rowsPerOrder: 0, ranOut: after.old === 0 };
    // The last attempts are rows too.
    await untilDelivered(file);
    const written = countPrunable(file, oldBefore).young - before.young;
    return { pruned, orders, rowsPerOrder: written / placed, ranOut: false };
  });
}

/** API p99 at a steady rate. */
async function requestP99(
  context: BenchContext,
  database: Database,
  size: Size,
  prunes: boolean,
): Promise<number> {
  const [trade] = database.trades;
  return await withServer(context, database, prunes, async (server) => {
    const api = new ApiClient(server.url, trade, 16);
    await loadApi(api, trade, { perSecond: size.perSecond, seconds: size.warmUp });
    const durations = await loadApi(api, trade, size);
    await api.close();
    return quantile(durations, 0.99);
  });
}

function createDatabaseSpecs(url: string, size: Size): [DatabaseSpec, ...DatabaseSpec[]] {
  const past = { urls: [url], backlog: 0, orders: 0, pastOrders: size.pastOrders, hasAgent: true };
  const others = Array.from({ length: size.trades - 1 }, () => past);
  return [{ ...past, orders: size.orders }, ...others];
}

/**
 * Measures how many rows per minute a server prunes of a large old database, idle and while it accepts as many orders
 * as it can, against the rows that these orders write; and how long API requests take meanwhile.
 */
export async function pruning(context: BenchContext): Promise<Figure[]> {
  const { environment, log } = context;
  const size = context.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, 1);
  log(`writing ${formatCount(size.trades * size.pastOrders)} orders of ${pastDays} days ago`);
  const [url = ''] = receiver.urls;
  const { old: database } = await createDatabases(environment, {
    old: createDatabaseSpecs(url, size),
  });
  const rows = await database.use(async (file) => countPrunable(file, oldBefore).old);

  const { idle, busy, alone } = await interleave(
    size.rounds,
    {
      idle: () => pruneIdle(context, database, size),
      busy: () => takeIn(context, database, size, true),
      alone: () => takeIn(context, database, size, false),
    },
    log,
    'pruning beside intake',
  );
  const { during, without } = await interleave(
    size.rounds,
    {
      during: () => requestP99(context, database, size, true),
      without: () => requestP99(context, database, size, false),
    },
    log,
    'requests beside pruning',
  );
  await receiver.stop();

  const rowsPerOrder = median(alone.map((round) => round.rowsPerOrder));
  const intake = (rounds: Rates[]) => rounds.map(({ orders }) => orders * rowsPerOrder * 60);
  const orders = (rounds: Rates[]) => rounds.map((round) => round.orders);
  const pruned = (rounds: Rates[]) => rounds.map((round) => round.pruned);
  const about = `Of ${formatCount(rows)} old rows. Each order writes ${rowsPerOrder.toFixed(1)}.`;
  const notesOn = (rounds: Rates[]) =>
    rounds.some(({ ranOut }) => ranOut)
      ? [about, 'The old rows ran out before the end: they are pruned faster than that.']
      : [about];
  const goal = { of: 'ratio', bound: 'at least', value: 1 } as const;
  return [
    createFigure({
      bench: 'pruning',
      what: 'rows pruned by an idle server',
      unit: '/min',
      ours: pruned(idle),
      baseline: {
        what: `rows that orders write which ${size.callers} callers create, with nothing to prune`,
        values: intake(alone),
      },
      goal,
      notes: notesOn(idle),
    }),
    createFigure({
      bench: 'pruning',
      what: 'rows pruned while as many orders come in as are accepted',
      unit: '/min',
      ours: pruned(busy),
      baseline: { what: 'rows that these orders write', values: intake(busy) },
      goal,
      notes: notesOn(busy),
    }),
    createFigure({
      bench: 'pruning',
      what: 'orders accepted while old rows are pruned',
      unit: '/s',
      ours: orders(busy),
      baseline: { what: 'with nothing to prune', values: orders(alone) },
    }),
    createFigure({
      bench: 'pruning',
      what: 'API request p99 while old rows are pruned',
      unit: 'ms',
      ours: during,
      baseline: { what: 'with nothing to prune', values: without },
      goal: { of: 'ratio', bound: 'at most', value: 1.3 },
      notes: [`${size.perSecond} requests a second: ${mixInWords}.`],
    }),
  ];
}
