import { ApiClient } from './api-client';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import { createDatabases, type Template } from './database';
import { createFigure, type Figure } from './figure';
import { endpoints, longQueueSize } from './long-queue';
import { quantile } from './quantiles';
import { collectReceipts, explainMissing, listDurations, orderSteadily } from './receipts';
import type { Receiver } from './receiver';
import { formatCount } from './report';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';
import type { TradingAccounts } from './trading-accounts';

const sizes = {
  // An attempt at a black hole takes 15 s: each round sees the first ones time out.
  usual: { rounds: 3, warmUp: 4, seconds: 13, perSecond: 40, timeoutMs: 10_000 },
  quick: { rounds: 1, warmUp: 0.2, seconds: 0.5, perSecond: 20, timeoutMs: 500 },
};

type Size = (typeof sizes)['usual'];

interface Round {
  /** Milliseconds from an order's request to a receipt of its event. */
  p99: number;
  /** Deliveries that had not arrived at the timeout. */
  missing: number;
}

async function measure(
  environment: BenchEnvironment,
  healthy: Receiver,
  database: string,
  trade: TradingAccounts,
  size: Size,
): Promise<Round> {
  const server = await startTradepostServer(environment, database);
  const api = new ApiClient(server.url, trade, 16);
  await orderSteadily(api, size.perSecond, size.warmUp);
  await healthy.call('resetCount', 0);
  const ordered = await orderSteadily(api, size.perSecond, size.seconds);
  const collected = await collectReceipts(healthy, ordered, endpoints.healthy, size.timeoutMs);
  await Promise.all([api.close(), server.stop()]);
  const p99 = quantile(listDurations(collected, size.timeoutMs), 0.99);
  return { p99, missing: collected.missing };
}

/**
 * Measures how long healthy receivers wait for their deliveries while endpoints of another account, with a long
 * queue, accept connections and never respond; against the same without them.
 */
export async function isolation(context: BenchContext): Promise<Figure[]> {
  const { environment, log } = context;
  const size = context.quick ? sizes.quick : sizes.usual;
  log(`queueing ${formatCount(longQueueSize(context.quick))} deliveries for black holes`);
  const { healthy, crowd, database: beside, deliveries } = await context.longQueue();
  await healthy.call('configure', { responds: true, recordsArrivals: true });
  await crowd.call('configure', { responds: false, recordsArrivals: false });
  const { alone } = await createDatabases(environment, {
    alone: [{ urls: healthy.urls, backlog: 0, orders: 0 }],
  });
  const measureWith = ({ use, trades }: Template<[TradingAccounts, ...TradingAccounts[]]>) =>
    use((file) => measure(environment, healthy, file, trades[0], size));
  const { ours, quiet } = await interleave(
    size.rounds,
    { ours: () => measureWith(beside), quiet: () => measureWith(alone) },
    log,
  );
  await crowd.call('configure', { responds: true, recordsArrivals: false });

  const p99 = (rounds: Round[]) => rounds.map((round) => round.p99);
  const figure = createFigure({
    bench: 'isolation',
    what: `healthy receipt p99 beside ${endpoints.crowd} black holes and ${formatCount(deliveries)} queued`,
    unit: 'ms',
    ours: p99(ours),
    baseline: { what: 'without them', values: p99(quiet) },
    goal: { of: 'ratio', bound: 'at most', value: 1.2 },
    notes: [
      ...explainMissing('beside them', ours, size.timeoutMs),
      ...explainMissing('without them', quiet, size.timeoutMs),
    ],
  });
  return [figure];
}
