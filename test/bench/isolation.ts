import { ApiClient } from './api-client';
import type { Workplace } from './bench-environment';
import { makeDatabases, type Template } from './database';
import { type Figure, figureOf } from './figure';
import { inWords } from './in-words';
import { endpoints, longQueueSize } from './long-queue';
import { machineTime } from './machine-time';
import { openLoop } from './open-loop';
import { quantile } from './quantiles';
import { collectReceipts, type OrderTimes } from './receipts';
import type { Receiver } from './receiver';
import { interleave } from './rounds';
import type { Stage } from './stage';
import type { Trade } from './trade';
import { startTradepostServer } from './tradepost-server';

const sizes = {
  // An attempt at a black hole takes 15 s: each round sees the first ones time out.
  usual: { rounds: 3, warmUp: 4, seconds: 13, perSecond: 40, patience: 10_000 },
  quick: { rounds: 1, warmUp: 0.2, seconds: 0.5, perSecond: 20, patience: 500 },
};

type Size = (typeof sizes)['usual'];

interface Round {
  /** Milliseconds from an order's request to a receipt of its event. */
  p99: number;
  /** Deliveries that had not arrived when patience ended. */
  missing: number;
}

/** Orders at a steady rate, and when each of them was asked for. */
async function order(api: ApiClient, perSecond: number, seconds: number) {
  const times = new Map<string, OrderTimes>();
  await openLoop({ perSecond, seconds }, async () => {
    const sent = machineTime();
    const id = await api.createOrder();
    times.set(id, { sent, answered: machineTime() });
  });
  return times;
}

async function measure(
  place: Workplace,
  healthy: Receiver,
  database: string,
  trade: Trade,
  size: Size,
): Promise<Round> {
  const server = await startTradepostServer(place, database);
  const api = new ApiClient(server.url, trade, 16);
  await order(api, size.perSecond, size.warmUp);
  await healthy.ask('countAnew', 0);
  const ordered = await order(api, size.perSecond, size.seconds);
  const { receipts, missing } = await collectReceipts(
    healthy,
    ordered,
    endpoints.healthy,
    size.patience,
  );
  await Promise.all([api.close(), server.stop()]);
  // What did not arrive took patience at least, and must not count for less.
  const took = receipts.map(({ fromSent }) => fromSent);
  return { p99: quantile([...took, ...Array(missing).fill(size.patience)], 0.99), missing };
}

function notesOn(side: string, rounds: Round[], { patience }: Size): string[] {
  const missing = rounds.map((round) => round.missing);
  if (Math.max(...missing) === 0) return [];
  const seconds = patience / 1000;
  return [
    `Not come ${seconds} s after the last order, ${side}: ${missing.join(', ')} deliveries in the rounds. Each counts as ${seconds} s.`,
  ];
}

/**
 * How long healthy receivers wait for their deliveries while endpoints of another account accept
 * connections and never answer, with a long queue for them, against the same without.
 */
export async function isolation(stage: Stage): Promise<Figure[]> {
  const { place, say } = stage;
  const size = stage.quick ? sizes.quick : sizes.usual;
  say(`queueing ${inWords(longQueueSize(stage.quick))} deliveries for black holes`);
  const { healthy, crowd, database: beside, deliveries } = await stage.longQueue();
  await healthy.ask('behave', { answers: true, keeps: true });
  await crowd.ask('behave', { answers: false, keeps: false });
  const { alone } = await makeDatabases(place, {
    alone: [{ urls: healthy.urls, backlog: 0, orders: 0 }],
  });
  const measureWith = ({ use, trades }: Template<[Trade, ...Trade[]]>) =>
    use((file) => measure(place, healthy, file, trades[0], size));
  const { ours, quiet } = await interleave(
    size.rounds,
    { ours: () => measureWith(beside), quiet: () => measureWith(alone) },
    (round) => say(`round ${round} of ${size.rounds}`),
  );
  await crowd.ask('behave', { answers: true, keeps: false });

  const p99 = (rounds: Round[]) => rounds.map((round) => round.p99);
  const figure = figureOf({
    bench: 'isolation',
    what: `healthy receipt p99 beside ${endpoints.crowd} black holes and ${inWords(deliveries)} queued`,
    unit: 'ms',
    ours: p99(ours),
    baseline: { what: 'without them', values: p99(quiet) },
    goal: { of: 'ratio', bound: 'at most', value: 1.2 },
    notes: [...notesOn('beside them', ours, size), ...notesOn('without them', quiet, size)],
  });
  return [figure];
}
