import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment } from '../../helpers/clean-environment';
import { forTest } from '../../helpers/for-test';
import { tradepostBin, tradepostEnvironment, tradepostFunction } from '../../helpers/programs';
import { readCommandPaths } from '../../helpers/read-commands';
import { runAll } from '../../helpers/run-all';
import { startCountingProxy } from '../../helpers/start-counting-proxy';
import { type Exit, runProcess } from '../../helpers/start-process';
import { startHttpReceiver } from '../../helpers/start-receiver';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { createCommandLines } from './helpers/command-lines';
import { expectCleanOutput, type OutputFormat, outputFormats } from './helpers/expect-clean-output';

/** Starts a process whose stdin is a pipe without data. `end` closes it. */
function startWithOpenStdin(argv: readonly string[], env: Record<string, string>) {
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

async function prepare() {
  const seeded = await forTest(startSeededServer(['--rate-limit', '100000']));
  const folder = await forTest(temporaryFolder());
  const receiver = await forTest(startHttpReceiver());
  const lines = await createCommandLines({ seeded, folder: folder.path, receiver: receiver.url });
  return { seeded, lines, folder: folder.path };
}

it('every command ends by itself and prints only data, in every environment', async () => {
  const { seeded, lines, folder } = await prepare();
  const paths = [...(await readCommandPaths()), 'complete'];
  expect([...lines.keys(), 'orders watch', 'mcp'].sort()).toEqual(paths.sort());
  const env = {
    ...seeded.createEnvironment(seeded.seller),
    TRADEPOST_STATE_DIR: join(folder, 'state'),
    ...tradepostEnvironment,
  };
  const inShell = (line: string) => runProcess('sh', ['-c', tradepostFunction + line], { env });
  const quoted = (argv: readonly string[]) => argv.map((word) => `'${word}'`).join(' ');

  /** An environment for each format. Together they cover the cases. */
  const environments: Record<OutputFormat, (argv: readonly string[]) => Promise<Exit>> = {
    // Nothing writes to stdin or closes it.
    json: (argv) => startWithOpenStdin(argv, env).exit,
    csv: (argv) => inShell(`tradepost ${quoted(argv)} <&-`),
    // As in a CI job: no home, a dumb terminal, profiles that cannot be written.
    ndjson: (argv) =>
      inShell(`unset HOME; CI=true TERM=dumb tradepost ${quoted(argv)} < /dev/null`),
    table: (argv) =>
      inShell(`unset TRADEPOST_STATE_DIR; NO_COLOR=1 tradepost ${quoted(argv)} < /dev/null`),
  };
  const runs = [...lines].flatMap(([path, line]) =>
    outputFormats.map((output) => ({ path, line, output })),
  );
  await runAll(runs, async ({ path, line, output }) => {
    const { argv, shape, input, code = 0 } = line;
    // `webhooks listen` cannot print one JSON document, since it does not end, nor `api` CSV, since what it
    // prints may have any shape. Profiles cannot be changed here.
    const isUsage =
      `${path} ${output}` === 'webhooks listen json' || `${path} ${output}` === 'api csv';
    const readsStdin = input !== undefined;
    if (readsStdin && output === 'json') return;
    // Each needs its own checkpoint: only one listener may use it.
    const own = argv.map((word) => (word.endsWith('checkpoint') ? join(folder, output) : word));
    const runIn = environments[output];
    const exit = await runIn([...own, '--output', output]);
    expectCleanOutput(exit, output, shape);
    const changesProfiles = /^(login|logout|profiles use)$/.test(path);
    const expected = isUsage ? [2] : changesProfiles || readsStdin ? [0, 1, 2, 4] : [code];
    expect(expected, `${path} --output ${output}: ${exit.stderr}`).toContain(exit.code);
  });
}, 300_000);

it('commands that read stdin end when stdin ends, and change nothing', async () => {
  const { lines } = await prepare();
  const reading = [...lines.values()].filter(({ input }) => input !== undefined);
  expect(reading).toHaveLength(2);
  const setStatus = ['orders', 'set-status', 'confirmed', '--stdin'];
  const service = await startCountingProxy('http://127.0.0.1:1');
  const key = { TRADEPOST_BASE_URL: service.url, TRADEPOST_API_KEY: 'tpk_x' };
  await runAll([...reading.map(({ argv }) => argv), setStatus], async (argv) => {
    const waiting = startWithOpenStdin(argv, key);
    waiting.end();
    const { code, stdout, stderr } = await waiting.exit;
    expect(stdout).toBe('');
    expect([0, 1, 2, 4], stderr).toContain(code);
  });
  expect([...service.counts]).toEqual([]);
}, 120_000);

it('a command whose folder cannot be created reports that and changes nothing', async () => {
  const service = await startCountingProxy('http://127.0.0.1:1');
  const env = {
    TRADEPOST_BASE_URL: service.url,
    TRADEPOST_API_KEY: 'tpk_x',
    // Creating a folder there fails with ENOENT, also for the parent folder.
    TRADEPOST_STATE_DIR: '/proc/none/state',
  };
  const command = startWithOpenStdin(
    ['orders', 'set-status', 'ord_1', 'ord_2', 'confirmed', '--yes'],
    env,
  );
  expect(await command.exit).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Cannot create the folder of the journal'),
  });
  expect([...service.counts]).toEqual([]);
}, 30_000);
