import type { BenchContext } from './bench-context';
import type { Template } from './database';
import { createFigure, type Figure } from './figure';
import { allRecordedInPostgres, type BenchPostgres, startBenchPostgres } from './postgres';
import { ProcessTree } from './process-tree';
import { median } from './quantiles';
import { type DrainSize, drain, type Receiver, startReceiver } from './receiver';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  // All processes must have started before the end of the warm-up.
  usual: { rounds: 5, endpointCounts: [1, 10], deliveries: 32_000, warmUp: 8_000 },
  quick: { rounds: 1, endpointCounts: [10], deliveries: 200, warmUp: 50 },
};

interface Parts {
  context: BenchContext;
  postgres: BenchPostgres;
  receiver: Receiver;
  size: DrainSize;
}

const consumers = ['PostgreSQL', 'workers', 'receiver'] as const;
type Consumer = (typeof consumers)[number];
/** Processor time, in milliseconds. */
type ProcessorTimes = Record<Consumer, number>;

interface Round {
  perSecond: number;
  /** For each delivery, from the end of the warm-up until the last outcome. Not numbers where they cannot be read. */
  times: ProcessorTimes;
}

/** Calls `toTime` for each of those that use processors. */
function mapConsumers(toTime: (name: Consumer) => number): ProcessorTimes {
  return Object.fromEntries(consumers.map((name) => [name, toTime(name)])) as ProcessorTimes;
}

function readTimes(trees: Record<Consumer, readonly ProcessTree[]>): ProcessorTimes {
  return mapConsumers((name) => {
    const seconds = trees[name].map((tree) => tree.readProcessorTime() ?? Number.NaN);
    return seconds.reduce((sum, value) => sum + value, 0) * 1000;
  });
}

/** Drains a copy of the queue with a number of worker processes. */
async function measure(
  { context: { environment }, postgres, receiver, size }: Parts,
  url: string,
  count: number,
): Promise<Round> {
  const trees: Record<Consumer, ProcessTree[]> = {
    PostgreSQL: [postgres.processes],
    workers: [],
    receiver: [new ProcessTree(receiver.pid)],
  };
  let before = readTimes(trees);
  let after = before;
  const start = () => startTradepostServer(environment, url, ['--role', 'worker']);
  const perSecond = await drain(receiver, size, {
    async start() {
      const workers = await Promise.all(Array.from({ length: count }, start));
      trees.workers = workers.map(({ pid }) => new ProcessTree(pid));
      return {
        readLogTail: () => workers.map(({ readLogTail }) => readLogTail()).join('\n'),
        async stop() {
          await Promise.all(workers.map(({ stop }) => stop()));
        },
      };
    },
    onWarm() {
      before = readTimes(trees);
    },
    async allRecorded() {
      const ended = await allRecordedInPostgres(url);
      after = readTimes(trees);
      return ended;
    },
  });
  const measured = size.deliveries - size.warmUp;
  return { perSecond, times: mapConsumers((name) => (after[name] - before[name]) / measured) };
}

/** Describes where the processor time was spent; empty where that cannot be read. */
function describeTimes(count: number, rounds: readonly Round[]): string[] {
  const toMedian = (toValue: (round: Round) => number) => median(rounds.map(toValue));
  const share = toMedian(({ times }) => times.PostgreSQL / (times.PostgreSQL + times.workers));
  if (Number.isNaN(share)) return [];
  const parts = consumers.map((name) => {
    return `${name} ${toMedian(({ times }) => times[name]).toFixed(2)} ms`;
  });
  const busy = toMedian(({ perSecond, times }) => {
    return (perSecond * (times.PostgreSQL + times.workers + times.receiver)) / 1000;
  });
  return [
    `With ${count}: processor time of a delivery: ${parts.join(', ')}. PostgreSQL uses ${(share * 100).toFixed(0)}% of its own and the workers'. All use ${busy.toFixed(1)} processors.`,
  ];
}

async function measureLoad(
  parts: Parts,
  { use }: Template<[TradingAccounts]>,
  to: string,
  rounds: number,
): Promise<Figure[]> {
  const run = (count: number) => () => use((url) => measure(parts, url, count));
  const { one, two, four } = await interleave(
    rounds,
    { one: run(1), two: run(2), four: run(4) },
    parts.context.log,
    to,
  );
  const rates = (results: readonly Round[]) => results.map(({ perSecond }) => perSecond);
  const create = (count: number, results: readonly Round[]) =>
    createFigure({
      bench: 'workers',
      what: `deliveries of ${count} worker processes on one database, ${to}`,
      unit: '/s',
      ours: rates(results),
      baseline: { what: '1 worker process', values: rates(one) },
      notes: [...describeTimes(1, one), ...describeTimes(count, results)],
    });
  return [create(2, two), create(4, four)];
}

/** Measures how many deliveries per second several worker processes make on one PostgreSQL database, against one process. */
export async function workers(context: BenchContext): Promise<Figure[]> {
  const { environment, log, quick } = context;
  const { rounds, endpointCounts, ...size } = quick ? sizes.quick : sizes.usual;
  const postgres = await startBenchPostgres(environment);
  const figures: Figure[] = [];
  for (const endpoints of endpointCounts) {
    const to = endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
    const receiver = await startReceiver(environment, endpoints);
    log(`${to}: queueing ${formatCount(size.deliveries)} deliveries`);
    const { queue } = await postgres.createDatabases({
      queue: [{ urls: receiver.urls, backlog: size.deliveries, orders: 0 }],
    });
    figures.push(...(await measureLoad({ context, postgres, receiver, size }, queue, to, rounds)));
    await receiver.stop();
  }
  return figures;
}
