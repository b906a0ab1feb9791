import { setTimeout } from 'node:timers/promises';
import { ApiClient } from './api-client';
import { loadApi, mixInWords } from './api-load';
import type { BenchContext } from './bench-context';
import { createDatabases, type Template } from './database';
import { type Arrangement, arrangements, ownThread } from './deployment-modes';
import { createFigure, type Figure } from './figure';
import { machineTime } from './loops';
import { median, quantile } from './quantiles';
import { type Receiver, startReceiver } from './receiver';
import { formatCount } from './report';
import { interleave } from './rounds';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 3, warmUp: 1.5, seconds: 6, perSecond: 100, backlog: 100_000, orders: 1_000 },
  quick: { rounds: 1, warmUp: 0.1, seconds: 0.4, perSecond: 50, backlog: 2_000, orders: 20 },
};
const endpoints = 20;

type Size = (typeof sizes)['usual'];

interface Round {
  /** The duration of a request in milliseconds. */
  p50: number;
  p99: number;
  /** Deliveries per second during the requests. */
  delivered: number;
}

async function measure(
  { environment }: BenchContext,
  arrangement: Arrangement,
  { use, trades: [trade] }: Template<[TradingAccounts, ...TradingAccounts[]]>,
  receiver: Receiver,
  size: Size,
): Promise<Round> {
  return await use(async (file) => {
    const server = await arrangement.start(environment, file);
    const api = new ApiClient(server.url, trade, 16);
    await loadApi(api, trade, { perSecond: size.perSecond, seconds: size.warmUp });
    await receiver.call('resetCount', 0);
    const durations = await loadApi(api, trade, size);
    const { arrived } = await receiver.call('getCount', null);
    await Promise.all([api.close(), server.stop()]);
    const [p50, p99] = [quantile(durations, 0.5), quantile(durations, 0.99)];
    return { p50, p99, delivered: arrived / size.seconds };
  });
}

/** Measures deliveries per second without API requests. */
async function deliverAlone(
  { environment }: BenchContext,
  { use }: Template<[TradingAccounts, ...TradingAccounts[]]>,
  receiver: Receiver,
  size: Size,
): Promise<number> {
  return await use(async (file) => {
    await receiver.call('resetCount', 0);
    const server = await ownThread.start(environment, file);
    await receiver.call('waitFor', 1);
    await setTimeout(size.warmUp * 1000);
    await receiver.call('resetCount', 0);
    const from = machineTime();
    await setTimeout(size.seconds * 1000);
    // The baseline of the others: wait in case the machine stood still.
    await receiver.call('waitFor', 1);
    const { arrived } = await receiver.call('getCount', null);
    const seconds = (machineTime() - from) / 1000;
    await server.stop();
    return arrived / seconds;
  });
}

const toMedian = (rounds: Round[], part: keyof Round) =>
  median(rounds.map((round) => round[part])).toFixed(part === 'delivered' ? 0 : 1);

/**
 * Measures how long API requests take while the engine drains the backlog of another account, against an idle
 * engine; and how fast it drains the backlog, against the same without requests.
 */
export async function api(context: BenchContext): Promise<Figure[]> {
  const { environment, log } = context;
  const size = context.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, endpoints);
  const foreground = { urls: [], backlog: 0, orders: size.orders };
  log(`queueing ${formatCount(size.backlog)} deliveries`);
  const queued = { urls: receiver.urls, backlog: size.backlog, orders: 0 };
  const databases = await createDatabases(environment, {
    busy: [foreground, queued],
    idle: [foreground],
  });

  const figures: Figure[] = [];
  for (const arrangement of arrangements) {
    const { busy, idle } = await interleave(
      size.rounds,
      {
        busy: () => measure(context, arrangement, databases.busy, receiver, size),
        idle: () => measure(context, arrangement, databases.idle, receiver, size),
      },
      log,
      arrangement.engine,
    );
    const notes = [
      `${size.perSecond} requests a second: ${mixInWords}. p50 ${toMedian(busy, 'p50')} ms busy, ${toMedian(idle, 'p50')} ms idle.`,
      `${toMedian(busy, 'delivered')} deliveries a second meanwhile.`,
    ];
    if (busy.some(({ delivered }) => delivered * (size.warmUp + size.seconds) >= size.backlog)) {
      notes.push(
        'The backlog may have run out before the end: the engine was not busy all the time.',
      );
    }
    figures.push(
      createFigure({
        bench: 'api',
        what: `API request p99, delivering at full rate, ${arrangement.engine}`,
        unit: 'ms',
        ours: busy.map(({ p99 }) => p99),
        baseline: { what: 'idle engine', values: idle.map(({ p99 }) => p99) },
        goal: { of: 'ratio', bound: 'at most', value: 1.3 },
        notes,
      }),
    );
  }
  const { beside, alone } = await interleave(
    size.rounds,
    {
      beside: async () =>
        (await measure(context, ownThread, databases.busy, receiver, size)).delivered,
      alone: () => deliverAlone(context, databases.busy, receiver, size),
    },
    log,
    'deliveries beside requests',
  );
  await receiver.stop();
  const delivered = createFigure({
    bench: 'api',
    what: `deliveries beside ${size.perSecond} requests a second, ${ownThread.engine}`,
    unit: '/s',
    ours: beside,
    baseline: { what: 'without requests', values: alone },
  });
  return [...figures, delivered];
}
