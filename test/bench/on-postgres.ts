import pg from 'pg';
import { ApiClient } from './api-client';
import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { createDatabases, type Template } from './database';
import type { DatabaseSpec } from './database-process';
import { orderAndDeliver, type Parts } from './delivered';
import { createFigure, type Figure } from './figure';
import type { FloodOperations } from './flood-process';
import { allRecordedInPostgres, type BenchPostgres, startBenchPostgres } from './postgres';
import { ProcessTree } from './process-tree';
import { quantile } from './quantiles';
import { collectReceipts, explainMissing, listDurations, orderSteadily } from './receipts';
import { startReceiver } from './receiver';
import { allRecorded } from './recorded-outcomes';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import { createOrderRequest, type TradingAccounts } from './trading-accounts';

const sizes = {
  usual: {
    rounds: 5,
    warmUp: { one: 6_000, ten: 1_500 },
    orders: { one: 5_000, ten: 2_000 },
    steady: { rounds: 3, warmUp: 6, seconds: 15, perSecond: 200, timeoutMs: 30_000 },
  },
  quick: {
    rounds: 1,
    warmUp: { one: 20, ten: 20 },
    orders: { one: 100, ten: 40 },
    steady: { rounds: 1, warmUp: 0.2, seconds: 0.5, perSecond: 100, timeoutMs: 5_000 },
  },
};
const clients = 32;
/** More than are ever needed, so that a slow response delays no other request. */
const steadyConnections = 256;
const endpointCounts = { one: 1, ten: 10 };

type Size = (typeof sizes)['usual'];
type Load = keyof typeof endpointCounts;
type Databases = Record<Load, Template<[TradingAccounts]>>;

interface Round {
  /** Deliveries per second. */
  perSecond: number;
  /** Milliseconds of processor time of a delivery: of the server, and of PostgreSQL if it is used. */
  processorMs: number;
  /** Bytes of the log of PostgreSQL for a delivery. */
  walBytes: number;
}

/** What a bench needs of a store. */
interface StoreUnderLoad {
  databases: Databases;
  isRecorded: (database: string) => Promise<number>;
  /** Null for SQLite. */
  postgres: BenchPostgres | null;
}

/** Returns how much a PostgreSQL server has written to its log, in bytes. */
async function readWal(postgres: BenchPostgres | null): Promise<number> {
  if (postgres === null) return 0;
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>(
    "SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes",
  );
  await client.end();
  return Number(rows[0]?.bytes);
}

/** Measures orders that are created and delivered, from the first request to the last outcome in the database. */
async function measureDelivered(
  parts: Parts,
  { databases, isRecorded, postgres }: StoreUnderLoad,
  load: Load,
  { warmUp, orders }: Size,
): Promise<Round> {
  const { use, trades } = databases[load];
  const endpoints = endpointCounts[load];
  return await use(async (database) => {
    const server = await startTradepostServer(parts.context.environment, database);
    const target = {
      url: server.url,
      requests: [createOrderRequest(trades[0])] as const,
      connections: clients,
    };
    const send = (count: number) =>
      orderAndDeliver(parts, { ...target, count }, count * endpoints, () => isRecorded(database));
    const own = new ProcessTree(server.pid);
    const readProcessorTime = () =>
      (own.readProcessorTime() ?? Number.NaN) + (postgres?.processes.readProcessorTime() ?? 0);
    await send(warmUp[load]);
    const [wal, processorTime] = [await readWal(postgres), readProcessorTime()];
    const seconds = await send(orders[load]);
    const deliveries = orders[load] * endpoints;
    const round = {
      perSecond: deliveries / seconds,
      processorMs: ((readProcessorTime() - processorTime) * 1_000) / deliveries,
      walBytes: ((await readWal(postgres)) - wal) / deliveries,
    };
    await server.stop();
    return round;
  });
}

