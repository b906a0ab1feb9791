import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment } from '../../helpers/clean-environment';
import { tradepostBin } from '../../helpers/programs';
import { readCommands } from '../../helpers/read-commands';
import { runAll } from '../../helpers/run-all';
import { startCountingProxy } from '../../helpers/start-counting-proxy';
import { startPausedReceiver } from '../../helpers/start-paused-receiver';
import { type Exit, runProcess } from '../../helpers/start-process';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { tradepostFunction, tradepostEnvironment } from '../../helpers/tradepost-shell';
import { commandLines } from './command-lines';
import { expectPure, type Output, outputs } from './expect-pure';

/** Starts a process whose stdin is a pipe that nobody writes to; `end` closes it. */
function startUnfed(argv: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [tradepostBin, ...argv], { env: cleanEnvironment(env) });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text;
    });
  }
  const exit = once(child, 'close').then(([code, signal]): Exit => ({ code, signal, ...written }));
  return { exit, written, end: () => child.stdin.end() };
}

async function stage() {
  const seeded = await startSeededServer(['--rate-limit', '100000']);
  onTestFinished(seeded.close);
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const receiver = await startPausedReceiver();
  receiver.resume();
  onTestFinished(receiver.close);
  const lines = await commandLines({ seeded, folder: folder.path, receiver: receiver.url });
  return { seeded, lines, folder: folder.path };
}

it('every command ends by itself and prints data alone, whatever surrounds it', async () => {
  const { seeded, lines, folder } = await stage();
  const paths = [...(await readCommands()).keys(), 'complete'];
  expect([...lines.keys(), 'orders watch'].sort()).toEqual(paths.sort());
  const env = {
    ...seeded.createEnvironment(seeded.seller),
    TRADEPOST_STATE_DIR: join(folder, 'state'),
    ...tradepostEnvironment,
  };
  const inShell = (line: string) => runProcess('sh', ['-c', tradepostFunction + line], { env });
  const quoted = (argv: readonly string[]) => argv.map((word) => `'${word}'`).join(' ');

  /** One surrounding for each format: what is left out of the one is in another. */
  const surroundings: Record<Output, (argv: readonly string[]) => Promise<Exit>> = {
    // Nobody writes to stdin, and nobody closes it.
    json: (argv) => startUnfed(argv, env).exit,
    csv: (argv) => inShell(`tradepost ${quoted(argv)} <&-`),
    // A runner of jobs: no home, no terminal worth the name, logins that cannot be written.
    ndjson: (argv) =>
      inShell(`unset HOME; CI=true TERM=dumb tradepost ${quoted(argv)} < /dev/null`),
    table: (argv) =>
      inShell(`unset TRADEPOST_STATE_DIR; NO_COLOR=1 tradepost ${quoted(argv)} < /dev/null`),
  };
  const runs = [...lines].flatMap(([path, line]) =>
    outputs.map((output) => ({ path, line, output })),
  );
  await runAll(runs, async ({ path, line, output }) => {
    const { argv, shape, input, code = 0 } = line;
    // `webhooks listen` has no end that one document could have. Logins cannot be changed here.
    const isUsage = path === 'webhooks listen' && output === 'json';
    const readsStdin = input !== undefined;
    if (readsStdin && output === 'json') return;
    // The others of one place wait for one another, or are refused.
    const own = path === 'webhooks listen' ? ['--state-file', join(folder, output)] : [];
    const surround = surroundings[output];
    const exit = await surround([...argv, ...own, '--output', output]);
    expectPure(exit, output, shape);
    const isAboutLogins = /^(login|logout|profiles use)$/.test(path);
    const expected = isUsage ? [2] : isAboutLogins || readsStdin ? [0, 1, 2, 4] : [code];
    expect(expected, `${path} --output ${output}: ${exit.stderr}`).toContain(exit.code);
  });
}, 300_000);

it('what reads stdin ends when stdin does, and has done nothing', async () => {
  const { lines } = await stage();
  const reading = [...lines.values()].filter(({ input }) => input !== undefined);
  expect(reading).toHaveLength(2);
  const setStatus = ['orders', 'set-status', 'confirmed', '--stdin'];
  const service = await startCountingProxy('http://127.0.0.1:1');
  const key = { TRADEPOST_BASE_URL: service.url, TRADEPOST_API_KEY: 'tpk_x' };
  await runAll([...reading.map(({ argv }) => argv), setStatus], async (argv) => {
    const waiting = startUnfed(argv, key);
    waiting.end();
    const { code, stdout, stderr } = await waiting.exit;
    expect(stdout).toBe('');
    expect([0, 1, 2, 4], stderr).toContain(code);
  });
  expect([...service.counts]).toEqual([]);
}, 120_000);

it('a folder that cannot be made ends a command with a word about it, and nothing is done', async () => {
  const service = await startCountingProxy('http://127.0.0.1:1');
  const env = {
    TRADEPOST_BASE_URL: service.url,
    TRADEPOST_API_KEY: 'tpk_x',
    // Whoever asks there for a folder hears that there is no such place, also of the one above.
    TRADEPOST_STATE_DIR: '/proc/none/state',
  };
  const many = startUnfed(['orders', 'set-status', 'ord_1', 'ord_2', 'confirmed', '--yes'], env);
  expect(await many.exit).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Cannot create the folder of the journal'),
  });
  expect([...service.counts]).toEqual([]);
}, 30_000);
