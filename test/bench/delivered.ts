import type { BenchContext } from './bench-context';
import { type BenchProcess, startBenchProcess } from './bench-process';
import { type Checkout, compareCheckouts, createCheckouts, measureCheckouts } from './checkouts';
import type { Template } from './database';
import { createFigure, type Figure, type Goal } from './figure';
import type { FloodOperations } from './flood-process';
import { withTimeout } from './loops';
import { type Receiver, startReceiver } from './receiver';
import { allRecorded } from './recorded-outcomes';
import { startTradepostServer } from './tradepost-server';
import { createOrderRequest, type TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 5, warmUp: 1_000, orders: { one: 6_000, many: 2_000 } },
  quick: { rounds: 1, warmUp: 20, orders: { one: 100, many: 40 } },
};
const manyEndpoints = 10;
const timeoutSeconds = 240;

type Size = (typeof sizes)['usual'];
type Database = Template<[TradingAccounts]>;
type Databases = { one: Database; many: Database };

/** What is ordered from and delivered to. */
interface Load {
  what: string;
  /** Which of the databases. */
  to: keyof Databases;
  endpoints: number;
  clients: number;
  /** How many times the other checkout's rate ours should be. */
  goal: number;
}

const loads: readonly Load[] = [
  ...[32, 64].map((clients) => ({
    what: `orders of ${clients} clients, created and delivered to 1 endpoint`,
    to: 'one' as const,
    endpoints: 1,
    clients,
    goal: 2.5,
  })),
  {
    what: `deliveries to ${manyEndpoints} endpoints of each order of 32 clients`,
    to: 'many',
    endpoints: manyEndpoints,
    clients: 32,
    goal: 1.3,
  },
];

/** The client and the receiver of a bench. */
export interface Parts {
  context: BenchContext;
  client: BenchProcess<FloodOperations>;
  receiver: Receiver;
}

/** Creates orders and returns the seconds from the first request until every delivery is recorded as delivered. */
export async function orderAndDeliver(
  { client, receiver }: Parts,
  target: Parameters<FloodOperations['send']>[0],
  deliveries: number,
  isRecorded: () => Promise<number>,
): Promise<number> {
  await receiver.call('resetCount', 0);
  const startedAt = await client.call('send', target);
  const recorded = receiver.call('waitFor', deliveries).then(isRecorded);
  const endedAt = await withTimeout(timeoutSeconds, recorded, async () => {
    const { arrived } = await receiver.call('getCount', null);
    return `Of ${deliveries} deliveries only ${arrived} arrived and were recorded in ${timeoutSeconds} s.`;
  });
  return (endedAt - startedAt) / 1000;
}

/** Measures deliveries per second, from the first order's request to the last outcome on disk. */
async function measure(
  parts: Parts,
  { bin, databases }: Checkout<Databases>,
  { to, endpoints, clients }: Load,
  { warmUp, orders }: Size,
): Promise<number> {
  const {
    use,
    trades: [trade],
  } = databases[to];
  return await use(async (file) => {
    const server = await startTradepostServer(parts.context.environment, file, [], bin);
    const target = {
      url: server.url,
      requests: [createOrderRequest(trade)] as const,
      connections: clients,
    };
    const send = (count: number) =>
      orderAndDeliver(parts, { ...target, count }, count * endpoints, () => allRecorded(file));
    await send(warmUp);
    const seconds = await send(orders[to]);
    await server.stop();
    return (orders[to] * endpoints) / seconds;
  });
}

/**
 * Measures how many orders per second are created and delivered, from the first request until the last outcome is on disk:
 * to one endpoint, and to several. The other checkout is the baseline.
 */
export async function delivered(context: BenchContext): Promise<Figure[]> {
  const { environment, log, quick, otherCheckout } = context;
  const size = quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, manyEndpoints);
  const program = new URL('./flood-process.ts', import.meta.url);
  const client = startBenchProcess<FloodOperations>(environment, program);
  const parts: Parts = { context, client, receiver };
  const checkouts = await createCheckouts(context, {
    one: [{ urls: receiver.urls.slice(0, 1), backlog: 0, orders: 0 }],
    many: [{ urls: receiver.urls, backlog: 0, orders: 0 }],
  });
  const figures: Figure[] = [];
  for (const load of loads) {
    const results = await measureCheckouts(
      checkouts,
      size.rounds,
      (checkout) => measure(parts, checkout, load, size),
      log,
      load.what,
    );
    const goal: Goal = { of: 'ratio', bound: 'at least', value: load.goal };
    figures.push(
      createFigure({
        bench: 'delivered',
        what: load.what,
        unit: '/s',
        ...compareCheckouts(results, (perSecond) => perSecond),
        ...(otherCheckout !== null && { goal }),
      }),
    );
  }
  await Promise.all([client.stop(), receiver.stop()]);
  return figures;
}
