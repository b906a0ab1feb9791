import { maxWebhooksPerAccount } from '@tradepost/contract';
import type { BareLoopOperations } from './bare-loop-process';
import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { createDatabases, type Template } from './database';
import { createFigure, type Figure } from './figure';
import { calculateRate, drain, type Receiver, startReceiver } from './receiver';
import { allRecorded } from './recorded-outcomes';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 3, deliveries: 24_000, posts: 64_000, warmUp: 4_000 },
  quick: { rounds: 1, deliveries: 200, posts: 200, warmUp: 50 },
};
/** The maximum number of attempts in flight. The bare loop is about equally fast from 8 to 64. */
const concurrency = 64;

type Size = (typeof sizes)['usual'];

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
      ours: () =>
        use((file) =>
          drain(receiver, size, {
            start: () => startTradepostServer(context.environment, file),
            allRecorded: () => allRecorded(file),
          }),
        ),
      bare: () => loop(context, receiver, trade, size),
    },
    context.log,
    to,
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
