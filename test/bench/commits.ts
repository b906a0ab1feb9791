import { ApiClient } from './api-client';
import type { Workplace } from './bench-environment';
import { closedLoop } from './closed-loop';
import type { CommitOptions } from './commit-options';
import { makeDatabases, type Template } from './database';
import { type Figure, figureOf } from './figure';
import { startInThreadServer } from './in-thread-server';
import type { OwnProcess } from './own-process';
import { median } from './quantiles';
import { interleave } from './rounds';
import type { Stage } from './stage';
import { startStoreProcess } from './start-store-process';
import type { StoreVerbs } from './store-process';
import type { Trade } from './trade';

const sizes = {
  usual: { rounds: 3, callers: 64, warmUp: 1, seconds: 3 },
  quick: { rounds: 1, callers: 64, warmUp: 0.1, seconds: 0.3 },
};
const shared: CommitOptions = {};
const single: CommitOptions = { largestGroup: 1 };
const unsafe: CommitOptions = { synchronous: 'off' };

type Size = (typeof sizes)['usual'];
type Database = Template<[Trade]>;
/** Measures orders per second. */
type Measure = (commits: CommitOptions) => Promise<number>;

/** Over HTTP, each caller with a keep-alive connection. */
function overHttp(place: Workplace, { use, trades }: Database, size: Size): Measure {
  return (commits) =>
    use(async (file) => {
      const server = await startInThreadServer(place, file, commits);
      const api = new ApiClient(server.url, trades[0], size.callers);
      const perSecond = await closedLoop(size, () => api.createOrder());
      await Promise.all([api.close(), server.stop()]);
      return perSecond;
    });
}

/** By the store's own verb, with no HTTP around it. */
function byTheStore(
  store: OwnProcess<StoreVerbs>,
  { use, trades: [trade] }: Database,
  size: Size,
): Measure {
  return (commits) => use((file) => store.ask('placeOrders', { file, trade, commits, size }));
}

async function compare(stage: Stage, size: Size, where: string, measure: Measure) {
  const { group, one, off } = await interleave(
    size.rounds,
    { group: () => measure(shared), one: () => measure(single), off: () => measure(unsafe) },
    (round) => stage.say(`${where}: round ${round} of ${size.rounds}`),
  );
  const what = `orders created ${where} by ${size.callers} at once`;
  const ceiling = (median(off) / median(one)).toFixed(2);
  return [
    figureOf({
      bench: 'commits',
      what: `${what}, against one commit each`,
      unit: '/s',
      ours: group,
      baseline: { what: 'one commit for each order', values: one },
      goal: { of: 'ratio', bound: 'at least', value: 5 },
      notes: [
        `With no fsync at all it is ${ceiling} times one commit for each order: about all that sharing commits can win on this disk.`,
      ],
    }),
    figureOf({
      bench: 'commits',
      what: `${what}, against synchronous=OFF`,
      unit: '/s',
      ours: group,
      baseline: { what: 'commits that nobody waits for', values: off },
      goal: { of: 'ratio', bound: 'at least', value: 0.8 },
    }),
  ];
}

/** How often a second this disk takes a commit. */
async function compareDisk(
  place: Workplace,
  store: OwnProcess<StoreVerbs>,
  { rounds, seconds }: Size,
): Promise<Figure> {
  const rows: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const asked = { file: place.newFile('rows.db'), seconds: seconds / 4 };
    rows.push(await store.ask('commitRows', asked));
  }
  return figureOf({
    bench: 'commits',
    what: 'commits of one small row, synchronous=FULL, one by one',
    unit: '/s',
    ours: rows,
    notes: [`${(1000 / median(rows)).toFixed(3)} ms each, fsync and all.`],
  });
}

/**
 * How many orders a second are created when writes that arrive together share a commit that is on disk,
 * against a commit for each, and against commits that nobody waits for.
 */
export async function commits(stage: Stage): Promise<Figure[]> {
  const { place } = stage;
  const size = stage.quick ? sizes.quick : sizes.usual;
  const { empty } = await makeDatabases(place, { empty: [{ urls: [], backlog: 0, orders: 0 }] });
  const store = startStoreProcess(place);
  const figures = [
    ...(await compare(stage, size, 'over HTTP', overHttp(place, empty, size))),
    ...(await compare(stage, size, 'by the store', byTheStore(store, empty, size))),
    await compareDisk(place, store, size),
  ];
  await store.stop();
  return figures;
}
