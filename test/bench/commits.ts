import { ApiClient } from './api-client';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import type { BenchProcess } from './bench-process';
import { closedLoop } from './closed-loop';
import type { CommitOptions } from './commit-options';
import { createDatabases, type Template } from './database';
import { createFigure, type Figure } from './figure';
import { startInThreadServer } from './in-thread-server';
import { median } from './quantiles';
import { interleave } from './rounds';
import { startStoreProcess } from './start-store-process';
import type { StoreOperations } from './store-process';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 3, callers: 64, warmUp: 1, seconds: 3 },
  quick: { rounds: 1, callers: 64, warmUp: 0.1, seconds: 0.3 },
};
const shared: CommitOptions = {};
const single: CommitOptions = { largestGroup: 1 };
const unsafe: CommitOptions = { synchronous: 'off' };

type Size = (typeof sizes)['usual'];
type Database = Template<[TradingAccounts]>;
/** Measures orders per second. */
type Measure = (commits: CommitOptions) => Promise<number>;

/** Over HTTP, each caller with a keep-alive connection. */
function overHttp(environment: BenchEnvironment, { use, trades }: Database, size: Size): Measure {
  return (commits) =>
    use(async (file) => {
      const server = await startInThreadServer(environment, file, commits);
      const api = new ApiClient(server.url, trades[0], size.callers);
      const perSecond = await closedLoop(size, () => api.createOrder());
      await Promise.all([api.close(), server.stop()]);
      return perSecond;
    });
}

/** Through the store, without HTTP. */
function byTheStore(
  store: BenchProcess<StoreOperations>,
  { use, trades: [trade] }: Database,
  size: Size,
): Measure {
  return (commits) => use((file) => store.call('placeOrders', { file, trade, commits, size }));
}

async function compare(context: BenchContext, size: Size, where: string, measure: Measure) {
  const { group, one, off } = await interleave(
    size.rounds,
    { group: () => measure(shared), one: () => measure(single), off: () => measure(unsafe) },
    (round) => context.log(`${where}: round ${round} of ${size.rounds}`),
  );
  const what = `orders created ${where} by ${size.callers} at once`;
  const ceiling = (median(off) / median(one)).toFixed(2);
  return [
    createFigure({
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
    createFigure({
      bench: 'commits',
      what: `${what}, against synchronous=OFF`,
      unit: '/s',
      ours: group,
      baseline: { what: 'commits without waiting for the disk', values: off },
      goal: { of: 'ratio', bound: 'at least', value: 0.8 },
    }),
  ];
}

/** Measures how many commits per second this disk makes. */
async function compareDisk(
  environment: BenchEnvironment,
  store: BenchProcess<StoreOperations>,
  { rounds, seconds }: Size,
): Promise<Figure> {
  const rows: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const options = { file: environment.newFile('rows.db'), seconds: seconds / 4 };
    rows.push(await store.call('commitRows', options));
  }
  return createFigure({
    bench: 'commits',
    what: 'commits of one small row, synchronous=FULL, one by one',
    unit: '/s',
    ours: rows,
    notes: [`${(1000 / median(rows)).toFixed(3)} ms each, fsync and all.`],
  });
}

/**
 * Measures how many orders per second are created with group commits to disk, against a commit for each order, and
 * against commits without waiting for the disk.
 */
export async function commits(context: BenchContext): Promise<Figure[]> {
  const { environment } = context;
  const size = context.quick ? sizes.quick : sizes.usual;
  const { empty } = await createDatabases(environment, {
    empty: [{ urls: [], backlog: 0, orders: 0 }],
  });
  const store = startStoreProcess(environment);
  const figures = [
    ...(await compare(context, size, 'over HTTP', overHttp(environment, empty, size))),
    ...(await compare(context, size, 'by the store', byTheStore(store, empty, size))),
    await compareDisk(environment, store, size),
  ];
  await store.stop();
  return figures;
}
