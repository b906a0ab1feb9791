import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment } from '../helpers/clean-environment';
import { tradepostBin } from '../helpers/programs';
import type { Workplace } from './bench-environment';
import { makeDatabases } from './database';
import { type Figure, figureOf } from './figure';
import { interleave } from './rounds';
import type { Stage } from './stage';
import { startTradepostServer } from './tradepost-server';

const sizes = { usual: { rounds: 15, orders: 1_000 }, quick: { rounds: 1, orders: 20 } };
const concurrency = 8;

/** Changes orders by bare requests, so many at a time: the ids come on stdin, as they do for ours. */
const bareLoop = (undici: string) => `
import { Pool } from ${JSON.stringify(undici)};
let input = '';
for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
const ids = input.split('\\n');
const pool = new Pool(process.env.TRADEPOST_BASE_URL, { connections: ${concurrency} });
const headers = {
  authorization: 'Bearer ' + process.env.TRADEPOST_API_KEY,
  'content-type': 'application/json',
};
let next = 0;
async function work() {
  while (next < ids.length) {
    const path = '/v1/orders/' + ids[next++];
    const answer = await pool.request({ method: 'PATCH', path, headers, body: '{"status":"confirmed"}' });
    const { data } = JSON.parse(await answer.body.text());
    if (data.status !== 'confirmed') throw new Error(path + ' is ' + data.status);
  }
}
await Promise.all(Array.from({ length: ${concurrency} }, work));
await pool.close();
`;

/** Runs a process to its end with ids on stdin. Returns the seconds that it took. */
async function timeOf(
  place: Workplace,
  args: readonly string[],
  ids: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const startedAt = performance.now();
  const { child, lastWords } = place.start(args, ['pipe', 'pipe'], cleanEnvironment(env));
  child.stdin?.end(ids.join('\n'));
  const [, [code]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.\n${lastWords()}`);
  return (performance.now() - startedAt) / 1000;
}

/**
 * How many status changes a second `orders set-status --stdin` makes, with its result file, beside a
 * loop of bare requests with as many at a time. Both are whole processes, their start included, and
 * each round has a server and orders of its own.
 */
export async function changes({ place, quick, say }: Stage): Promise<Figure[]> {
  const { rounds, orders } = quick ? sizes.quick : sizes.usual;
  const { database } = await makeDatabases(place, {
    database: [{ urls: [], backlog: 0, orders }],
  });
  const [trade] = database.trades;
  const script = place.newFile('bare-loop.mjs');
  const undici = createRequire(import.meta.url).resolve('undici');
  await writeFile(script, bareLoop(pathToFileURL(undici).href));

  /** Changes a second. */
  async function rateOf(args: (file: string) => readonly string[]): Promise<number> {
    return await database.use(async (file) => {
      const server = await startTradepostServer(place, file);
      const env = { TRADEPOST_BASE_URL: server.url, TRADEPOST_API_KEY: trade.seller.apiKey };
      const seconds = await timeOf(place, args(place.newFile('result.ndjson')), trade.orders, env);
      await server.stop();
      return orders / seconds;
    });
  }

  const set = ['orders', 'set-status', 'confirmed', '--stdin', '--yes', '--output', 'ndjson'];
  const ours = (file: string) => {
    const how = ['--journal', file, '--concurrency', String(concurrency)];
    return [tradepostBin, ...set, ...how];
  };
  const results = await interleave(
    rounds,
    { ours: () => rateOf(ours), bare: () => rateOf(() => [script]) },
    (round) => say(`round ${round} of ${rounds}`),
  );
  return [
    figureOf({
      bench: 'changes',
      what: `${orders} status changes from stdin, ${concurrency} at a time`,
      unit: '/s',
      ours: results.ours,
      baseline: { what: 'a loop of bare undici requests', values: results.bare },
      goal: { of: 'ratio', bound: 'at least', value: 0.7 },
      notes: ['Whole processes against a server of their own, the start of Node included.'],
    }),
  ];
}
