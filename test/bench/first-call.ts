import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './bench-context';
import { startBenchProcess } from './bench-process';
import { createFigure, type Figure, type Goal } from './figure';
import { orderId } from './orders-responses';
import type { OrdersServerOperations } from './orders-server-process';
import { median } from './quantiles';
import { interleave } from './rounds';
import { runTimedScript, timedScript } from './timed-script';

const sizes = { usual: { rounds: 51 }, quick: { rounds: 1 } };

const call = (baseUrl: string, more = '') =>
  `await new Tradepost({ baseUrl: '${baseUrl}', apiKey: 'tpk_x'${more} }).orders.get('${orderId}')`;

/** The scripts by the name of their side, with their extension. Those that load the client make one call of the same service. */
const scripts = {
  bare: {
    ending: '.mjs',
    statements: (baseUrl: string) =>
      `const response = await fetch('${baseUrl}/v1/orders/${orderId}', { headers: { authorization: 'Bearer tpk_x' } });\nJSON.parse(await response.text())`,
  },
  imported: {
    ending: '.mjs',
    statements: (baseUrl: string) =>
      `const { Tradepost } = await import('@tradepost/sdk');\n${call(baseUrl)}`,
  },
  required: {
    ending: '.cjs',
    statements: (baseUrl: string) =>
      `const { Tradepost } = require('@tradepost/sdk');\n${call(baseUrl)}`,
  },
  pooled: {
    ending: '.mjs',
    statements: (baseUrl: string) =>
      `const { Tradepost } = await import('@tradepost/sdk');\nconst { createPooledFetch } = await import('@tradepost/sdk/node');\n${call(baseUrl, ', fetch: createPooledFetch()')}`,
  },
  empty: { ending: '.mjs', statements: () => '' },
  webhooks: { ending: '.mjs', statements: () => "await import('@tradepost/sdk/webhooks')" },
};

type Side = keyof typeof scripts;

const within = (value: number): Goal => ({ of: 'ours', bound: 'at most', value });

/** CommonJS has no `await` outside of functions. */
const inFunction = (script: string) => `(async () => {\n${script}})();\n`;

/**
 * Measures how long a new process takes to load the SDK and to make its first call, beside a bare first `fetch`
 * and `JSON.parse`, against a server on this machine that responds at once.
 */
export async function firstCall({ environment, quick, log }: BenchContext): Promise<Figure[]> {
  const file = new URL('./orders-server-process.ts', import.meta.url);
  const server = startBenchProcess<OrdersServerOperations>(environment, file);
  const baseUrl = await server.call('start', null);
  const project = environment.newFile('first-call');
  await mkdir(join(project, 'node_modules'), { recursive: true });
  for (const name of ['@tradepost', 'undici']) {
    const installed = fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
    await symlink(installed, join(project, 'node_modules', name), 'junction');
  }
  const sides = {} as Record<Side, () => Promise<number>>;
  for (const [side, { ending, statements }] of Object.entries(scripts)) {
    const path = join(project, side + ending);
    const script = timedScript(statements(baseUrl));
    await writeFile(path, ending === '.cjs' ? inFunction(script) : script);
    sides[side as Side] = () => runTimedScript(environment, path);
  }
  // A first run that is not counted: the first read of a file waits for the disk.
  for (const time of Object.values(sides)) await time();
  const { rounds } = quick ? sizes.quick : sizes.usual;
  const times = await interleave(rounds, sides, log);
  await server.stop();
  const above = (side: Side, least: Side) =>
    times[side].map((time, round) => time - (times[least][round] ?? Number.NaN));
  const compare = (what: string, side: Side, goal?: Goal) =>
    createFigure({
      bench: 'firstCall',
      what: `load and first call of ${what}, above a bare first fetch`,
      unit: 'ms',
      ours: above(side, 'bare'),
      ...(goal && { goal }),
      notes: [`A bare first fetch takes ${median(times.bare).toFixed(1)} ms.`],
    });
  return [
    compare('@tradepost/sdk, as ES module', 'imported', within(30)),
    compare('@tradepost/sdk, as CommonJS', 'required', within(30)),
    compare('@tradepost/sdk with @tradepost/sdk/node', 'pooled'),
    createFigure({
      bench: 'firstCall',
      what: 'import of @tradepost/sdk/webhooks, above an empty module',
      unit: 'ms',
      ours: above('webhooks', 'empty'),
      goal: within(3),
    }),
  ];
}
