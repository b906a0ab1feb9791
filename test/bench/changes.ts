import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment } from '../helpers/clean-environment';
import { tradepostBin } from '../helpers/programs';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import { createDatabases } from './database';
import { createFigure, type Figure } from './figure';
import { interleave } from './rounds';
import { startTradepostServer } from './tradepost-server';

const sizes = { usual: { rounds: 15, orders: 1_000 }, quick: { rounds: 1, orders: 20 } };
const concurrency = 8;

/** Changes orders with bare requests, some at a time. The IDs come from stdin, as for the CLI. */
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
    const response = await pool.request({ method: 'PATCH', path, headers, body: '{"status":"confirmed"}' });
    const { data } = JSON.parse(await response.body.text());
    if (data.status !== 'confirmed') throw new Error(path + ' is ' + data.status);
  }
}
await Promise.all(Array.from({ length: ${concurrency} }, work));
await pool.close();
`;

/** Runs a process to its end with ids on stdin. Returns the seconds that it took. */
async function measureRun(
  environment: BenchEnvironment,
  args: readonly string[],
  ids: readonly string[],
  env: Record<string, string>,
): Promise<number> {
  const startedAt = performance.now();
  const { child, readLogTail } = environment.start(args, ['pipe', 'pipe'], cleanEnvironment(env));
  child.stdin?.end(ids.join('\n'));
  const [, [code]] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.\n${readLogTail()}`);
  return (performance.now() - startedAt) / 1000;
}

/**
 * Measures how many status changes per second `orders set-status --stdin` makes, with its journal, against a loop of
 * bare requests with the same concurrency. Both are whole processes, including their start. Each round has its
 * own server and orders.
 */
export async function changes({ environment, quick, log }: BenchContext): Promise<Figure[]> {
  const { rounds, orders } = quick ? sizes.quick : sizes.usual;
  const { database } = await createDatabases(environment, {
    database: [{ urls: [], backlog: 0, orders }],
  });
  const [trade] = database.trades;
  const script = environment.newFile('bare-loop.mjs');
  const undici = createRequire(import.meta.url).resolve('undici');
  await writeFile(script, bareLoop(pathToFileURL(undici).href));

  /** Changes a second. */
  async function measureRate(args: (file: string) => readonly string[]): Promise<number> {
    return await database.use(async (file) => {
      const server = await startTradepostServer(environment, file);
      const env = { TRADEPOST_BASE_URL: server.url, TRADEPOST_API_KEY: trade.seller.apiKey };
      const seconds = await measureRun(
        environment,
        args(environment.newFile('result.ndjson')),
        trade.orders,
        env,
      );
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
    { ours: () => measureRate(ours), bare: () => measureRate(() => [script]) },
    log,
  );
  return [
    createFigure({
      bench: 'changes',
      what: `${orders} status changes from stdin, ${concurrency} at a time`,
      unit: '/s',
      ours: results.ours,
      baseline: { what: 'a loop of bare undici requests', values: results.bare },
      goal: { of: 'ratio', bound: 'at least', value: 0.7 },
      notes: ['Whole processes each against its own server, including the start of Node.'],
    }),
  ];
}
