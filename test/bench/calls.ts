import type { CallsVerbs } from './calls-process';
import { type Figure, figureOf, medianRatio } from './figure';
import type { OrdersClient, OrdersClients } from './orders-clients';
import { listLength } from './orders-responses';
import type { OrdersServerVerbs } from './orders-server-process';
import { type OwnProcess, startOwnProcess } from './own-process';
import { interleave } from './rounds';
import type { Stage } from './stage';

/** Many short rounds: what slows the machine for a moment spoils few of them. */
const sizes = {
  usual: { warmUpRounds: 10, rounds: 101, warmUp: 0.01, seconds: 0.06 },
  quick: { warmUpRounds: 1, rounds: 1, warmUp: 0.02, seconds: 0.03 },
};

type Size = (typeof sizes)['usual'];

const callNames: Record<keyof OrdersClient, string> = {
  get: 'orders.get',
  list: `orders.list of ${listLength}`,
};
/** How many calls are under way at once. */
const together = [1, 16];

/** Times one call of all clients in turn. */
async function compare(
  { say }: Stage,
  worker: OwnProcess<CallsVerbs>,
  call: keyof OrdersClient,
  callers: number,
  { warmUpRounds, rounds, warmUp, seconds }: Size,
): Promise<Figure> {
  const what = `${callNames[call]}, ${callers === 1 ? 'one by one' : `${callers} at once`}`;
  const timeOf = (client: keyof OrdersClients) => () =>
    worker.ask('call', { client, call, size: { callers, warmUp, seconds } });
  const sides = {
    bare: timeOf('bare'),
    bareTimed: timeOf('bareTimed'),
    tradepost: timeOf('tradepost'),
    openapiFetch: timeOf('openapiFetch'),
    tsRest: timeOf('tsRest'),
  };
  say(`${what}: warming up`);
  // Until the compiler has made of everybody's code what it will.
  for (let round = 0; round < warmUpRounds; round += 1) {
    for (const time of Object.values(sides)) await time();
  }
  const { bare, bareTimed, tradepost, openapiFetch, tsRest } = await interleave(
    rounds,
    sides,
    (round) => say(`${what}: round ${round} of ${rounds}`),
  );
  const times = (values: number[]) => `${medianRatio(values, bare).toFixed(2)}x`;
  return figureOf({
    bench: 'calls',
    what: `${what}, time per call`,
    unit: 'µs',
    ours: tradepost,
    baseline: {
      what: 'bare fetch and JSON.parse of the text, with the same headers',
      values: bare,
    },
    goal: { of: 'ratio', bound: 'at most', value: 1.15 },
    notes: [
      `openapi-fetch ${times(openapiFetch)}, ts-rest's own client ${times(tsRest)}, a bare fetch with a timeout ${times(bareTimed)}.`,
    ],
  });
}

/**
 * What a call of the SDK costs on top of a bare `fetch` of the same, beside other clients, against a
 * server on this machine that answers at once.
 */
export async function calls(stage: Stage): Promise<Figure[]> {
  const size = stage.quick ? sizes.quick : sizes.usual;
  const start = <Known extends OrdersServerVerbs | CallsVerbs>(file: string) =>
    startOwnProcess<Known>(stage.place, new URL(file, import.meta.url));
  const server = start<OrdersServerVerbs>('./orders-server-process.ts');
  const worker = start<CallsVerbs>('./calls-process.ts');
  await worker.ask('connect', await server.ask('start', null));
  const figures: Figure[] = [];
  for (const call of ['get', 'list'] as const) {
    for (const callers of together) {
      figures.push(await compare(stage, worker, call, callers, size));
    }
  }
  await Promise.all([worker.stop(), server.stop()]);
  return figures;
}
