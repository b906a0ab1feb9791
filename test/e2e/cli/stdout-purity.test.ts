import { expect, it, onTestFinished } from 'vitest';
import { tradepostBin } from '../../helpers/programs';
import { runAll } from '../../helpers/run-all';
import { runCli } from '../../helpers/run-cli';
import { type Exit, runProcess, startProcess } from '../../helpers/start-process';
import { type SeededServer, startSeededServer } from '../../helpers/start-seeded-server';
import { tradepostFunction, tradepostEnvironment } from '../../helpers/tradepost-shell';
import { expectPure, outputs } from './expect-pure';
import { startBrokenService, startFailingService, startWebSite } from './invalid-services';

/** A way to end, and the exit code of it. */
interface Ending {
  what: string;
  code: number;
  /** The arguments; `--output` comes after them. */
  argv: readonly string[];
  env: Record<string, string>;
  /** Whether stdout gets something before it ends. */
  prints?: true;
  /** What comes of it is more than one process can tell: how it is run. */
  run?: (argv: readonly string[], env: Record<string, string>) => Promise<Exit>;
}

async function interrupted(argv: readonly string[], env: Record<string, string>): Promise<Exit> {
  const child = startProcess(process.execPath, [tradepostBin, ...argv], { env });
  await child.writes(/ord_/);
  return await child.stop('SIGINT');
}

/** What `| head` leaves: the code is of the command line, and not of `head`. */
async function closed(argv: readonly string[], env: Record<string, string>): Promise<Exit> {
  const line = `{ tradepost ${argv.join(' ')}; echo "code $?" >&2; } | head -c 1 > /dev/null`;
  const places = { ...env, ...tradepostEnvironment };
  const exit = await runProcess('sh', ['-c', tradepostFunction + line], { env: places });
  const [, code] = /code (\d+)\n$/.exec(exit.stderr) ?? [];
  return { ...exit, code: Number(code), stderr: exit.stderr.replace(/code \d+\n$/, '') };
}

async function endings(seeded: SeededServer): Promise<Ending[]> {
  const odd = await Promise.all([startWebSite(), startBrokenService(), startFailingService()]);
  const [site, broken, failing] = odd;
  onTestFinished(async () => {
    for (const service of odd) await service.close();
  });
  const idOf = (status: string) =>
    seeded.seed.orders.find((order) => order.status === status)?.id ?? '';
  const env = seeded.createEnvironment(seeded.seller);
  const at = ({ url }: { url: string }) => ({ ...env, TRADEPOST_BASE_URL: url });
  const list = ['orders', 'list'];
  const setStatus = (...rest: string[]) => ['orders', 'set-status', ...rest];
  const some = setStatus(idOf('cancelled'), idOf('fulfilling'), 'completed', '--yes');
  const none = setStatus(idOf('cancelled'), 'confirmed');
  const guarded = setStatus(idOf('confirmed'), 'cancelled', '--if-status', 'pending');
  const mixed = ['notifications', 'read', 'ntf_nosuch', seeded.seller.id.replace('usr', 'ntf')];
  return [
    { what: 'done', code: 0, argv: list, env, prints: true },
    { what: 'an unknown command', code: 2, argv: ['orders', 'lst'], env },
    { what: 'a wrong option', code: 2, argv: [...list, '--status', 'open'], env },
    { what: 'no key', code: 4, argv: list, env: { ...env, TRADEPOST_API_KEY: '' } },
    { what: 'a wrong key', code: 4, argv: list, env: { ...env, TRADEPOST_API_KEY: 'tpk_x' } },
    { what: 'not found', code: 5, argv: ['orders', 'get', 'ord_nosuch'], env },
    { what: 'none of several found', code: 5, argv: mixed, env },
    { what: 'a conflict', code: 6, argv: none, env },
    { what: 'a guard', code: 6, argv: guarded, env },
    { what: 'some of several', code: 7, argv: [...some, '--no-journal'], prints: true, env },
    {
      what: 'a list that is cut',
      code: 8,
      argv: [...list, '--limit', '1', '--fail-if-truncated'],
      prints: true,
      env,
    },
    {
      what: 'nobody there',
      code: 9,
      argv: list,
      env: { ...env, TRADEPOST_BASE_URL: 'http://127.0.0.1:1' },
    },
    { what: 'a web site', code: 1, argv: list, env: at(site) },
    { what: 'an answer that breaks off', code: 1, argv: list, env: at(broken) },
    { what: 'a service at its end', code: 1, argv: list, env: at(failing) },
    {
      what: 'Ctrl-C',
      code: 130,
      argv: ['orders', 'watch', '--since', '1h'],
      prints: true,
      env,
      run: interrupted,
    },
    {
      what: 'nobody reads',
      code: 0,
      argv: ['events', 'list', '--all'],
      prints: true,
      env,
      run: closed,
    },
  ];
}

it('whatever goes wrong, stdout is data alone and the exit code is one of those in the help', async () => {
  const seeded = await startSeededServer();
  onTestFinished(seeded.close);
  const help = (await runCli(['help', 'exit-codes'])).stdout;
  const known = [...help.matchAll(/^ +(\d+) {2}\S/gm)].map(([, code]) => Number(code));
  const all = await endings(seeded);
  expect(new Set(all.map(({ code }) => code))).toEqual(new Set(known));

  // Where nothing is printed there are two ways alone: with JSON asked for, and without.
  const runs = all.flatMap((ending) =>
    (ending.prints ? outputs : (['table', 'ndjson'] as const)).map((output) => ({
      ...ending,
      output,
    })),
  );
  const unlike: unknown[] = [];
  await runAll(runs, async ({ what, code, argv, env, output, run = runCli }) => {
    const exit = await run([...argv, '--output', output], env);
    if (exit.code !== code) unlike.push({ what, output, ...exit });
    // A list that has no end is printed object by object.
    expectPure(exit, what === 'Ctrl-C' && output === 'json' ? 'ndjson' : output);
  });
  expect(unlike).toEqual([]);
}, 300_000);
