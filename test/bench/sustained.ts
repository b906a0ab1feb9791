import { maxWebhooksPerAccount } from '@tradepost/contract';
import type { BareLoopVerbs } from './bare-loop-process';
import { makeDatabases, type Template } from './database';
import { type Figure, figureOf } from './figure';
import { inWords } from './in-words';
import { startOwnProcess } from './own-process';
import { type Receiver, startReceiver } from './receiver';
import { allRecorded } from './recorded-outcomes';
import { interleave } from './rounds';
import type { Stage } from './stage';
import type { Trade } from './trade';
import { startTradepostServer } from './tradepost-server';
import { within } from './within';

const sizes = {
  usual: { rounds: 3, deliveries: 24_000, posts: 64_000, warmUp: 4_000 },
  quick: { rounds: 1, deliveries: 200, posts: 200, warmUp: 50 },
};
const patience = 240;
/** As many as the engine has under way in all. From 8 to 64 the bare loop is about as fast. */
const concurrency = 64;

type Size = (typeof sizes)['usual'];

/** How many a second arrived between the end of the warm-up and the end of it all. */
async function rateOf(receiver: Receiver, arrivals: number, ended: number): Promise<number> {
  const { noted } = await receiver.ask('counted', null);
  if (noted === null) throw new Error('Too little arrived to measure a rate.');
  return (arrivals / (ended - noted)) * 1000;
}

async function drain(stage: Stage, receiver: Receiver, file: string, size: Size): Promise<number> {
  const { deliveries, warmUp } = size;
  await receiver.ask('countAnew', warmUp);
  const server = await startTradepostServer(stage.place, file);
  const drained = receiver.ask('until', deliveries).then(() => allRecorded(file));
  const ended = await within(patience, drained, async () => {
    const { arrived } = await receiver.ask('counted', null);
    return `Of ${deliveries} deliveries only ${arrived} arrived and were recorded in ${patience} s. The server said last:\n${server.lastWords()}`;
  });
  await server.stop();
  return await rateOf(receiver, deliveries - warmUp, ended);
}

async function loop(stage: Stage, receiver: Receiver, trade: Trade, size: Size): Promise<number> {
  const { posts, warmUp } = size;
  await receiver.ask('countAnew', warmUp);
  const file = new URL('./bare-loop-process.ts', import.meta.url);
  const bare = startOwnProcess<BareLoopVerbs>(stage.place, file);
  const ended = await bare.ask('post', { trade, posts, concurrency });
  await bare.stop();
  return await rateOf(receiver, posts - warmUp, ended);
}

async function measure(
  stage: Stage,
  receiver: Receiver,
  { use, trades: [trade] }: Template<[Trade]>,
  size: Size,
): Promise<Figure> {
  const endpoints = trade.webhooks.length;
  const to = endpoints === 1 ? '1 endpoint' : `${endpoints} endpoints`;
  const { ours, bare } = await interleave(
    size.rounds,
    {
      ours: () => use((file) => drain(stage, receiver, file, size)),
      bare: () => loop(stage, receiver, trade, size),
    },
    (round) => stage.say(`${to}: round ${round} of ${size.rounds}`),
  );
  return figureOf({
    bench: 'sustained',
    what: `deliveries sent and recorded, ${to}`,
    unit: '/s',
    ours,
    baseline: { what: 'bare loop that signs and posts, records nothing', values: bare },
    goal: { of: 'ratio', bound: 'at least', value: 0.5 },
  });
}

/**
 * How many deliveries a second the server makes of a prepared backlog, until the last outcome is on disk,
 * against a loop that only signs and posts: to one endpoint, and to as many as an account may have.
 */
export async function sustained(stage: Stage): Promise<Figure[]> {
  const { place, say } = stage;
  const size = stage.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(place, maxWebhooksPerAccount);
  say(`queueing ${inWords(size.deliveries)} deliveries, twice`);
  const queueFor = (urls: string[]) => [{ urls, backlog: size.deliveries, orders: 0 }] as const;
  const { one, many } = await makeDatabases(place, {
    one: queueFor(receiver.urls.slice(0, 1)),
    many: queueFor(receiver.urls),
  });
  const figures = [
    await measure(stage, receiver, one, size),
    await measure(stage, receiver, many, size),
  ];
  await receiver.stop();
  return figures;
}
