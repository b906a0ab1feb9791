import { setTimeout } from 'node:timers/promises';
import { ApiClient } from './api-client';
import { loadApi, mixInWords } from './api-load';
import { makeDatabases, type Template } from './database';
import { type Arrangement, arrangements, ownThread } from './deployment-modes';
import { type Figure, figureOf } from './figure';
import { inWords } from './in-words';
import { machineTime } from './machine-time';
import { median, quantile } from './quantiles';
import { type Receiver, startReceiver } from './receiver';
import { interleave } from './rounds';
import type { Stage } from './stage';
import type { Trade } from './trade';

const sizes = {
  usual: { rounds: 3, warmUp: 1.5, seconds: 6, perSecond: 100, backlog: 100_000, orders: 1_000 },
  quick: { rounds: 1, warmUp: 0.1, seconds: 0.4, perSecond: 50, backlog: 2_000, orders: 20 },
};
const endpoints = 20;

type Size = (typeof sizes)['usual'];

interface Round {
  /** Milliseconds that a request took. */
  p50: number;
  p99: number;
  /** Deliveries per second meanwhile. */
  delivered: number;
}

async function measure(
  { place }: Stage,
  arrangement: Arrangement,
  { use, trades: [trade] }: Template<[Trade, ...Trade[]]>,
  receiver: Receiver,
  size: Size,
): Promise<Round> {
  return await use(async (file) => {
    const server = await arrangement.start(place, file);
    const api = new ApiClient(server.url, trade, 16);
    await loadApi(api, trade, { perSecond: size.perSecond, seconds: size.warmUp });
    await receiver.ask('countAnew', 0);
    const took = await loadApi(api, trade, size);
    const { arrived } = await receiver.ask('counted', null);
    await Promise.all([api.close(), server.stop()]);
    const [p50, p99] = [quantile(took, 0.5), quantile(took, 0.99)];
    return { p50, p99, delivered: arrived / size.seconds };
  });
}

/** Deliveries per second while nobody asks the API for anything. */
async function deliverAlone(
  { place }: Stage,
  { use }: Template<[Trade, ...Trade[]]>,
  receiver: Receiver,
  size: Size,
): Promise<number> {
  return await use(async (file) => {
    await receiver.ask('countAnew', 0);
    const server = await ownThread.start(place, file);
    await receiver.ask('until', 1);
    await setTimeout(size.warmUp * 1000);
    await receiver.ask('countAnew', 0);
    const from = machineTime();
    await setTimeout(size.seconds * 1000);
    // Others are compared with this: a machine that stood still is waited for.
    await receiver.ask('until', 1);
    const { arrived } = await receiver.ask('counted', null);
    const seconds = (machineTime() - from) / 1000;
    await server.stop();
    return arrived / seconds;
  });
}

const medianOf = (rounds: Round[], part: keyof Round) =>
  median(rounds.map((round) => round[part])).toFixed(part === 'delivered' ? 0 : 1);

/**
 * How long API requests take while the engine drains a backlog of another account as fast as it can,
 * against the same while it has nothing to do; and how fast it drains it, against the same without requests.
 */
export async function api(stage: Stage): Promise<Figure[]> {
  const { place, say } = stage;
  const size = stage.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(place, endpoints);
  const asked = { urls: [], backlog: 0, orders: size.orders };
  say(`queueing ${inWords(size.backlog)} deliveries`);
  const queued = { urls: receiver.urls, backlog: size.backlog, orders: 0 };
  const databases = await makeDatabases(place, { busy: [asked, queued], idle: [asked] });

  const figures: Figure[] = [];
  for (const arrangement of arrangements) {
    const { busy, idle } = await interleave(
      size.rounds,
      {
        busy: () => measure(stage, arrangement, databases.busy, receiver, size),
        idle: () => measure(stage, arrangement, databases.idle, receiver, size),
      },
      (round) => say(`${arrangement.engine}: round ${round} of ${size.rounds}`),
    );
    const notes = [
      `${size.perSecond} requests a second: ${mixInWords}. p50 ${medianOf(busy, 'p50')} ms busy, ${medianOf(idle, 'p50')} ms idle.`,
      `${medianOf(busy, 'delivered')} deliveries a second meanwhile.`,
    ];
    if (busy.some(({ delivered }) => delivered * (size.warmUp + size.seconds) >= size.backlog)) {
      notes.push(
        'The backlog may have run out before the end: the engine was not busy all the time.',
      );
    }
    figures.push(
      figureOf({
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
        (await measure(stage, ownThread, databases.busy, receiver, size)).delivered,
      alone: () => deliverAlone(stage, databases.busy, receiver, size),
    },
    (round) => say(`deliveries beside requests: round ${round} of ${size.rounds}`),
  );
  await receiver.stop();
  const delivered = figureOf({
    bench: 'api',
    what: `deliveries beside ${size.perSecond} requests a second, ${ownThread.engine}`,
    unit: '/s',
    ours: beside,
    baseline: { what: 'without requests', values: alone },
  });
  return [...figures, delivered];
}
