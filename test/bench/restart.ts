import { once } from 'node:events';
import { ApiClient } from './api-client';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import { createDatabases } from './database';
import { createFigure, type Figure } from './figure';
import { machineTime, openLoop } from './loops';
import { type Receiver, startReceiver, waitForOrders } from './receiver';
import { interleave } from './rounds';
import { type ServerUnderLoad, startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 11, warmUpSeconds: 2, inFlight: 20 },
  quick: { rounds: 1, warmUpSeconds: 0.2, inFlight: 1 },
};

type Size = (typeof sizes)['usual'];

const ordersPerSecond = 200;
/** Longer than a lease: without a takeover, the interrupted deliveries arrive after about 25 s. */
const timeoutMs = 60_000;

/** Measures an empty program. */
async function runNothing(environment: BenchEnvironment): Promise<Round> {
  const startedAt = machineTime();
  const { child } = environment.start(['-e', '0'], ['ignore', 'ignore']);
  await once(child, 'close');
  return { first: machineTime() - startedAt, delivered: 0 };
}

/** Starts a server and sends one authenticated request. Returns the milliseconds from the start to its response. */
async function startAndRequest(
  environment: BenchEnvironment,
  file: string,
  trade: TradingAccounts,
): Promise<{ server: ServerUnderLoad; durationMs: number }> {
  const startedAt = machineTime();
  const server = await startTradepostServer(environment, file);
  const api = new ApiClient(server.url, trade, 1);
  await api.listOrders();
  const durationMs = machineTime() - startedAt;
  await api.close();
  return { server, durationMs };
}

/** Orders at a steady rate until the server is killed. */
async function orderUntilKilled(api: ApiClient): Promise<void> {
  const load = { perSecond: ordersPerSecond, seconds: timeoutMs / 1000 };
  await openLoop(load, async () => {
    await api.createOrder();
  }).catch(() => {});
}

/** Milliseconds from the start of a process. */
interface Round {
  /** To the first response; of an empty program, to its end. */
  first: number;
  /** Until all interrupted deliveries have arrived again. */
  delivered: number;
}

/** Kills a server under load while deliveries are in flight, and starts another one on the same file. */
async function killAndRestart(
  environment: BenchEnvironment,
  receiver: Receiver,
  file: string,
  trade: TradingAccounts,
  size: Size,
): Promise<Round> {
  await receiver.call('configure', { responds: true, recordsArrivals: true });
  await receiver.call('resetCount', 0);
  const killed = await startTradepostServer(environment, file);
  const api = new ApiClient(killed.url, trade, 16);
  const load = orderUntilKilled(api);
  await receiver.call('waitFor', Math.ceil(ordersPerSecond * size.warmUpSeconds));
  await receiver.call('configure', { responds: false, recordsArrivals: true });
  // What arrives from here on gets no response, so it is in flight until the kill.
  await receiver.call('resetCount', 0);
  await receiver.call('waitFor', size.inFlight);
  await killed.stop();
  await load;
  await api.close();
  const interrupted = new Set(
    (await receiver.call('getArrivals', null)).map(({ orderId }) => orderId),
  );
  await receiver.call('configure', { responds: true, recordsArrivals: true });
  await receiver.call('resetCount', 0);

  const startedAt = machineTime();
  const { server, durationMs } = await startAndRequest(environment, file, trade);
  const delivered = (await waitForOrders(receiver, interrupted, timeoutMs)) - startedAt;
  await server.stop();
  return { first: durationMs, delivered };
}

/**
 * Measures how long a server takes from the start of its process to its first response: on an idle database, and after
 * `kill -9` under load; and after that, until the deliveries that were in flight at the kill have arrived again.
 */
export async function restart(context: BenchContext): Promise<Figure[]> {
  const { environment, log } = context;
  const size = context.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, 1);
  const { empty } = await createDatabases(environment, {
    empty: [{ urls: receiver.urls, backlog: 0, orders: 0 }],
  });
  const [trade] = empty.trades;
  const { idle, restarts, nothing } = await interleave(
    size.rounds,
    {
      idle: () =>
        empty.use(async (file) => {
          const { server, durationMs } = await startAndRequest(environment, file, trade);
          await server.stop();
          return { first: durationMs, delivered: 0 };
        }),
      restarts: () => empty.use((file) => killAndRestart(environment, receiver, file, trade, size)),
      nothing: () => runNothing(environment),
    },
    log,
  );
  await receiver.stop();

  const first = (rounds: Round[]) => rounds.map((round) => round.first);
  const figure = (what: string, ours: number[], limit: number): Figure =>
    createFigure({
      bench: 'restart',
      what,
      unit: 'ms',
      ours,
      baseline: { what: 'node -e 0', values: first(nothing) },
      goal: { of: 'ours', bound: 'at most', value: limit },
    });
  const after = `after kill -9 at ${ordersPerSecond} orders/s`;
  return [
    figure('process start to first response', first(idle), 500),
    figure(`${after}, process start to first response`, first(restarts), 500),
    figure(
      `${after}, process start to interrupted deliveries arrived again`,
      restarts.map(({ delivered }) => delivered),
      1_000,
    ),
  ];
}
