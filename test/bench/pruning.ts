import { setTimeout } from 'node:timers/promises';
import { ApiClient } from './api-client';
import { loadApi, mixInWords } from './api-load';
import { closedLoop } from './closed-loop';
import { makeDatabases, type Template } from './database';
import type { TradeWanted } from './database-process';
import { type Figure, figureOf } from './figure';
import { inWords } from './in-words';
import { machineTime } from './machine-time';
import { pastDays } from './past-orders';
import {
  countPrunable,
  type PrunableRows,
  untilDelivered,
  untilKeysArePruned,
  untilPruning,
} from './prunable-rows';
import { median, quantile } from './quantiles';
import { startReceiver } from './receiver';
import { interleave } from './rounds';
import type { Stage } from './stage';
import type { Trade } from './trade';
import { type ServerUnderLoad, startTradepostServer } from './tradepost-server';

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
/** What is older than this is old by every default; young is what the bench itself makes. */
const oldBefore = Date.now() - (pastDays - 10) * dayMs;
const pruneNothing = ['deliveries', 'events', 'notifications', 'unread-notifications'].flatMap(
  (kind) => [`--keep-${kind}`, '3650'],
);

type Size = (typeof sizes)['usual'];
type Database = Template<[Trade, ...Trade[]]>;

/** Does something with a server that prunes, or that has nothing to prune any more. */
async function withServer<Result>(
  { place }: Stage,
  { use }: Database,
  prunes: boolean,
  work: (server: ServerUnderLoad, file: string) => Promise<Result>,
): Promise<Result> {
  return await use(async (file) => {
    const started = startTradepostServer(place, file, prunes ? [] : pruneNothing);
    const pruning = prunes ? untilPruning(file) : untilKeysArePruned(file);
    const server = await started;
    try {
      await pruning;
      return await work(server, file);
    } finally {
      await server.stop();
    }
  });
}

/** Rows a minute that were pruned between two counts. */
function prunedPerMinute(before: PrunableRows, after: PrunableRows): number {
  return ((before.old - after.old) / (after.at - before.at)) * 60_000;
}

/** Places orders as fast as they are accepted. Returns how many a second. */
async function placeOrders(server: ServerUnderLoad, trade: Trade, size: Size): Promise<number> {
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
  /** Rows that were written per order; 0 unless nothing was pruned meanwhile. */
  rowsPerOrder: number;
  /** Whether all that was old was gone before the end. */
  ranOut: boolean;
}

/** Prunes while nobody asks for anything. */
async function pruneIdle(stage: Stage, database: Database, size: Size): Promise<Rates> {
  return await withServer(stage, database, true, async (_, file) => {
    const before = countPrunable(file, oldBefore);
    await setTimeout(size.seconds * 1000);
    const after = countPrunable(file, oldBefore);
    const pruned = prunedPerMinute(before, after);
    return { pruned, orders: 0, rowsPerOrder: 0, ranOut: after.old === 0 };
  });
}

/** Takes in orders, and prunes meanwhile or has nothing to prune. */
async function takeIn(
  stage: Stage,
  database: Database,
  size: Size,
  prunes: boolean,
): Promise<Rates> {
  const [trade] = database.trades;
  return await withServer(stage, database, prunes, async (server, file) => {
    const before = countPrunable(file, oldBefore);
    const began = machineTime();
    const orders = await placeOrders(server, trade, size);
    const placed = (orders * (machineTime() - began)) / 1000;
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
  stage: Stage,
  database: Database,
  size: Size,
  prunes: boolean,
): Promise<number> {
  const [trade] = database.trades;
  return await withServer(stage, database, prunes, async (server) => {
    const api = new ApiClient(server.url, trade, 16);
    await loadApi(api, trade, { perSecond: size.perSecond, seconds: size.warmUp });
    const took = await loadApi(api, trade, size);
    await api.close();
    return quantile(took, 0.99);
  });
}

function wantedTrades(url: string, size: Size): [TradeWanted, ...TradeWanted[]] {
  const past = { urls: [url], backlog: 0, orders: 0, pastOrders: size.pastOrders, hasAgent: true };
  const others = Array.from({ length: size.trades - 1 }, () => past);
  return [{ ...past, orders: size.orders }, ...others];
}

/**
 * How many rows a minute a server prunes of a large old database, idle and while orders come in as fast as it
 * accepts them, against the rows that these orders write; and how long API requests take meanwhile.
 */
export async function pruning(stage: Stage): Promise<Figure[]> {
  const { place, say } = stage;
  const size = stage.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(place, 1);
  say(`writing ${inWords(size.trades * size.pastOrders)} orders of ${pastDays} days ago`);
  const [url = ''] = receiver.urls;
  const { old: database } = await makeDatabases(place, { old: wantedTrades(url, size) });
  const rows = await database.use(async (file) => countPrunable(file, oldBefore).old);

  const { idle, busy, alone } = await interleave(
    size.rounds,
    {
      idle: () => pruneIdle(stage, database, size),
      busy: () => takeIn(stage, database, size, true),
      alone: () => takeIn(stage, database, size, false),
    },
    (round) => say(`pruning beside intake: round ${round} of ${size.rounds}`),
  );
  const { during, without } = await interleave(
    size.rounds,
    {
      during: () => requestP99(stage, database, size, true),
      without: () => requestP99(stage, database, size, false),
    },
    (round) => say(`requests beside pruning: round ${round} of ${size.rounds}`),
  );
  await receiver.stop();

  const rowsPerOrder = median(alone.map((round) => round.rowsPerOrder));
  const intake = (rounds: Rates[]) => rounds.map(({ orders }) => orders * rowsPerOrder * 60);
  const orders = (rounds: Rates[]) => rounds.map((round) => round.orders);
  const pruned = (rounds: Rates[]) => rounds.map((round) => round.pruned);
  const about = `Of ${inWords(rows)} old rows. Each order writes ${rowsPerOrder.toFixed(1)}.`;
  const notesOn = (rounds: Rates[]) =>
    rounds.some(({ ranOut }) => ranOut)
      ? [about, 'The old rows ran out before the end: they are pruned faster than that.']
      : [about];
  const goal = { of: 'ratio', bound: 'at least', value: 1 } as const;
  return [
    figureOf({
      bench: 'pruning',
      what: 'rows pruned by an idle server',
      unit: '/min',
      ours: pruned(idle),
      baseline: {
        what: `rows that orders write which ${size.callers} callers place, with nothing to prune`,
        values: intake(alone),
      },
      goal,
      notes: notesOn(idle),
    }),
    figureOf({
      bench: 'pruning',
      what: 'rows pruned while as many orders come in as are accepted',
      unit: '/min',
      ours: pruned(busy),
      baseline: { what: 'rows that these orders write', values: intake(busy) },
      goal,
      notes: notesOn(busy),
    }),
    figureOf({
      bench: 'pruning',
      what: 'orders accepted while old rows are pruned',
      unit: '/s',
      ours: orders(busy),
      baseline: { what: 'with nothing to prune', values: orders(alone) },
    }),
    figureOf({
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
