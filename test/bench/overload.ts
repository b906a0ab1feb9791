import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { createDatabases } from './database';
import { createFigure, type Figure } from './figure';
import type { FloodOperations } from './flood-process';
import { startReceiver } from './receiver';
import { allRecorded } from './recorded-outcomes';
import { formatCount } from './report';
import { startTradepostServer } from './tradepost-server';
import { createOrderRequest } from './trading-accounts';

const sizes = {
  usual: { warmUp: 3, seconds: 60, calibration: 8, connections: 4_000 },
  quick: { warmUp: 0.1, seconds: 0.5, calibration: 0.3, connections: 40 },
};
/** How many times the sustainable rate is sent. */
const factor = 2;
const usualClients = 32;

function count(file: string, sql: string): number {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare<[], number>(sql).pluck().get() ?? 0;
  } finally {
    database.close();
  }
}

/**
 * Measures what a server does with twice the orders that it can create: how long accepted and rejected requests take, whether
 * everything accepted is stored and delivered, and how fast it is a second later.
 */
export async function overload(context: BenchContext): Promise<Figure[]> {
  const { environment, log } = context;
  const size = context.quick ? sizes.quick : sizes.usual;
  const receiver = await startReceiver(environment, 1);
  const spec = { urls: receiver.urls, backlog: 0, orders: 0 };
  const { empty } = await createDatabases(environment, { empty: [spec] });
  const [trade] = empty.trades;
  const program = new URL('./flood-process.ts', import.meta.url);
  const client = startBenchProcess<FloodOperations>(environment, program);
  const result = await empty.use(async (file) => {
    const server = await startTradepostServer(environment, file);
    const target = { url: server.url, requests: [createOrderRequest(trade)] as const };
    const usual = { ...target, connections: usualClients };
    log('measuring the sustainable rate');
    const warmUp = await client.call('saturate', { ...usual, seconds: size.warmUp });
    const before = await client.call('saturate', { ...usual, seconds: size.calibration });
    log(`${factor} × ${before.perSecond.toFixed(0)} orders a second for ${size.seconds} s`);
    await receiver.call('resetCount', 0);
    const during = await client.call('flood', {
      ...target,
      connections: size.connections,
      perSecond: factor * before.perSecond,
      seconds: size.seconds,
    });
    const { arrived } = await receiver.call('getCount', null);
    await setTimeout(1_000);
    const after = await client.call('saturate', { ...usual, seconds: size.calibration });
    const accepted =
      warmUp.succeeded + before.succeeded + (during[201]?.count ?? 0) + after.succeeded;
    await allRecorded(file);
    const stored = count(file, 'SELECT count(*) FROM orders');
    const delivered = count(file, "SELECT count(*) FROM deliveries WHERE state = 'delivered'");
    await server.stop();
    return { before, during, after, arrived, accepted, stored, delivered };
  });
  await Promise.all([client.stop(), receiver.stop()]);

  const { before, during, after, arrived, accepted, stored, delivered } = result;
  const [created, rejected] = [during[201], during[503]];
  const other = Object.entries(during).filter(([status]) => status !== '201' && status !== '503');
  const notes = [
    `${formatCount(created?.count ?? 0)} orders created, ${formatCount(rejected?.count ?? 0)} requests rejected with 503, ${formatCount(arrived)} deliveries meanwhile.`,
    `Accepted in all: ${formatCount(accepted)}; stored: ${formatCount(stored)}; delivered: ${formatCount(delivered)}.`,
    ...other.map(([status, { count: times }]) => `${status}: ${times} times.`),
  ];
  return [
    createFigure({
      bench: 'overload',
      what: `accepted requests at ${factor} times the sustainable rate, p99`,
      unit: 'ms',
      ours: [created?.p99 ?? Number.NaN],
      goal: { of: 'ours', bound: 'at most', value: 1_000 },
      notes: [
        `p50 ${created?.p50.toFixed(0)} ms, maximum ${created?.max.toFixed(0)} ms.`,
        ...notes,
      ],
    }),
    createFigure({
      bench: 'overload',
      what: `rejected requests at ${factor} times the sustainable rate, p99`,
      unit: 'ms',
      ours: [rejected?.p99 ?? 0],
      goal: { of: 'ours', bound: 'at most', value: 50 },
      notes: [
        `p50 ${rejected?.p50.toFixed(1) ?? 0} ms, maximum ${rejected?.max.toFixed(0) ?? 0} ms.`,
      ],
    }),
    createFigure({
      bench: 'overload',
      what: 'accepted orders that were not stored or not delivered',
      unit: 'orders',
      ours: [accepted - Math.min(stored, delivered)],
      goal: { of: 'ours', bound: 'at most', value: 0 },
    }),
    createFigure({
      bench: 'overload',
      what: 'orders created a second after the overload',
      unit: '/s',
      ours: [after.perSecond],
      baseline: { what: 'before it', values: [before.perSecond] },
      goal: { of: 'ratio', bound: 'at least', value: 0.9 },
    }),
  ];
}
