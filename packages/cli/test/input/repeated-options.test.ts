import { describe, expect, it } from 'vitest';
import { listParser } from '../../src/input/options';
import { commandPaths } from '../helpers/command-paths';
import { BareService } from '../helpers/minimal-service';
import { runCli } from '../helpers/run-cli';

/** Valid values, by placeholder of the help or by option. */
const values: Record<string, string> = {
  '--buyer': 'usr_1',
  '--listing': 'lst_1',
  '--order': 'ord_1',
  '--tools': 'whoami',
  'events list --type': 'order.created',
  'keys create --expires': '90d',
  '--seller': 'Anna',
  '--sort': 'createdAt',
  '--webhook': 'whk_1',
  '--event-id': 'evt_1',
  '--state': 'failed',
  '--type': 'order_created',
  '--profile': 'staging',
  '<class>': '5xx',
  '<duration>': '30s',
  '<expression>': '.',
  '<file>': 'a.txt',
  '<format>': 'json',
  '<hex>': '2f0c',
  '<key>': 'ticket-4711',
  '<mark>': 'tab',
  '<n>': '2',
  '<name>': 'Status',
  '<rate>': '5/s',
  '<seconds>': '5',
  '<status>': 'pending',
  '<style>': 'iso',
  '<text>': 'The buyer has paid.',
  '<time>': '1h',
  '<type>': 'order.created',
  '<url>': 'https://a.example',
  '<window>': '24h',
  '<command>': 'true',
};

/** Options that take several values. */
const repeatable = ['--events', '--header', '--fields'];
const repeatableOf = new Map([
  ['orders list', ['--status']],
  ['orders count', ['--status']],
  ['orders watch', ['--status']],
  ['webhooks verify', ['--secret-file']],
  ['webhooks probe', ['--secret-file']],
]);

/** The options with a value in the help of a command: their long names and their placeholders. */
async function listValueOptions(argv: string[]): Promise<[flag: string, placeholder: string][]> {
  const { stdout } = await runCli([...argv, '--help']);
  return Array.from(
    stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+) (<\w+>)/gm),
    ([, flag = '', placeholder = '']) => [flag, placeholder],
  );
}

describe('an option that is given twice', () => {
  it.each([[''], ...commandPaths.map((path) => [path])])(
    'is an error for each option of `%s` that takes one value',
    async (path) => {
      const names = path === '' ? [] : path.split(' ');
      for (const [flag, placeholder] of await listValueOptions(names)) {
        if ([...repeatable, ...(repeatableOf.get(path) ?? [])].includes(flag)) continue;
        const value = values[`${path} ${flag}`] ?? values[flag] ?? values[placeholder];
        expect(value, `a value for ${flag} ${placeholder}`).toBeDefined();
        const argv = [...(names.length > 0 ? names : ['orders', 'list'])];
        const results = [
          await runCli([...argv, flag, `${value}`, flag, `${value}`]),
          await runCli([...argv, `${flag}=${value}`, `${flag}=${value}`]),
        ];
        for (const { exitCode, stdout, stderr } of results) {
          expect({ flag, exitCode, stdout }).toEqual({ flag, exitCode: 2, stdout: '' });
          expect(stderr).toContain(`${flag} ${placeholder}' is given twice`);
        }
      }
    },
  );

  it('names the option, says where its help is, and sends nothing', async () => {
    const service = await BareService.start();
    const argv = ['orders', 'list', '--since', '2d', '--since', '1d'];
    expect(await service.cli(argv)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        "error: Option '--since <time>' is given twice\nhint: See `tradepost orders list --help`.\n",
    });
    expect(service.seen).toEqual([]);
  });

  it('is found before and after the command', async () => {
    const argv = ['--profile', 'live', 'orders', 'list', '--profile=staging'];
    const { exitCode, stderr } = await runCli(argv);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Option '--profile <name>' is given twice");
  });

  it('is a usage error in JSON', async () => {
    const argv = ['orders', 'list', '--limit', '1', '--limit', '2', '--output', 'json'];
    const { exitCode, stderr } = await runCli(argv);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'usage',
      message: "Option '--limit <n>' is given twice",
    });
  });

  it('is an error together with its negation, in either order', async () => {
    const flags = [['--journal', 'a.ndjson'], ['--no-journal']];
    for (const order of [flags, flags.toReversed()]) {
      const argv = ['orders', 'set-status', 'ord_1', 'confirmed', ...order.flat()];
      const { exitCode, stderr } = await runCli(argv);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^error: Option '--.*journal.*' cannot be used with '--.*journal/);
    }
  });

  it('is harmless if it is a flag', async () => {
    const service = await BareService.start();
    const argv = ['orders', 'list', '--all', '--all', '--fail-if-truncated', '--fail-if-truncated'];
    expect(await service.cli(argv)).toMatchObject({ exitCode: 0, stderr: 'No orders found.\n' });
  });
});

describe('an option that takes several values', () => {
  it('has those of all its occurrences, each once', async () => {
    const service = await BareService.start();
    const events = ['--events', 'order.created,task.completed', '--events=order.status_changed'];
    const argv = ['webhooks', 'register', '--url', 'https://a.example', ...events];
    const again = ['--events', 'order.created'];
    expect(await service.cli([...argv, ...again])).toMatchObject({ exitCode: 0 });
    expect(service.seen[0]?.body).toMatchObject({
      events: ['order.created', 'task.completed', 'order.status_changed'],
    });
  });

  it('has the fields of all --fields', async () => {
    const argv = ['doctor', '--fields', 'ok', '--fields', 'check', '--jq', '.[0]'];
    const { stdout } = await runCli(argv);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['ok', 'check']);
  });

  it('rejects an unknown name in any of them', () => {
    const parse = listParser(['pending', 'confirmed'], 'status');
    expect(parse('pending', parse('confirmed'))).toEqual(['confirmed', 'pending']);
    expect(() => parse('open', ['pending'])).toThrow('Use: pending, confirmed.');
    expect(() => parse('pending,open')).toThrow("Invalid status 'open'. Use: pending, confirmed.");
  });
});
