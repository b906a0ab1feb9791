import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { verboseOption, yesOption } from '../../src/input/options';
import { commandPaths } from '../helpers/command-paths';
import { startPendingOrders } from '../helpers/pending-orders';
import { runCli } from '../helpers/run-cli';

describe('a short option', () => {
  it('is the same as its long form', async () => {
    const { service } = await startPendingOrders(2);
    const list = (...argv: string[]) => service.cli(['orders', 'list', ...argv]);
    const json = await list('--output', 'json');
    expect(JSON.parse(json.stdout)).toHaveLength(2);
    for (const argv of [['-o', 'json'], ['--json'], ['--json', '--json']]) {
      expect(await list(...argv)).toEqual(json);
    }
    const ids = await list('--jq', '.[].id');
    expect(ids.stdout).toBe('ord_1\nord_2\n');
    for (const argv of [['-q', '.[].id'], ['-q.[].id'], ['--json', '-q', '.[].id']]) {
      expect(await list(...argv)).toEqual(ids);
    }
  });

  it('confirms as --yes does', async () => {
    const { service, ids, env } = await startPendingOrders(2);
    const { exitCode } = await service.cli(['orders', 'set-status', ...ids, 'confirmed', '-y'], {
      env,
    });
    expect(exitCode).toBe(0);
    expect(service.orders.map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
  });

  it('is an error if it is given twice, also as its long form', async () => {
    for (const argv of [
      ['-o', 'json', '-o', 'csv'],
      ['-o', 'json', '--output=json'],
      ['-q', '.', '--jq', '.'],
    ]) {
      const { exitCode, stderr } = await runCli(['orders', 'list', ...argv]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`is given twice`);
    }
  });

  it.each(commandPaths)('of `%s` is the one for --yes, if it has that option', async (path) => {
    const { stdout } = await runCli([...path.split(' '), '--help']);
    const [line] = /^ .*--yes\b.*$/m.exec(stdout) ?? [];
    const asks =
      /set-status|replay|retry|delete|revoke|rotate-secret|notifications read|webhooks probe/.test(
        path,
      );
    expect(line?.replace(/ {2,}/g, ' ').trim()).toBe(asks ? yesOption.join(' ') : undefined);
  });

  it('is -v for --verbose', () => {
    const command = new Command().option(...verboseOption);
    expect(command.parse(['-v'], { from: 'user' }).opts()).toEqual({ verbose: true });
    expect(command.parse(['--verbose'], { from: 'user' }).opts()).toEqual({ verbose: true });
  });
});

describe('--json', () => {
  it('contradicts another format, in either order', async () => {
    for (const argv of [
      ['--json', '--output', 'csv'],
      ['-o', 'csv', '--json'],
      ['--json', '-o', 'ndjson'],
      ['--output=table', '--json'],
    ]) {
      const { exitCode, stdout, stderr } = await runCli(['orders', 'list', ...argv]);
      expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 2, stdout: '' });
      expect(stderr).toMatch(/'--json'.* cannot be used with|cannot be used with '--json'/);
    }
  });

  it('agrees with --output json, and makes errors JSON', async () => {
    for (const argv of [['--json'], ['--json', '--output', 'json'], ['-o', 'json', '--json']]) {
      const { exitCode, stderr } = await runCli(['orders', 'get', 'x', ...argv]);
      expect(exitCode).toBe(2);
      expect(JSON.parse(stderr).error.code).toBe('usage');
    }
  });
});
