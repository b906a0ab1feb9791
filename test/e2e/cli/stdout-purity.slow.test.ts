import { expect, it, onTestFinished } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { tradepostEnvironment, tradepostFunction } from '../../helpers/programs';
import { runAll } from '../../helpers/run-all';
import { runCli, startCli } from '../../helpers/run-cli';
import { findOrderId } from '../../helpers/seed';
import { type Exit, runProcess } from '../../helpers/start-process';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { expectCleanOutput, outputFormats } from './helpers/expect-clean-output';
import { startBrokenService, startFailingService, startWebSite } from './helpers/invalid-services';

/** A result of a command, and its exit code. */
interface Outcome {
  what: string;
  code: number;
  /** The arguments; `--output` comes after them. */
  argv: readonly string[];
  env: Record<string, string>;
  /** Whether it prints to stdout. */
  prints?: true;
  /** How to run it, if not as a single process. */
  run?: (argv: readonly string[], env: Record<string, string>) => Promise<Exit>;
}

async function runInterrupted(argv: readonly string[], env: Record<string, string>): Promise<Exit> {
  const child = startCli(argv, env);
  await child.writes(/ord_/);
  return await child.stop('SIGINT');
}

/** Runs it with `| head`. The exit code is that of the CLI, not of `head`. */
async function runWithClosedStdout(
  argv: readonly string[],
  env: Record<string, string>,
): Promise<Exit> {
  const line = `{ tradepost ${argv.join(' ')}; echo "code $?" >&2; } | head -c 1 > /dev/null`;
  const variables = { ...env, ...tradepostEnvironment };
  const exit = await runProcess('sh', ['-c', tradepostFunction + line], { env: variables });
  const [, code] = /code (\d+)\n$/.exec(exit.stderr) ?? [];
  return { ...exit, code: Number(code), stderr: exit.stderr.replace(/code \d+\n$/, '') };
}

async function listOutcomes(seeded: SeededServer): Promise<Outcome[]> {
  const services = await Promise.all([startWebSite(), startBrokenService(), startFailingService()]);
  const [site, broken, failing] = services;
  onTestFinished(async () => {
    for (const service of services) await service.close();
  });
  const env = seeded.createEnvironment(seeded.seller);
  const withUrl = ({ url }: { url: string }) => ({ ...env, TRADEPOST_BASE_URL: url });
  const list = ['orders', 'list'];
  const setStatus = (...rest: string[]) => ['orders', 'set-status', ...rest];
  const some = setStatus(
    findOrderId(seeded.seed, 'cancelled'),
    findOrderId(seeded.seed, 'fulfilling'),
    'completed',
    '--yes',
  );
  const none = setStatus(findOrderId(seeded.seed, 'cancelled'), 'confirmed');
  const guarded = setStatus(
    findOrderId(seeded.seed, 'confirmed'),
    'cancelled',
    '--if-status',
    'pending',
  );
  const mixed = ['notifications', 'read', 'ntf_nosuch', seeded.seller.id.replace('usr', 'ntf')];
  return [
    { what: 'success', code: 0, argv: list, env, prints: true },
    { what: 'an unknown command', code: 2, argv: ['orders', 'lst'], env },
    { what: 'a wrong option', code: 2, argv: [...list, '--status', 'open'], env },
    { what: 'no key', code: 4, argv: list, env: { ...env, TRADEPOST_API_KEY: '' } },
    { what: 'a wrong key', code: 4, argv: list, env: { ...env, TRADEPOST_API_KEY: 'tpk_x' } },
    { what: 'not found', code: 5, argv: ['orders', 'get', 'ord_nosuch'], env },
    { what: 'none of several found', code: 5, argv: mixed, env },
    { what: 'a conflict', code: 6, argv: none, env },
    { what: 'a failed precondition', code: 6, argv: [...guarded, '--fail-on-skip'], env },
    { what: 'some of several', code: 7, argv: [...some, '--no-journal'], prints: true, env },
    {
      what: 'a truncated list',
      code: 8,
      argv: [...list, '--limit', '1', '--fail-if-truncated'],
      prints: true,
      env,
    },
    {
      what: 'no service',
      code: 9,
      argv: list,
      env: { ...env, TRADEPOST_BASE_URL: 'http://127.0.0.1:1' },
    },
    { what: 'a web site', code: 1, argv: list, env: withUrl(site) },
    { what: 'a truncated response', code: 1, argv: list, env: withUrl(broken) },
    { what: 'a failing service', code: 1, argv: list, env: withUrl(failing) },
    {
      what: 'Ctrl-C',
      code: 130,
      argv: ['orders', 'watch', '--since', '1h'],
      prints: true,
      env,
      run: runInterrupted,
    },
    {
      what: 'a closed stdout',
      code: 0,
      argv: ['events', 'list', '--all'],
      prints: true,
      env,
      run: runWithClosedStdout,
    },
  ];
}

it('stdout has only data and the exit code is a documented one, whatever fails', async () => {
  const seeded = await forTest(startSeededServer());
  const help = (await runCli(['help', 'exit-codes'])).stdout;
  const known = [...help.matchAll(/^ +(\d+) {2}\S/gm)].map(([, code]) => Number(code));
  const all = await listOutcomes(seeded);
  expect(new Set(all.map(({ code }) => code))).toEqual(new Set(known));

  // If nothing is printed, there are two cases only: with JSON and without.
  const runs = all.flatMap((ending) =>
    (ending.prints ? outputFormats : (['table', 'ndjson'] as const)).map((output) => ({
      ...ending,
      output,
    })),
  );
  const mismatches: unknown[] = [];
  await runAll(runs, async ({ what, code, argv, env, output, run = runCli }) => {
    const exit = await run([...argv, '--output', output], env);
    if (exit.code !== code) mismatches.push({ what, output, ...exit });
    // An endless list is printed object by object.
    expectCleanOutput(exit, what === 'Ctrl-C' && output === 'json' ? 'ndjson' : output);
  });
  expect(mismatches).toEqual([]);
}, 300_000);
