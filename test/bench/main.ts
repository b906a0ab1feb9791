/**
 * What `pnpm bench` runs: it measures the delivery engine, the SDK and the CLI, each against a baseline. Arguments
 * select benches by name. `--quick` uses small sizes, only to check that the benches run. `--json FILE` also
 * writes the figures to a file. `--against FOLDER` compares the server with that of another checkout, which must be
 * built. The report goes to stdout, progress to stderr.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runAll } from '../helpers/run-all';
import { BenchEnvironment } from './bench-environment';
import { type Bench, benches } from './benches';
import type { Figure } from './figure';
import { createLongQueue, type LongQueue } from './long-queue';
import { block, introduction, table } from './report';
import { findServerBin } from './tradepost-server';

const usage = `pnpm bench [name ...] [--quick] [--json FILE] [--against FOLDER]
Benches: ${Object.keys(benches).join(', ')}; all by default.
`;
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

interface BenchArguments {
  chosen: [name: string, bench: Bench][];
  quick: boolean;
  json: string | undefined;
  otherCheckout: string | null;
}

function findCheckout(folder: string): string {
  const bin = findServerBin(folder);
  if (!existsSync(bin)) throw new Error(`There is no ${bin}. Pass the folder of a checkout.`);
  return resolve(folder);
}

function readArguments(): BenchArguments {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const unknown = positionals.find((name) => !Object.hasOwn(benches, name));
  if (unknown !== undefined) throw new Error(`There is no bench "${unknown}".`);
  const isChosen = ([name]: [string, Bench]) =>
    positionals.length === 0 || positionals.includes(name);
  return {
    chosen: Object.entries(benches).filter(isChosen),
    quick: values.quick,
    json: values.json,
    otherCheckout: values.against === undefined ? null : findCheckout(values.against),
  };
}

let environment: BenchEnvironment | undefined;
let abandoned = false;

/** Cleans up and exits. */
async function abandon(exitCode: number): Promise<void> {
  abandoned = true;
  await environment?.close();
  process.exit(exitCode);
}
for (const [signal, exitCode] of Object.entries(exitCodes)) {
  process.once(signal, () => abandon(exitCode));
}
// The reader of the output has exited, as in `pnpm bench | head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => abandon(1));

/** How many groups of benches run at once in a quick run. They wait for processes more than they compute. */
const quickConcurrency = 4;
/** These configure the receivers of the same long queue, so they cannot overlap. */
const sharesLongQueue = new Set(['isolation', 'backlog']);

function groupQuick(chosen: BenchArguments['chosen']): BenchArguments['chosen'][] {
  const sharing = chosen.filter(([name]) => sharesLongQueue.has(name));
  const others = chosen.filter(([name]) => !sharesLongQueue.has(name));
  // Pruning waits for the server's own schedule: it starts first, so that it does not end last.
  const [first, rest] = [
    others.filter(([name]) => name === 'pruning'),
    others.filter(([name]) => name !== 'pruning'),
  ];
  return [first, sharing, ...rest.map((entry) => [entry])];
}

async function measure(
  { chosen, quick, otherCheckout }: BenchArguments,
  environment: BenchEnvironment,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  let made: Promise<LongQueue> | undefined;
  function longQueue(): Promise<LongQueue> {
    made ??= createLongQueue(environment, quick);
    return made;
  }
  async function run([name, bench]: [string, Bench]): Promise<void> {
    const log = (progress: string) => process.stderr.write(`… ${name}: ${progress}\n`);
    for (const figure of await bench({ environment, quick, otherCheckout, log, longQueue })) {
      figures.push(figure);
      process.stdout.write(`${block(figure)}\n`);
    }
  }
  // One at a time, since each needs the whole machine. Quick figures are not used, so these may overlap.
  const groups = quick ? groupQuick(chosen) : [chosen];
  await runAll(
    groups,
    async (group) => {
      for (const entry of group) await run(entry);
    },
    quick ? quickConcurrency : 1,
  );
  return figures;
}

async function run(benchArguments: BenchArguments): Promise<void> {
  process.stdout.write(`${introduction()}\n`);
  environment = await BenchEnvironment.open();
  const figures = await measure(benchArguments, environment).finally(() => environment?.close());
  process.stdout.write(table(figures));
  const minutes = (performance.now() / 60_000).toFixed(1);
  const note = benchArguments.quick
    ? ' The figures of a quick run are meaningless: they only show that the benches run.'
    : '';
  process.stdout.write(`\nThe run took ${minutes} minutes.${note}\n`);
  if (benchArguments.json === undefined) return;
  await writeFile(benchArguments.json, `${JSON.stringify(figures, null, 2)}\n`);
}

function reportError(error: unknown, exitCode: number): void {
  // Benches in flight fail when their processes are killed: not worth a message.
  if (abandoned) return;
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = exitCode;
}

let benchArguments: BenchArguments | undefined;
try {
  benchArguments = readArguments();
} catch (error) {
  reportError(error, 2);
  process.stderr.write(usage);
}
if (benchArguments !== undefined) await run(benchArguments).catch((error) => reportError(error, 1));
