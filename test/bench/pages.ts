import { rm } from 'node:fs/promises';
import { ApiClient, type Caller } from './api-client';
import type { BenchContext } from './bench-context';
import { createDatabases } from './database';
import { createFigure, type Figure } from './figure';
import { machineTime } from './loops';
import { quantile } from './quantiles';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';

const sizes = {
  usual: {
    stores: [10_000, 100_000, 1_000_000, 10_000_000],
    warmUp: 300,
    requests: 3_000,
    deepPage: 1_000,
  },
  quick: { stores: [400, 800], warmUp: 1, requests: 5, deepPage: 7 },
};
const limit = 20;
const callers: readonly Caller[] = ['buyer', 'seller', 'agent'];
/** Every combination of the filters of the route. */
const filters = [false, true].flatMap((status) =>
  [false, true].flatMap((createdAfter) =>
    [false, true].map((createdBefore) => ({ status, createdAfter, createdBefore })),
  ),
);

type Size = (typeof sizes)['usual'];
type Filter = (typeof filters)[number];

/** A running server and its orders. */
interface ServedStore {
  /** The number of all orders. Half of them are of the measured accounts. */
  orders: number;
  api: ApiClient;
  /** When the newest one was created, in milliseconds since 1970. */
  newest: number;
  /** Stops the server and deletes its database. */
  stop(): Promise<void>;
}

interface Page {
  /** The number of the page, from 1. */
  number: number;
  query: string;
}

interface OrderPage {
  data: { createdAt: string }[];
  nextCursor: string | null;
}

async function serveStore(context: BenchContext, orders: number): Promise<ServedStore> {
  const { environment, log } = context;
  const startedAt = machineTime();
  const group = {
    urls: [],
    backlog: 0,
    orders: 0,
    filledOrders: orders / 2,
    filledStatuses: 'by age',
  } as const;
  const { filled } = await createDatabases(environment, { filled: [group, group] });
  const server = await startTradepostServer(environment, filled.file);
  const seconds = (machineTime() - startedAt) / 1000;
  log(`${formatCount(orders)} orders added in ${seconds.toFixed(1)} s`);
  const api = new ApiClient(server.url, filled.trades[0], 1);
  const { data } = await readPage(api, '?limit=1');
  return {
    orders,
    api,
    newest: Date.parse(data[0]?.createdAt ?? ''),
    async stop() {
      await Promise.all([api.close(), server.stop()]);
      // It has some gigabytes, which the benches after this one may need.
      await rm(filled.file);
    },
  };
}

async function readPage(api: ApiClient, query: string): Promise<OrderPage> {
  return JSON.parse(await api.listOrders(query)) as OrderPage;
}

/**
 * Builds the query of a first page. A server that does not search by all of its parts reads orders which it does not return, and
 * more of them in a larger store: by the account and the status alone, those that are newer than the bound; by the account
 * and the bound alone, those of other statuses before it.
 */
function buildQuery({ orders, newest }: ServedStore, filter: Filter): string {
  const own = orders / 2;
  const timeAt = (share: number) => new Date(newest - (1 - share) * own * 1000).toISOString();
  const query = new URLSearchParams({ limit: String(limit) });
  if (filter.status) query.set('status', 'completed');
  if (filter.createdAfter) query.set('createdAfter', timeAt(0.05));
  if (filter.createdBefore) query.set('createdBefore', timeAt(0.75));
  return `?${query}`;
}

/** Follows the cursors to a page, or to the last one of a shorter list. */
async function findPage(api: ApiClient, first: string, wanted: number): Promise<Page> {
  let page: Page = { number: 1, query: first };
  for (;;) {
    const { data, nextCursor } = await readPage(api, page.query);
    if (nextCursor !== null && data.length !== limit) {
      throw new Error(`GET /v1/orders${page.query} returned ${data.length} orders.`);
    }
    if (nextCursor === null || page.number === wanted) return page;
    page = { number: page.number + 1, query: `${first}&cursor=${nextCursor}` };
  }
}

/** Measures one request, in milliseconds. */
async function measure(api: ApiClient, caller: Caller, { query }: Page): Promise<number> {
  const sentAt = machineTime();
  await api.listOrders(query, caller);
  return machineTime() - sentAt;
}

function describe(caller: Caller, filter: Filter, wanted: number): string {
  const names = Object.entries(filter).flatMap(([name, isUsed]) => (isUsed ? [name] : []));
  const by = names.length === 0 ? 'no filter' : names.join(', ');
  return `${caller}'s orders, ${by}, page ${formatCount(wanted)}: worst p99 of larger stores`;
}

/** Compares the same page of all stores. */
async function compare(
  stores: readonly ServedStore[],
  pages: readonly Page[],
  caller: Caller,
  size: Size,
  { what, wanted }: { what: string; wanted: number },
): Promise<Figure> {
  const sides = Object.fromEntries(
    stores.map(({ orders, api }, at) => {
      const page = pages[at];
      if (page === undefined) throw new Error(`There is no page of ${orders} orders.`);
      return [orders, () => measure(api, caller, page)];
    }),
  );
  // Caches are cold at first.
  await interleave(size.warmUp, sides);
  // Request by request, so that what disturbs one store for an instant disturbs the others too.
  const durations = await interleave(size.requests, sides);
  const results = stores.map(({ orders }, at) => ({
    orders,
    page: pages[at]?.number ?? 0,
    p50: quantile(durations[orders] ?? [], 0.5),
    p99: quantile(durations[orders] ?? [], 0.99),
  }));
  const deepEnough = results.filter(({ page }) => page === wanted);
  const [smallest, ...larger] = deepEnough;
  if (smallest === undefined) throw new Error(`No store has a page ${wanted}.`);
  const worst = larger.toSorted((a, b) => b.p99 - a.p99)[0] ?? smallest;
  return createFigure({
    bench: 'pages',
    what,
    unit: 'ms',
    ours: [worst.p99],
    baseline: { what: `${formatCount(smallest.orders)} orders`, values: [smallest.p99] },
    goal: { of: 'ratio', bound: 'at most', value: 1.3 },
    notes: results.map(({ orders, page, p50, p99 }) => {
      const instead = page === wanted ? '' : `, of page ${page}, the last one`;
      const isWorst = orders === worst.orders ? ' The worst.' : '';
      return `${formatCount(orders)} orders: p99 ${p99.toFixed(2)} ms, p50 ${p50.toFixed(2)} ms${instead}.${isWorst}`;
    }),
  });
}

/**
 * Measures how much longer a page of orders takes in a larger store, for each kind of caller and each combination of filters:
 * the p99 of the first page and of a deep one. The baseline is the smallest store that has the page.
 */
export async function pages(context: BenchContext): Promise<Figure[]> {
  const size = context.quick ? sizes.quick : sizes.usual;
  const stores: ServedStore[] = [];
  for (const orders of size.stores) stores.push(await serveStore(context, orders));
  const figures: Figure[] = [];
  for (const filter of filters) {
    for (const wanted of [1, size.deepPage]) {
      // The three accounts have the same orders, so a cursor of one is valid for all.
      const found = await Promise.all(
        stores.map((store) => findPage(store.api, buildQuery(store, filter), wanted)),
      );
      for (const caller of callers) {
        const what = describe(caller, filter, wanted);
        context.log(what);
        figures.push(await compare(stores, found, caller, size, { what, wanted }));
      }
    }
  }
  await Promise.all(stores.map(({ stop }) => stop()));
  return figures;
}
