import type { BenchContext } from './bench-context';
import { type BenchProcess, startBenchProcess } from './bench-process';
import type { CallsOperations } from './calls-process';
import { createFigure, type Figure, medianRatio } from './figure';
import type { OrdersClient, OrdersClients } from './orders-clients';
import { listLength } from './orders-responses';
import type { OrdersServerOperations } from './orders-server-process';
import { interleave } from './rounds';

/** Many short rounds, so that a short slow phase of the machine affects few of them. */
const sizes = {
  usual: { warmUpRounds: 10, rounds: 101, warmUp: 0.01, seconds: 0.06 },
  quick: { warmUpRounds: 1, rounds: 1, warmUp: 0.02, seconds: 0.03 },
};

type Size = (typeof sizes)['usual'];

const callNames: Record<keyof OrdersClient, string> = {
  get: 'orders.get',
  list: `orders.list of ${listLength}`,
};
/** How many calls are in flight at once. */
const together = [1, 16];

/** Times one call of all clients in turn. */
async function compare(
  { log }: BenchContext,
  worker: BenchProcess<CallsOperations>,
  call: keyof OrdersClient,
  callers: number,
  { warmUpRounds, rounds, warmUp, seconds }: Size,
): Promise<Figure[]> {
  const what = `${callNames[call]}, ${callers === 1 ? 'one by one' : `${callers} at once`}`;
  const measureCall = (client: keyof OrdersClients) => () =>
    worker.call('call', { client, call, size: { callers, warmUp, seconds } });
  const sides = {
    bare: measureCall('bare'),
    bareTimed: measureCall('bareTimed'),
    tradepost: measureCall('tradepost'),
    pooled: measureCall('pooled'),
    openapiFetch: measureCall('openapiFetch'),
    tsRest: measureCall('tsRest'),
  };
  log(`${what}: warming up`);
  // Warm up, until the compiler has optimized the code of every client.
  for (let round = 0; round < warmUpRounds; round += 1) {
    for (const time of Object.values(sides)) await time();
  }
  const { bare, bareTimed, tradepost, pooled, openapiFetch, tsRest } = await interleave(
    rounds,
    sides,
    log,
    what,
  );
  const times = (values: number[]) => `${medianRatio(values, bare).toFixed(2)}x`;
  const shared = {
    bench: 'calls',
    unit: 'µs' as const,
    baseline: {
      what: 'bare fetch and JSON.parse of the text, with the same headers',
      values: bare,
    },
  };
  const withPool = createFigure({
    ...shared,
    what: `${what}, through @tradepost/sdk/node, time per call`,
    ours: pooled,
    goal: { of: 'ratio', bound: 'at most', value: 0.5 },
  });
  const withFetch = createFigure({
    ...shared,
    what: `${what}, time per call`,
    ours: tradepost,
    goal: { of: 'ratio', bound: 'at most', value: 1.1 },
    notes: [
      `openapi-fetch ${times(openapiFetch)}, ts-rest's own client ${times(tsRest)}, a bare fetch with a timeout ${times(bareTimed)}.`,
    ],
  });
  const againstOther = createFigure({
    ...shared,
    what: `${what}, against openapi-fetch`,
    ours: tradepost,
    baseline: {
      what: 'openapi-fetch, which has neither timeouts nor retries',
      values: openapiFetch,
    },
    goal: { of: 'ratio', bound: 'at most', value: 1 },
  });
  return [withFetch, againstOther, withPool];
}

/**
 * Measures what a call of the SDK costs beyond a bare `fetch`, beside other clients, against a server on this
 * machine that responds at once.
 */
export async function calls(context: BenchContext): Promise<Figure[]> {
  const size = context.quick ? sizes.quick : sizes.usual;
  const start = <Known extends OrdersServerOperations | CallsOperations>(file: string) =>
    startBenchProcess<Known>(context.environment, new URL(file, import.meta.url));
  const server = start<OrdersServerOperations>('./orders-server-process.ts');
  const worker = start<CallsOperations>('./calls-process.ts');
  await worker.call('connect', await server.call('start', null));
  const figures: Figure[] = [];
  for (const call of ['get', 'list'] as const) {
    for (const callers of together) {
      figures.push(...(await compare(context, worker, call, callers, size)));
    }
  }
  await Promise.all([worker.stop(), server.stop()]);
  return figures;
}
