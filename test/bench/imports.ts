import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import { type Candidate, findBest } from './best-by-median';
import { createFigure, type Figure, type Goal } from './figure';
import { median } from './quantiles';
import { interleave } from './rounds';
import { runTimedScript, timedScript } from './timed-script';

const sizes = { usual: { rounds: 51 }, quick: { rounds: 1 } };

const client = '@tradepost/sdk';
const webhooks = '@tradepost/sdk/webhooks';
const otherClients = ['stripe', 'svix', 'openai', 'openapi-fetch'];
const otherVerifiers = ['stripe', 'svix', 'standardwebhooks', '@octokit/webhooks-methods'];
const others = [...new Set([...otherClients, ...otherVerifiers])];

/** How a script loads an entry, and the extension of its file. */
const ways = {
  import: { ending: '.mjs', load: (entry: string) => `await import('${entry}')` },
  require: { ending: '.cjs', load: (entry: string) => `require('${entry}')` },
};

type Way = keyof typeof ways;
/** An empty module of the same kind as the script. */
const nothing = './nothing';

/** A package of one line: the minimum for any package. */
const oneLine = 'one-line';

const getSideName = (way: Way, entry: string) => `${way} ${entry}`;

/** All scripts, in the order in which they take turns. */
const scripts: (readonly [Way, string])[] = [
  ...[nothing, oneLine, client, webhooks, ...others].map((entry) => ['import', entry] as const),
  ...[nothing, client, webhooks].map((entry) => ['require', entry] as const),
];

/** Creates a folder in which a script resolves packages as in a project that has installed them. */
async function makeProject(environment: BenchEnvironment): Promise<string> {
  const project = environment.newFile('project');
  await mkdir(project);
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, oneLine), { recursive: true });
  await writeFile(
    join(modules, oneLine, 'package.json'),
    JSON.stringify({ name: oneLine, type: 'module', exports: './index.js' }),
  );
  await writeFile(join(modules, oneLine, 'index.js'), 'export const one = 1;\n');
  const installed = fileURLToPath(new URL('../node_modules', import.meta.url));
  for (const name of new Set([client, ...others].map((one) => one.replace(/\/.*/, '')))) {
    await symlink(join(installed, name), join(modules, name), 'junction');
  }
  for (const { ending } of Object.values(ways))
    await writeFile(join(project, nothing + ending), '');
  return project;
}

/** Times every script in turn. Returns the rounds of each, by the name of its side. */
async function timeAll({
  environment,
  quick,
  log,
}: BenchContext): Promise<Record<string, number[]>> {
  const project = await makeProject(environment);
  const sides: Record<string, () => Promise<number>> = {};
  for (const [number, [way, entry]] of scripts.entries()) {
    const { ending, load } = ways[way];
    const path = join(project, `script-${number}${ending}`);
    await writeFile(path, timedScript(load(entry === nothing ? nothing + ending : entry)));
    sides[getSideName(way, entry)] = () => runTimedScript(environment, path);
  }
  // A first run that is not counted: the first read of a file waits for the disk.
  for (const time of Object.values(sides)) await time();
  const { rounds } = quick ? sizes.quick : sizes.usual;
  return interleave(rounds, sides, (round) => log(`round ${round} of ${rounds}`));
}

/**
 * Measures how long a script takes to import the SDK, or its webhooks entry, beyond an empty module. Each import runs
 * in a new process without a compile cache, beside other packages. The script measures the time itself, since the
 * start of a process takes many times as long and varies more.
 */
export async function imports(context: BenchContext): Promise<Figure[]> {
  const times = await timeAll(context);
  const getTimes = (way: Way, entry: string) => times[getSideName(way, entry)] ?? [];

  function above(way: Way, entry: string): Candidate {
    const empty = getTimes(way, nothing);
    const values = getTimes(way, entry).map(
      (durations, round) => durations - (empty[round] ?? Number.NaN),
    );
    return { name: entry, values };
  }

  function compare(entry: string, rivals: readonly string[], limit: number): Figure {
    const contenders = rivals.map((rival) => above('import', rival));
    const { name, values } = findBest(contenders, 'lowest');
    const goal: Goal = { of: 'ours', bound: 'at most', value: limit };
    const shown = contenders.map((one) => `${one.name} ${median(one.values).toFixed(1)} ms`);
    return createFigure({
      bench: 'imports',
      what: `import of ${entry}, above an empty module`,
      unit: 'ms',
      ours: above('import', entry).values,
      baseline: { what: `${name}, the quickest of the others`, values },
      goal,
      notes: [
        `An empty module takes ${median(getTimes('import', nothing)).toFixed(1)} ms. Above it: a package of one line ${median(above('import', oneLine).values).toFixed(1)} ms, ${shown.join(', ')}.`,
      ],
    });
  }

  function required(entry: string): Figure {
    return createFigure({
      bench: 'imports',
      what: `require of ${entry}, above an empty module`,
      unit: 'ms',
      ours: above('require', entry).values,
      baseline: { what: 'import of the same', values: above('import', entry).values },
    });
  }

  return [
    compare(client, otherClients, 10),
    required(client),
    compare(webhooks, otherVerifiers, 3),
    required(webhooks),
  ];
}
