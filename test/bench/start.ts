import { exec } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../helpers/clean-environment';
import { listenOnLoopback } from '../helpers/loopback';
import { tradepostBin } from '../helpers/programs';
import type { BenchContext } from './bench-context';
import type { BenchEnvironment } from './bench-environment';
import { createFigure, type Figure, medianRatio } from './figure';
import { interleave } from './rounds';

const sizes = { usual: { rounds: 81 }, quick: { rounds: 1 } };

/** Other command lines on npm, the newest versions when this was written. */
const others = { prettier: '3.10.1', vercel: '60.1.3' };

const nothing = 'node -e 0';
const nothingCpu = 'processor time of node -e 0';

const reportCpu = fileURLToPath(new URL('../helpers/report-cpu.cjs', import.meta.url));

/**
 * Installs another command line in its own folder, without install scripts.
 *
 * @returns The file to run, or null if the registry is not reachable.
 */
async function installOther(name: string, version: string, folder: string): Promise<string | null> {
  await mkdir(folder);
  try {
    await promisify(exec)(
      `npm install --prefix "${folder}" --ignore-scripts --no-audit --no-fund ${name}@${version}`,
      { cwd: folder },
    );
  } catch {
    return null;
  }
  const installed = join(folder, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  return join(installed, typeof bin === 'string' ? bin : bin[name]);
}

/** Measures the milliseconds from the start of a process to its end. */
async function measureRun(environment: BenchEnvironment, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const { child, readLogTail } = environment.start(
    args,
    ['ignore', 'ignore'],
    cleanEnvironment({}),
  );
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.\n${readLogTail()}`);
  return performance.now() - startedAt;
}

const body = '{"data":[]}';
const httpResponse = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;

/** Starts a service that reports when the first byte of a request arrives. */
async function startListener() {
  let arrived: (at: number) => void = () => {};
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      arrived(performance.now());
      socket.end(httpResponse);
    });
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Resolves when the next request starts. */
    next: () => new Promise<number>((resolve) => (arrived = resolve)),
    close: () => server.close(),
  };
}

/** Measures how long the CLI takes to start, against an empty Node process and other command lines. */
export async function start({ environment, quick, log }: BenchContext): Promise<Figure[]> {
  const { rounds } = quick ? sizes.quick : sizes.usual;
  const rivals: [name: string, file: string][] = [];
  const missing: string[] = [];
  for (const [name, version] of quick ? [] : Object.entries(others)) {
    log(`installing ${name}`);
    const file = await installOther(name, version, environment.newFile(name));
    if (file === null) missing.push(`${name}@${version}`);
    else rivals.push([name, file]);
  }
  const listener = await startListener();
  const script = environment.newFile('only-fetch.mjs');
  await writeFile(
    script,
    `const response = await fetch('${listener.url}/v1/orders?limit=50', { headers: { authorization: 'Bearer tpk_x' } });\nawait response.text();\n`,
  );
  const settings = { TRADEPOST_BASE_URL: listener.url, TRADEPOST_API_KEY: 'tpk_x' };

  /** Measures the milliseconds from the start of a process to the first byte that it sends. */
  async function firstByte(args: readonly string[]): Promise<number> {
    const arrived = listener.next();
    const startedAt = performance.now();
    const { child, readLogTail } = environment.start(
      args,
      ['ignore', 'ignore'],
      cleanEnvironment(settings),
    );
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.\n${readLogTail()}`);
    return (await arrived) - startedAt;
  }

  /** Measures the milliseconds from the last byte that a process prints to its end. */
  async function lastByteToExit(args: readonly string[]): Promise<number> {
    void listener.next();
    let printedAt = 0;
    const { child } = environment.start(args, ['ignore', 'pipe'], cleanEnvironment(settings));
    child.stdout?.on('data', () => (printedAt = performance.now()));
    await once(child, 'exit');
    return performance.now() - printedAt;
  }

  /** Measures the processor time of a process, in milliseconds. */
  async function processorTime(args: readonly string[]): Promise<number> {
    void listener.next();
    const reporting = ['--require', reportCpu, ...args];
    const { child, readLog } = environment.start(
      reporting,
      ['ignore', 'ignore'],
      cleanEnvironment(settings),
    );
    await once(child, 'close');
    return Number(/processor time: (\d+) ms/.exec(readLog())?.[1]);
  }

  const list = [tradepostBin, 'orders', 'list', '--output', 'json'];
  const sides: Record<string, () => Promise<number>> = {
    [nothing]: () => measureRun(environment, ['-e', '0']),
    version: () => measureRun(environment, [tradepostBin, '--version']),
    help: () => measureRun(environment, [tradepostBin, '--help']),
    listHelp: () => measureRun(environment, [tradepostBin, 'orders', 'list', '--help']),
    fetch: () => firstByte([script]),
    list: () => firstByte(list),
    listEnd: () => lastByteToExit(list),
    listCpu: () => processorTime(list),
    [nothingCpu]: () => processorTime(['-e', '0']),
  };
  for (const [name, file] of rivals) {
    sides[name] = () => measureRun(environment, [file, '--version']);
  }
  // A first run that is not counted: the first read of a file waits for the disk.
  for (const time of Object.values(sides)) await time();
  const times = await interleave(rounds, sides, log);
  listener.close();

  const getTimes = (side: string) => times[side] ?? [];
  const notes = rivals.map(
    ([name]) => `${name} --version ${medianRatio(getTimes(name), getTimes(nothing)).toFixed(2)}x.`,
  );
  if (missing.length > 0) notes.push(`Could not be installed: ${missing.join(', ')}.`);
  const figure = (side: string, what: string, against: string, limit: number | null): Figure =>
    createFigure({
      bench: 'start',
      what,
      unit: 'ms',
      ours: getTimes(side),
      baseline: {
        what: against === 'fetch' ? 'a script that only fetches' : against,
        values: getTimes(against),
      },
      ...(limit === null ? {} : { goal: { of: 'ratio', bound: 'at most', value: limit } as const }),
      notes: against === nothing && limit !== null ? notes : [],
    });
  return [
    figure('version', 'tradepost --version', nothing, 1.2),
    figure('help', 'tradepost --help', nothing, 1.25),
    figure('listHelp', 'tradepost orders list --help', nothing, null),
    figure('list', 'tradepost orders list, to its first byte sent', 'fetch', 1.4),
    figure('listCpu', 'processor time of tradepost orders list', nothingCpu, 3),
    createFigure({
      bench: 'start',
      what: 'tradepost orders list, from its last byte to its end',
      unit: 'ms',
      ours: getTimes('listEnd'),
      goal: { of: 'ours', bound: 'at most', value: 60 },
    }),
  ];
}
