import { setTimeout } from 'node:timers/promises';
import { readResidentMemory } from '../helpers/process-usage';
import type { BenchContext } from './bench-context';
import { type BenchProcess, startBenchProcess } from './bench-process';
import type { ClaimsOperations } from './claims-process';
import { createDatabases, type Template } from './database';
import { createFigure, type Figure } from './figure';
import { longQueueSize } from './long-queue';
import { median } from './quantiles';
import type { Receiver } from './receiver';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 3, few: 1_000, more: 100_000, seconds: 8, claims: 200 },
  quick: { rounds: 1, few: 500, more: 1_000, seconds: 0.5, claims: 20 },
};
const claimLimit = 64;
const memoryIntervalMs = 500;

type Size = (typeof sizes)['usual'];
type Queue = Template<[TradingAccounts, ...TradingAccounts[]]>;
type Queues = Record<'none' | 'few' | 'more' | 'many', Queue>;

/** Measures the peak resident memory of a process over some seconds, sampled twice a second, in MB. */
async function peakMemory(pid: number, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1000;
  let peak = 0;
  while (performance.now() < until) {
    peak = Math.max(peak, (await readResidentMemory(pid)) / 1e6);
    await setTimeout(memoryIntervalMs);
  }
  return peak;
}

/** Measures the peak memory of a server while it delivers, in MB, and the number of deliveries. */
async function memory(context: BenchContext, receiver: Receiver, queue: Queue, seconds: number) {
  return await queue.use(async (file) => {
    await receiver.call('resetCount', 0);
    const server = await startTradepostServer(context.environment, file);
    const peak = await peakMemory(server.pid, seconds);
    await server.stop();
    return { peak, delivered: (await receiver.call('getCount', null)).arrived };
  });
}

async function compareMemory(
  context: BenchContext,
  receiver: Receiver,
  { many, none }: Queues,
  queued: number,
  size: Size,
): Promise<Figure> {
  const { full, empty } = await interleave(
    size.rounds,
    {
      full: () => memory(context, receiver, many, size.seconds),
      empty: () => memory(context, receiver, none, size.seconds / 4),
    },
    context.log,
    'memory',
  );
  const delivered = median(full.map((round) => round.delivered));
  return createFigure({
    bench: 'backlog',
    what: `most resident memory, ${formatCount(queued)} queued, delivering`,
    unit: 'MB',
    ours: full.map(({ peak }) => peak),
    baseline: { what: 'nothing queued', values: empty.map(({ peak }) => peak) },
    goal: { of: 'ours', bound: 'at most', value: 200 },
    notes: [`Over ${size.seconds} s, in which ${formatCount(delivered)} deliveries were made.`],
  });
}

/** Measures the median time of a claim, in milliseconds. */
async function measureClaimTime(
  store: BenchProcess<ClaimsOperations>,
  { use }: Queue,
  claims: number,
): Promise<number> {
  return await use(async (database) => {
    const { later } = await store.call('claim', { database, claims, limit: claimLimit });
    return median(later);
  });
}

async function compareClaims(
  context: BenchContext,
  queues: Queues,
  queued: number,
  size: Size,
): Promise<Figure[]> {
  const program = new URL('./claims-process.ts', import.meta.url);
  const store = startBenchProcess<ClaimsOperations>(context.environment, program);
  const { few, more, many } = await interleave(
    size.rounds,
    {
      few: () => measureClaimTime(store, queues.few, size.claims),
      more: () => measureClaimTime(store, queues.more, size.claims),
      many: () => measureClaimTime(store, queues.many, size.claims),
    },
    context.log,
    'claims',
  );
  await store.stop();
  const against = (deliveries: number, ours: number[]) =>
    createFigure({
      bench: 'backlog',
      what: `claim of up to ${claimLimit} with ${formatCount(deliveries)} queued, median`,
      unit: 'ms',
      ours,
      baseline: { what: `${formatCount(size.few)} queued`, values: few },
      goal: { of: 'ratio', bound: 'at most', value: 1.5 },
      notes: [
        'With synchronous=OFF: the wait for the disk is the same for all, and would hide the rest.',
      ],
    });
  return [against(size.more, more), against(queued, many)];
}

/** Measures what a long queue costs: memory of the server, and the time to claim deliveries. */
export async function backlog(context: BenchContext): Promise<Figure[]> {
  const { environment, log, quick } = context;
  const size = quick ? sizes.quick : sizes.usual;
  log(`queueing ${formatCount(longQueueSize(quick))} deliveries, and fewer`);
  const { crowd, database: many, deliveries } = await context.longQueue();
  const createQueueSpec = (backlog: number) => [{ urls: crowd.urls, backlog, orders: 0 }] as const;
  const shorter = await createDatabases(environment, {
    none: createQueueSpec(0),
    few: createQueueSpec(size.few),
    more: createQueueSpec(size.more),
  });
  const queues: Queues = { ...shorter, many };
  return [
    await compareMemory(context, crowd, queues, deliveries, size),
    ...(await compareClaims(context, queues, deliveries, size)),
  ];
}
