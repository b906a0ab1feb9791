/**
 * What `pnpm bench` runs: the figures of the delivery engine, of the SDK and of the command line, ours
 * and a baseline for each. Names of benches run only these; `--quick` makes them tiny, to see that they
 * run; `--json FILE` writes what was measured to a file too. The report is stdout, progress is stderr.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runAll } from '../helpers/run-all';
import { Workplace } from './bench-environment';
import { type Bench, benches } from './benches';
import type { Figure } from './figure';
import { type LongQueue, makeLongQueue } from './long-queue';
import { block, introduction, table } from './report';

const usage = `pnpm bench [name ...] [--quick] [--json FILE]
Benches: ${Object.keys(benches).join(', ')}; all of them unless named.
`;
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

interface Asked {
  chosen: [name: string, bench: Bench][];
  quick: boolean;
  json: string | undefined;
}

function readArguments(): Asked {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
  });
  const unknown = positionals.find((name) => !Object.hasOwn(benches, name));
  if (unknown !== undefined) throw new Error(`There is no bench "${unknown}".`);
  const isChosen = ([name]: [string, Bench]) =>
    positionals.length === 0 || positionals.includes(name);
  return {
    chosen: Object.entries(benches).filter(isChosen),
    quick: values.quick,
    json: values.json,
  };
}

let place: Workplace | undefined;
let abandoned = false;

/** Leaves nothing behind and ends at once. */
async function abandon(exitCode: number): Promise<void> {
  abandoned = true;
  await place?.close();
  process.exit(exitCode);
}
for (const [signal, exitCode] of Object.entries(exitCodes)) {
  process.once(signal, () => abandon(exitCode));
}
// Whoever read along has gone, as in `pnpm bench | head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => abandon(1));

/** How many groups of benches a quick run works on at a time. They wait for processes more than they compute. */
const quickGroupsAtOnce = 4;
/** They change how the receivers of one long queue behave, so they cannot overlap. */
const sharesLongQueue = new Set(['isolation', 'backlog']);

function groupQuick(chosen: Asked['chosen']): Asked['chosen'][] {
  const sharing = chosen.filter(([name]) => sharesLongQueue.has(name));
  const others = chosen.filter(([name]) => !sharesLongQueue.has(name));
  // Pruning waits for the server's own schedule: it starts first, so that it does not end last.
  const [first, rest] = [
    others.filter(([name]) => name === 'pruning'),
    others.filter(([name]) => name !== 'pruning'),
  ];
  return [first, sharing, ...rest.map((one) => [one])];
}

async function measure({ chosen, quick }: Asked, place: Workplace): Promise<Figure[]> {
  const figures: Figure[] = [];
  let made: Promise<LongQueue> | undefined;
  function longQueue(): Promise<LongQueue> {
    made ??= makeLongQueue(place, quick);
    return made;
  }
  async function run([name, bench]: [string, Bench]): Promise<void> {
    const say = (progress: string) => process.stderr.write(`… ${name}: ${progress}\n`);
    for (const figure of await bench({ place, quick, say, longQueue })) {
      figures.push(figure);
      process.stdout.write(`${block(figure)}\n`);
    }
  }
  // One at a time, since each needs the whole machine. Quick figures are not used, so these may overlap.
  const groups = quick ? groupQuick(chosen) : [chosen];
  await runAll(
    groups,
    async (group) => {
      for (const one of group) await run(one);
    },
    quick ? quickGroupsAtOnce : 1,
  );
  return figures;
}

async function run(asked: Asked): Promise<void> {
  process.stdout.write(`${introduction()}\n`);
  place = await Workplace.open();
  const figures = await measure(asked, place).finally(() => place?.close());
  process.stdout.write(table(figures));
  const minutes = (performance.now() / 60_000).toFixed(1);
  const worth = asked.quick ? ' Quick sizes say nothing: they only show that it runs.' : '';
  process.stdout.write(`\nIt took ${minutes} minutes.${worth}\n`);
  if (asked.json === undefined) return;
  await writeFile(asked.json, `${JSON.stringify(figures, null, 2)}\n`);
}

function explain(error: unknown, exitCode: number): void {
  // What was under way fails once its processes are gone: that is no news.
  if (abandoned) return;
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = exitCode;
}

let asked: Asked | undefined;
try {
  asked = readArguments();
} catch (error) {
  explain(error, 2);
  process.stderr.write(usage);
}
if (asked !== undefined) await run(asked).catch((error) => explain(error, 1));
