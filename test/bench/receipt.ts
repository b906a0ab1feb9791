import { ApiClient } from './api-client';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import { type Checkout, compareCheckouts, createCheckouts, measureCheckouts } from './checkouts';
import type { Template } from './database';
import { createFigure, type Figure } from './figure';
import { quantile } from './quantiles';
import { collectReceipts, explainMissing, listDurations, orderSteadily } from './receipts';
import { type Receiver, startReceiver } from './receiver';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  usual: { rounds: 3, warmUp: 4, seconds: 15, perSecond: 200, timeoutMs: 30_000 },
  quick: { rounds: 1, warmUp: 0.2, seconds: 0.5, perSecond: 100, timeoutMs: 2_000 },
};
/** The share of the offered rate that has to be delivered. Less means that a queue grows. */
const keptShare = 0.98;
/** More than are ever needed, so that a slow response delays no other request. */
const connections = 256;
const busyProcesses = 2;

type Size = (typeof sizes)['usual'];
type Databases = { empty: Template<[TradingAccounts]> };

interface Round {
  /** Milliseconds from an order's request to the receipt of its event. */
  p50: number;
  p99: number;
  /** Receipts per second, from the first request to the last receipt. */
  perSecond: number;
  /** Deliveries that had not arrived at the timeout. */
  missing: number;
}

/** Runs `work` beside processes that never wait. */
async function besideBusyProcesses<Result>(
  environment: BenchEnvironment,
  count: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const busy = Array.from({ length: count }, () =>
    environment.start(['-e', 'for (;;);'], ['ignore', 'ignore']),
  );
  try {
    return await work();
  } finally {
    await Promise.all(busy.map(({ stop }) => stop()));
  }
}

async function measure(
  { environment }: BenchContext,
  receiver: Receiver,
  { bin, databases }: Checkout<Databases>,
  size: Size,
  busy: number,
): Promise<Round> {
  const {
    use,
    trades: [trade],
  } = databases.empty;
  return await use(async (file) => {
    const server = await startTradepostServer(environment, file, [], bin);
    const api = new ApiClient(server.url, trade, connections);
    const round = await besideBusyProcesses(environment, busy, async () => {
      const early = await orderSteadily(api, size.perSecond, size.warmUp);
      await collectReceipts(receiver, early, 1, size.timeoutMs);
      await receiver.call('resetCount', 0);
      const orders = await orderSteadily(api, size.perSecond, size.seconds);
      const collected = await collectReceipts(receiver, orders, 1, size.timeoutMs);
      const durations = listDurations(collected, size.timeoutMs);
      const startedAt = Math.min(...[...orders.values()].map(({ sentAt }) => sentAt));
      const endedAt = Math.max(...collected.receipts.map(({ at }) => at));
      // The first order is sent at once, so the last one is sent before the seconds are over.
      const elapsedMs = Math.max(size.seconds * 1000, endedAt - startedAt);
      return {
        p50: quantile(durations, 0.5),
        p99: quantile(durations, 0.99),
        perSecond: (collected.receipts.length / elapsedMs) * 1000,
        missing: collected.missing,
      };
    });
    await Promise.all([api.close(), server.stop()]);
    return round;
  });
}

/**
 * Measures the time from an order's request to the receipt of its event at a steady rate, on a machine that runs nothing
 * else, and beside processes that use all the processor time they get. The other checkout is the baseline.
 */
export async function receipt(context: BenchContext): Promise<Figure[]> {
  const size = context.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(context.environment, 1);
  await receiver.call('configure', { responds: true, recordsArrivals: true });
  const checkouts = await createCheckouts(context, {
    empty: [{ urls: receiver.urls, backlog: 0, orders: 0 }],
  });
  const measureBeside = (busy: number) =>
    measureCheckouts(
      checkouts,
      size.rounds,
      (checkout) => measure(context, receiver, checkout, size, busy),
      context.log,
      `beside ${busy} busy processes`,
    );
  const alone = await measureBeside(0);
  const beside = await measureBeside(busyProcesses);
  await receiver.stop();

  const rate = `${size.perSecond} orders/s`;
  const busy = `${rate} beside ${busyProcesses} busy processes`;
  const toFigure = (
    what: string,
    results: typeof alone,
    part: 'p50' | 'p99',
    limit?: number,
  ): Figure =>
    createFigure({
      bench: 'receipt',
      what: `request to receipt at ${what}, ${part}`,
      unit: 'ms',
      ...compareCheckouts(results, (round) => round[part]),
      ...(limit !== undefined && { goal: { of: 'ours', bound: 'at most', value: limit } }),
      notes: [
        ...explainMissing('ours', results.ours, size.timeoutMs),
        ...explainMissing('the other checkout', results.other ?? [], size.timeoutMs),
      ],
    });
  return [
    toFigure(rate, alone, 'p50'),
    toFigure(rate, alone, 'p99', 15),
    toFigure(busy, beside, 'p50'),
    toFigure(busy, beside, 'p99', 150),
    createFigure({
      bench: 'receipt',
      what: `orders received of ${busy}`,
      unit: '/s',
      ...compareCheckouts(beside, ({ perSecond }) => perSecond),
      goal: { of: 'ours', bound: 'at least', value: keptShare * size.perSecond },
    }),
  ];
}
