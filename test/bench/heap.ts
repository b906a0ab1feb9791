import { ApiClient } from './api-client';
import type { BenchContext } from './bench-context';
import { type Checkout, compareCheckouts, createCheckouts, measureCheckouts } from './checkouts';
import type { Template } from './database';
import { createFigure, type Figure } from './figure';
import { Inspector } from './inspector';
import { MixedRequests } from './mixed-requests';
import { type Receiver, startReceiver } from './receiver';
import { allRecorded } from './recorded-outcomes';
import { formatCount } from './report';
import { startInspectedServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { samples: 10, requests: 100_000, callers: 32 },
  quick: { samples: 3, requests: 400, callers: 8 },
};
/**
 * How much a flat heap may grow, in MB. Over the 900,000 requests after the first sample it is less than three bytes for each,
 * so not even a pointer, and 45 bytes for each request of one of the twenty kinds, less than an entry of a map with its key.
 * What is no leak, such as code that is compiled late, stays below it.
 */
const flatMb = 2;

type Size = (typeof sizes)['usual'];
type Databases = { groups: Template<[TradingAccounts, TradingAccounts]> };
type Sample = Awaited<ReturnType<Inspector['measureHeaps']>>;

/** Lets some callers send requests of all groups in turn until `count` are sent. */
async function sendAll(
  groups: readonly MixedRequests[],
  { from, count, callers }: { from: number; count: number; callers: number },
): Promise<void> {
  let next = from;
  async function call(): Promise<void> {
    while (next < from + count) {
      const number = next;
      next += 1;
      await groups[number % groups.length]?.send(Math.floor(number / groups.length));
    }
  }
  await Promise.all(Array.from({ length: callers }, call));
}

/** Measures the heap after each part of the requests, when the server is idle. */
async function measure(
  { environment, log }: BenchContext,
  receiver: Receiver,
  { bin, databases }: Checkout<Databases>,
  { samples, requests, callers }: Size,
): Promise<Sample[]> {
  const { use, trades } = databases.groups;
  return await use(async (file) => {
    const server = await startInspectedServer(environment, file, bin);
    const inspector = await Inspector.connect(server.inspectorUrl);
    const clients = trades.map((trade) => new ApiClient(server.url, trade, callers));
    const groups = trades.map((trade, at) => new MixedRequests(clients[at] as ApiClient, trade));
    await receiver.call('resetCount', 0);
    const heaps: Sample[] = [];
    for (let sample = 0; sample < samples; sample += 1) {
      await sendAll(groups, { from: sample * requests, count: requests, callers });
      const created = groups.reduce((sum, group) => sum + group.created, 0);
      await receiver.call('waitFor', created);
      await allRecorded(file);
      const heap = await inspector.measureHeaps();
      heaps.push(heap);
      log(
        `${formatCount((sample + 1) * requests)} requests: ${heap.main.toFixed(2)} + ${heap.workers.toFixed(2)} MB`,
      );
    }
    inspector.close();
    await Promise.all([...clients.map((client) => client.close()), server.stop()]);
    return heaps;
  });
}

const threads = [
  { part: 'main', name: "main thread's heap" },
  { part: 'workers', name: "delivery thread's heap" },
] as const;

/**
 * Measures how much the heap of the server grows over a million requests, with deliveries: from the first hundred thousand,
 * which warm it up, to the last.
 */
export async function heap(context: BenchContext): Promise<Figure[]> {
  const size = context.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(context.environment, 2);
  const checkouts = await createCheckouts(context, {
    groups: [
      { urls: receiver.urls.slice(0, 1), backlog: 0, orders: 1 },
      { urls: receiver.urls.slice(1), backlog: 0, orders: 1 },
    ],
  });
  const results = await measureCheckouts(
    checkouts,
    1,
    (checkout) => measure(context, receiver, checkout, size),
    () => {},
  );
  await receiver.stop();
  const every = formatCount(size.requests);
  const [from, to] = [every, formatCount(size.samples * size.requests)];
  return threads.map(({ part, name }) => {
    const listHeaps = (samples: readonly Sample[]) => samples.map((sample) => sample[part]);
    const growth = (samples: readonly Sample[]) => {
      const heaps = listHeaps(samples);
      return (heaps.at(-1) ?? Number.NaN) - (heaps[0] ?? Number.NaN);
    };
    const all = listHeaps(results.ours.flat()).map((megabytes) => megabytes.toFixed(2));
    return createFigure({
      bench: 'heap',
      what: `growth of the ${name} from ${from} to ${to} mixed requests`,
      unit: 'MB',
      ...compareCheckouts(results, growth),
      goal: { of: 'ours', bound: 'at most', value: flatMb },
      notes: [`MB after a garbage collection, every ${every} requests: ${all.join(', ')}.`],
    });
  });
}
