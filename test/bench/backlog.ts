import { makeDatabases, type Template } from './database';
import { type Figure, figureOf } from './figure';
import { inWords } from './in-words';
import { longQueueSize } from './long-queue';
import type { OwnProcess } from './own-process';
import { median } from './quantiles';
import type { Receiver } from './receiver';
import { peakMemory } from './resident-memory';
import { interleave } from './rounds';
import type { Stage } from './stage';
import { startStoreProcess } from './start-store-process';
import type { StoreVerbs } from './store-process';
import type { Trade } from './trade';
import { startTradepostServer } from './tradepost-server';

const sizes = {
  usual: { rounds: 3, few: 1_000, more: 100_000, seconds: 8, claims: 200 },
  quick: { rounds: 1, few: 500, more: 1_000, seconds: 0.5, claims: 20 },
};
const claimLimit = 64;

type Size = (typeof sizes)['usual'];
type Queue = Template<[Trade, ...Trade[]]>;
type Queues = Record<'none' | 'few' | 'more' | 'many', Queue>;

/** The most memory that a server takes while it delivers, in MB, and how many deliveries it made. */
async function memory(stage: Stage, receiver: Receiver, queue: Queue, seconds: number) {
  return await queue.use(async (file) => {
    await receiver.ask('countAnew', 0);
    const server = await startTradepostServer(stage.place, file);
    const peak = await peakMemory(server.pid, seconds);
    await server.stop();
    return { peak, delivered: (await receiver.ask('counted', null)).arrived };
  });
}

async function compareMemory(
  stage: Stage,
  receiver: Receiver,
  { many, none }: Queues,
  queued: number,
  size: Size,
): Promise<Figure> {
  const { full, empty } = await interleave(
    size.rounds,
    {
      full: () => memory(stage, receiver, many, size.seconds),
      empty: () => memory(stage, receiver, none, size.seconds / 4),
    },
    (round) => stage.say(`memory: round ${round} of ${size.rounds}`),
  );
  const delivered = median(full.map((round) => round.delivered));
  return figureOf({
    bench: 'backlog',
    what: `most resident memory, ${inWords(queued)} queued, delivering`,
    unit: 'MB',
    ours: full.map(({ peak }) => peak),
    baseline: { what: 'nothing queued', values: empty.map(({ peak }) => peak) },
    goal: { of: 'ours', bound: 'at most', value: 200 },
    notes: [`Over ${size.seconds} s, in which ${inWords(delivered)} deliveries were made.`],
  });
}

/** The middle time of a claim, in milliseconds. */
async function claimTime(
  store: OwnProcess<StoreVerbs>,
  { use }: Queue,
  claims: number,
): Promise<number> {
  const ask = (file: string) => store.ask('claim', { file, claims, limit: claimLimit });
  return median(await use(ask));
}

async function compareClaims(
  stage: Stage,
  queues: Queues,
  queued: number,
  size: Size,
): Promise<Figure[]> {
  const store = startStoreProcess(stage.place);
  const { few, more, many } = await interleave(
    size.rounds,
    {
      few: () => claimTime(store, queues.few, size.claims),
      more: () => claimTime(store, queues.more, size.claims),
      many: () => claimTime(store, queues.many, size.claims),
    },
    (round) => stage.say(`claims: round ${round} of ${size.rounds}`),
  );
  await store.stop();
  const against = (deliveries: number, ours: number[]) =>
    figureOf({
      bench: 'backlog',
      what: `claim of up to ${claimLimit} with ${inWords(deliveries)} queued, median`,
      unit: 'ms',
      ours,
      baseline: { what: `${inWords(size.few)} queued`, values: few },
      goal: { of: 'ratio', bound: 'at most', value: 1.5 },
      notes: [
        'With synchronous=OFF: the wait for the disk is the same for all, and would hide the rest.',
      ],
    });
  return [against(size.more, more), against(queued, many)];
}

/** What a long queue costs: memory of the server while it works, and the time of a claim. */
export async function backlog(stage: Stage): Promise<Figure[]> {
  const { place, say, quick } = stage;
  const size = quick ? sizes.quick : sizes.usual;
  say(`queueing ${inWords(longQueueSize(quick))} deliveries, and fewer`);
  const { crowd, database: many, deliveries } = await stage.longQueue();
  const queueOf = (backlog: number) => [{ urls: crowd.urls, backlog, orders: 0 }] as const;
  const shorter = await makeDatabases(place, {
    none: queueOf(0),
    few: queueOf(size.few),
    more: queueOf(size.more),
  });
  const queues: Queues = { ...shorter, many };
  return [
    await compareMemory(stage, crowd, queues, deliveries, size),
    ...(await compareClaims(stage, queues, deliveries, size)),
  ];
}
