import { openStore } from '@tradepost/server';
import type { BenchContext } from './bench-context';
import { createDatabases } from './database';
import { createFigure, type Figure, type Goal } from './figure';
import { filledOrderId, fillPasts } from './fill-pasts';
import { machineTime } from './loops';
import { startBenchPostgres } from './postgres';
import { median, quantile } from './quantiles';
import { formatCount } from './report';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { orders: 1_000_000, warmUp: 20, reads: 1_000 },
  quick: { orders: 1_000, warmUp: 1, reads: 5 },
};
/** The webhooks of the seller. Each has a delivery of each order. */
const urls = Array.from({ length: 10 }, (_, number) => `http://127.0.0.1:9/${number}`);
/** The figures are those of the stores alone, without HTTP. A server returns a summary again for 5 s. */
const spec = { urls, backlog: 0, orders: 0 } as const;
const limits = { entries: 100, attempts: 10 };
const countLimit = 1_001;
const kinds = ['buyer', 'seller', 'agent'] as const;

/** A store to measure, and what its summary may cost in milliseconds. */
interface Side {
  name: string;
  database: string;
  trade: TradingAccounts;
  summaryMs: number;
}

/** Returns how many orders to fill in: as many as `TRADEPOST_BENCH_ORDERS` says, or the usual size. */
function countOrders(usual: number): number {
  const { TRADEPOST_BENCH_ORDERS: wanted } = process.env;
  return wanted === undefined ? usual : Number(wanted);
}

async function measure(
  times: number,
  read: (index: number) => Promise<unknown>,
): Promise<number[]> {
  const durations: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const startedAt = machineTime();
    await read(index);
    durations.push(machineTime() - startedAt);
  }
  return durations;
}

const atMost = (value: number): Goal => ({ of: 'ours', bound: 'at most', value });

async function measureSide(
  context: BenchContext,
  { name, database, trade, summaryMs }: Side,
  { warmUp, reads, orders }: (typeof sizes)['usual'],
): Promise<Figure[]> {
  const startedAt = machineTime();
  await fillPasts(database, trade, orders);
  const seconds = (machineTime() - startedAt) / 1_000;
  context.log(
    `${name}: ${formatCount(orders)} orders with events and deliveries in ${seconds.toFixed(1)} s`,
  );
  const store = await openStore(database);
  const note = `${formatCount(orders)} orders, ${formatCount(orders * urls.length)} deliveries, all of the same three accounts.`;
  const figure = (what: string, durations: number[], goalMs: number) =>
    createFigure({
      bench: 'overviews',
      what: `${name}: ${what}, median`,
      unit: 'ms',
      // Of reads that take a fraction of a millisecond, the p99 is how long the system kept the process waiting.
      ours: [median(durations)],
      goal: atMost(goalMs),
      notes: [note, `p99 ${quantile(durations, 0.99).toFixed(2)} ms.`],
    });
  try {
    const figures: Figure[] = [];
    for (const kind of kinds) {
      const caller = {
        accountId: trade[kind].id,
        kind,
        keyId: '',
        readOnly: true,
        isSession: false,
        expiresAt: null,
      };
      const summarize = () => store.summaries.countAccount(caller, countLimit, Date.now());
      await measure(warmUp, summarize);
      figures.push(figure(`summary of the ${kind}`, await measure(reads, summarize), summaryMs));
      // Far from each other, so that each reads other pages of the tables.
      const readPast = async (index: number) => {
        const id = filledOrderId((index * 7_919) % orders);
        const past = await store.timelines.readPast(caller.accountId, id, limits);
        if (past?.events.length !== 1) throw new Error(`Order ${id} has no event.`);
      };
      await measure(warmUp, readPast);
      figures.push(figure(`timeline of the ${kind}`, await measure(reads, readPast), 2));
    }
    return figures;
  } finally {
    await store.close();
  }
}

/** Measures what the summary of an account and the timeline of an order cost in large stores of both kinds. */
export async function overviews(context: BenchContext): Promise<Figure[]> {
  const { environment } = context;
  const chosen = context.quick ? sizes.quick : sizes.usual;
  const size = { ...chosen, orders: countOrders(chosen.orders) };
  const { sqlite } = await createDatabases(environment, { sqlite: [spec] });
  const postgres = await startBenchPostgres(environment);
  const { filled } = await postgres.createDatabases({ filled: [spec] });
  const sides: Side[] = [
    { name: 'SQLite', database: sqlite.file, trade: sqlite.trades[0], summaryMs: 5 },
    { name: 'PostgreSQL', database: filled.file, trade: filled.trades[0], summaryMs: 30 },
  ];
  const figures: Figure[] = [];
  for (const side of sides) figures.push(...(await measureSide(context, side, size)));
  return figures;
}
