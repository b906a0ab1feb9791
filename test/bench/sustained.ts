import { maxWebhooksPerAccount } from '@tradepost/contract';
import type { BareLoopOperations } from './bare-loop-process';
import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { createDatabases, type Template } from './database';
import { createFigure, type Figure } from './figure';
import { formatCount } from './format-count';
import { type Receiver, startReceiver } from './receiver';
import { allRecorded } from './recorded-outcomes';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';
import { withTimeout } from './with-timeout';

const sizes = {
  usual: { rounds: 3, deliveries: 24_000, posts: 64_000, warmUp: 4_000 },
  quick: { rounds: 1, deliveries: 200, posts: 200, warmUp: 50 },
};
const timeoutSeconds = 240;
/** The maximum number of attempts in flight. The bare loop is about equally fast from 8 to 64. */
const concurrency = 64;

type Size = (typeof sizes)['usual'];

/** Calculates the arrivals per second between the end of the warm-up and the end. */
async function calculateRate(receiver: Receiver, arrivals: number, ended: number): Promise<number> {
  const { notedAt } = await receiver.call('getCount', null);
  if (notedAt === null) throw new Error('Too little arrived to measure a rate.');
  return (arrivals / (ended - notedAt)) * 1000;
}

async function drain(
  context: BenchContext,
  receiver: Receiver,
  file: string,
  size: Size,
): Promise<number> {
  const { deliveries, warmUp } = size;
  await receiver.call('resetCount', warmUp);
  const server = await startTradepostServer(context.environment, file);
  const drained = receiver.call('waitFor', deliveries).then(() => allRecorded(file));
  const ended = await withTimeout(timeoutSeconds, drained, async () => {
    const { arrived } = await receiver.call('getCount', null);
    return `Of ${deliveries} deliveries only ${arrived} arrived and were recorded in ${timeoutSeconds} s. The last lines of its log:\n${server.readLogTail()}`;
  });
  await server.stop();
  return await calculateRate(receiver, deliveries - warmUp, ended);
}

async function loop(
  context: BenchContext,
  receiver: Receiver,
  trade: TradingAccounts,
  size: Size,
): Promise<number> {
  const { posts, warmUp } = size;
  await receiver.call('resetCount', warmUp);
  const file = new URL('./bare-loop-process.ts', import.meta.url);
  const bare = startBenchProcess<BareLoopOperations>(context.environment, file);
  const ended = await bare.call('post', { trade, posts, concurrency });
  await bare.stop();
  return await calculateRate(receiver, posts - warmUp, ended);
}

async function measure(
  context: BenchContext,
  receiver: Receiver,
  { use, trades: [trade] }: Template<[TradingAccounts]>,
  size: Size,
): Promise<Figure> {
  const endpoints = trade.webhooks.length;
  const to = endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
  const { ours, bare } = await interleave(
    size.rounds,
    {
      ours: () => use((file) => drain(context, receiver, file, size)),
      bare: () => loop(context, receiver, trade, size),
    },
    (round) => context.log(`${to}: round ${round} of ${size.rounds}`),
  );
  return createFigure({
    bench: 'sustained',
    what: `deliveries sent and recorded, ${to}`,
    unit: '/s',
    ours,
    baseline: { what: 'bare loop that signs and posts, records nothing', values: bare },
    goal: { of: 'ratio', bound: 'at least', value: 0.5 },
  });
}

/**
 * Measures how many deliveries per second the server makes from a prepared backlog until the last outcome is on disk,
 * against a loop that only signs and posts: to one endpoint, and to as many as an account may have.
 */
export async function sustained(context: BenchContext): Promise<Figure[]> {
  const { environment, log } = context;
  const size = context.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, maxWebhooksPerAccount);
  log(`queueing ${formatCount(size.deliveries)} deliveries, twice`);
  const queueFor = (urls: string[]) => [{ urls, backlog: size.deliveries, orders: 0 }] as const;
  const { one, many } = await createDatabases(environment, {
    one: queueFor(receiver.urls.slice(0, 1)),
    many: queueFor(receiver.urls),
  });
  const figures = [
    await measure(context, receiver, one, size),
    await measure(context, receiver, many, size),
  ];
  await receiver.stop();
  return figures;
}
