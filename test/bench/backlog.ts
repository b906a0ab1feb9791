import type { BenchContext } from './bench-context';
import type { BenchProcess } from './bench-process';
import { createDatabases, type Template } from './database';
import { createFigure, type Figure } from './figure';
import { formatCount } from './format-count';
import { longQueueSize } from './long-queue';
import { peakMemory } from './peak-memory';
import { median } from './quantiles';
import type { Receiver } from './receiver';
import { interleave } from './rounds';
import { startStoreProcess } from './start-store-process';
import type { StoreOperations } from './store-process';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 3, few: 1_000, more: 100_000, seconds: 8, leases: 200 },
  quick: { rounds: 1, few: 500, more: 1_000, seconds: 0.5, leases: 20 },
};
const leaseLimit = 64;

type Size = (typeof sizes)['usual'];
type Queue = Template<[TradingAccounts, ...TradingAccounts[]]>;
type Queues = Record<'none' | 'few' | 'more' | 'many', Queue>;

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
    (round) => context.log(`memory: round ${round} of ${size.rounds}`),
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

/** Measures the median time of a lease, in milliseconds. */
async function measureLeaseTime(
  store: BenchProcess<StoreOperations>,
  { use }: Queue,
  leases: number,
): Promise<number> {
  const run = (file: string) => store.call('lease', { file, leases, limit: leaseLimit });
  return median(await use(run));
}

async function compareLeases(
  context: BenchContext,
  queues: Queues,
  queued: number,
  size: Size,
): Promise<Figure[]> {
  const store = startStoreProcess(context.environment);
  const { few, more, many } = await interleave(
    size.rounds,
    {
      few: () => measureLeaseTime(store, queues.few, size.leases),
      more: () => measureLeaseTime(store, queues.more, size.leases),
      many: () => measureLeaseTime(store, queues.many, size.leases),
    },
    (round) => context.log(`leases: round ${round} of ${size.rounds}`),
  );
  await store.stop();
  const against = (deliveries: number, ours: number[]) =>
    createFigure({
      bench: 'backlog',
      what: `lease of up to ${leaseLimit} with ${formatCount(deliveries)} queued, median`,
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

/** Measures what a long queue costs: memory of the server, and the time to lease deliveries. */
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
    ...(await compareLeases(context, queues, deliveries, size)),
  ];
}
