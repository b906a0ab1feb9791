import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from '../helpers/clean-environment';
import type { Workplace } from './bench-environment';
import { type Contender, foremost } from './best-by-median';
import { type Figure, figureOf, type Goal } from './figure';
import { median } from './quantiles';
import { interleave } from './rounds';
import type { Stage } from './stage';

const sizes = { usual: { rounds: 51 }, quick: { rounds: 1 } };

const client = '@tradepost/sdk';
const webhooks = '@tradepost/sdk/webhooks';
const otherClients = ['stripe', 'svix', 'openai', 'openapi-fetch'];
const otherVerifiers = ['stripe', 'svix', 'standardwebhooks', '@octokit/webhooks-methods'];
const others = [...new Set([...otherClients, ...otherVerifiers])];

/** How a script loads an entry, and what its file's name ends with for that. */
const ways = {
  import: { ending: '.mjs', load: (entry: string) => `await import('${entry}')` },
  require: { ending: '.cjs', load: (entry: string) => `require('${entry}')` },
};

type Way = keyof typeof ways;
/** An empty module of the same kind as the script. */
const nothing = './nothing';

/** A package of one line: less than this no package takes. */
const oneLine = 'one-line';

/** A script that prints how many milliseconds it took to load an entry. */
const timed = (load: string) =>
  `const started = performance.now();\n${load};\nconsole.log(performance.now() - started);\n`;

const sideOf = (way: Way, entry: string) => `${way} ${entry}`;

/** All scripts, in the order in which they take turns. */
const scripts: (readonly [Way, string])[] = [
  ...[nothing, oneLine, client, webhooks, ...others].map((entry) => ['import', entry] as const),
  ...[nothing, client, webhooks].map((entry) => ['require', entry] as const),
];

/** Makes a folder in which a script finds packages as in a project that has installed them. */
async function makeProject(place: Workplace): Promise<string> {
  const project = place.newFile('project');
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

/** Milliseconds that a script took to load its entry, in a new process. */
async function timeOf(place: Workplace, script: string): Promise<number> {
  const env = cleanEnvironment({});
  delete env.NODE_COMPILE_CACHE;
  const { child, lastWords } = place.start([script], ['ignore', 'pipe'], env);
  const [printed, [code, signal]] = await Promise.all([
    text(child.stdout as Readable),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`${script} ended with ${code ?? signal}.\n${lastWords()}`);
  const took = Number.parseFloat(printed);
  if (!(took > 0)) throw new Error(`${script} printed ${JSON.stringify(printed)}, and no time.`);
  return took;
}

/** Times every script in turn. Returns the rounds of each, by the name of its side. */
async function timeAll({ place, quick, say }: Stage): Promise<Record<string, number[]>> {
  const project = await makeProject(place);
  const sides: Record<string, () => Promise<number>> = {};
  for (const [number, [way, entry]] of scripts.entries()) {
    const { ending, load } = ways[way];
    const path = join(project, `script-${number}${ending}`);
    await writeFile(path, timed(load(entry === nothing ? nothing + ending : entry)));
    sides[sideOf(way, entry)] = () => timeOf(place, path);
  }
  // Once for nothing: the first one to read a file waits for the disk.
  for (const time of Object.values(sides)) await time();
  const { rounds } = quick ? sizes.quick : sizes.usual;
  return interleave(rounds, sides, (round) => say(`round ${round} of ${rounds}`));
}

/**
 * How long a script takes to import the SDK, or its webhooks entry, beyond an empty module: each in a
 * process of its own, without a compile cache, beside other packages of the kind. Timed by the script:
 * the start of a process takes many times as long as what is to be measured, and scatters by more.
 */
export async function imports(stage: Stage): Promise<Figure[]> {
  const times = await timeAll(stage);
  const timesOf = (way: Way, entry: string) => times[sideOf(way, entry)] ?? [];

  function above(way: Way, entry: string): Contender {
    const empty = timesOf(way, nothing);
    const values = timesOf(way, entry).map((took, round) => took - (empty[round] ?? Number.NaN));
    return { name: entry, values };
  }

  function compare(entry: string, rivals: readonly string[], limit: number): Figure {
    const contenders = rivals.map((rival) => above('import', rival));
    const { name, values } = foremost(contenders, 'lowest');
    const goal: Goal = { of: 'ours', bound: 'at most', value: limit };
    const shown = contenders.map((one) => `${one.name} ${median(one.values).toFixed(1)} ms`);
    return figureOf({
      bench: 'imports',
      what: `import of ${entry}, above an empty module`,
      unit: 'ms',
      ours: above('import', entry).values,
      baseline: { what: `${name}, the quickest of the others`, values },
      goal,
      notes: [
        `An empty module takes ${median(timesOf('import', nothing)).toFixed(1)} ms. Above it: a package of one line ${median(above('import', oneLine).values).toFixed(1)} ms, ${shown.join(', ')}.`,
      ],
    });
  }

  function required(entry: string): Figure {
    return figureOf({
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