/** Measures the time from the request of an order to the receipt of its event, at a steady rate. */
async function measureReceipt(
  { context, receiver }: Parts,
  { databases }: StoreUnderLoad,
  { steady }: Size,
) {
  const { use, trades } = databases.one;
  return await use(async (database) => {
    const server = await startTradepostServer(context.environment, database);
    const api = new ApiClient(server.url, trades[0], steadyConnections);
    await receiver.call('configure', { responds: true, recordsArrivals: true });
    const early = await orderSteadily(api, steady.perSecond, steady.warmUp);
    await collectReceipts(receiver, early, 1, steady.timeoutMs);
    await receiver.call('resetCount', 0);
    const orders = await orderSteadily(api, steady.perSecond, steady.seconds);
    const collected = await collectReceipts(receiver, orders, 1, steady.timeoutMs);
    const durations = listDurations(collected, steady.timeoutMs);
    await receiver.call('configure', { responds: true, recordsArrivals: false });
    await Promise.all([api.close(), server.stop()]);
    return {
      p50: quantile(durations, 0.5),
      p99: quantile(durations, 0.99),
      missing: collected.missing,
    };
  });
}

/** Measures orders with their deliveries on PostgreSQL, against SQLite in the same rounds. */
export async function onPostgres(context: BenchContext): Promise<Figure[]> {
  const { environment, log, quick } = context;
  const size = quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, endpointCounts.ten);
  const postgres = await startBenchPostgres(environment);
  const program = new URL('./flood-process.ts', import.meta.url);
  const client = startBenchProcess<FloodOperations>(environment, program);
  const parts: Parts = { context, client, receiver };
  const spec = (endpoints: number): [DatabaseSpec] => [
    { urls: receiver.urls.slice(0, endpoints), backlog: 0, orders: 0 },
  ];
  const specs = { one: spec(endpointCounts.one), ten: spec(endpointCounts.ten) } as const;
  const onServer: StoreUnderLoad = {
    databases: await postgres.createDatabases(specs),
    isRecorded: (url) => allRecordedInPostgres(url),
    postgres,
  };
  const embedded: StoreUnderLoad = {
    databases: await createDatabases(environment, specs),
    isRecorded: allRecorded,
    postgres: null,
  };
  const figures: Figure[] = [];
  const add = (
    what: string,
    unit: Figure['unit'],
    ours: number[],
    values: number[],
    further: Partial<Parameters<typeof createFigure>[0]> = {},
  ) =>
    figures.push(
      createFigure({
        bench: 'onPostgres',
        what,
        unit,
        ours,
        baseline: { what: 'SQLite', values },
        ...further,
      }),
    );
  for (const load of Object.keys(endpointCounts) as Load[]) {
    const to = load === 'one' ? '1 endpoint' : `${endpointCounts[load]} endpoints`;
    const what = `deliveries to ${to}, ordered by ${clients} clients`;
    const { ours, sqlite } = await interleave(
      size.rounds,
      {
        ours: () => measureDelivered(parts, onServer, load, size),
        sqlite: () => measureDelivered(parts, embedded, load, size),
      },
      log,
      what,
    );
    const read = (rounds: Round[], name: keyof Round) => rounds.map((round) => round[name]);
    add(what, '/s', read(ours, 'perSecond'), read(sqlite, 'perSecond'));
    add(
      `processor time of these, all parts`,
      'ms',
      read(ours, 'processorMs'),
      read(sqlite, 'processorMs'),
      load === 'ten' ? { goal: { of: 'ours', bound: 'at most', value: 0.18 } } : {},
    );
    figures.push(
      createFigure({
        bench: 'onPostgres',
        what: `log of PostgreSQL for each of these deliveries, with their share of the order`,
        unit: 'bytes',
        ours: read(ours, 'walBytes'),
        ...(load === 'ten' && { goal: { of: 'ours', bound: 'at most', value: 1_300 } }),
      }),
    );
  }
  const { ours, sqlite } = await interleave(
    size.steady.rounds,
    {
      ours: () => measureReceipt(parts, onServer, size),
      sqlite: () => measureReceipt(parts, embedded, size),
    },
    log,
    'request to receipt',
  );
  for (const [part, value] of [
    ['p50', 10],
    ['p99', 60],
  ] as const) {
    add(
      `request to receipt at ${size.steady.perSecond} orders/s, ${part}`,
      'ms',
      ours.map((round) => round[part]),
      sqlite.map((round) => round[part]),
      {
        goal: { of: 'ours', bound: 'at most', value },
        notes: explainMissing('ours', ours, size.steady.timeoutMs),
      },
    );
  }
  await Promise.all([client.stop(), receiver.stop()]);
  return figures;
}
