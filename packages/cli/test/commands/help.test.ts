import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json';
import { commandPaths } from '../helpers/command-paths';
import { runCli } from '../helpers/run-cli';

describe('help', () => {
  it('has usage, options, commands, examples, environment and exit codes', async () => {
    const { exitCode, stdout, stderr } = await runCli(['--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.match(/^[A-Z ]+(?=:)/gm)).toEqual([
      'USAGE',
      'OPTIONS',
      'ORDERS',
      'WEBHOOKS',
      'ACCOUNT AND SETTINGS',
      'MORE',
      'EXAMPLES',
      'ENVIRONMENT',
      'MORE HELP',
    ]);
  });

  it.each(commandPaths)(
    'of `%s` has examples that are its own, asked for either way',
    async (path) => {
      const names = path.split(' ');
      const asked = await runCli([...names, '--help']);
      expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
      expect(asked.stdout).toMatch(new RegExp(`^USAGE: tradepost ${path}\\b`));
      const examples = /^EXAMPLES:\n((?: {2}.*\n)+)/m.exec(asked.stdout)?.[1] ?? '';
      expect(examples).toMatch(new RegExp(`\\btradepost ${path}\\b`));
      expect(await runCli(['help', ...names])).toEqual(asked);
    },
  );

  it.each(commandPaths.filter((path) => !['api', 'mcp', 'help', 'completion'].includes(path)))(
    'of `%s` has the shape of its JSON',
    async (path) => {
      const { stdout } = await runCli([...path.split(' '), '--help']);
      expect(stdout).toMatch(/^OUTPUT:\n {2}json\b.*\{ \w+,/m);
    },
  );

  it.each([...commandPaths, 'orders', 'notifications', 'webhooks', 'events', 'profiles', 'keys'])(
    'of `%s` has a pointer to the global options, and none of them',
    async (path) => {
      const { stdout } = await runCli([...path.split(' '), '--help']);
      expect(stdout.match(/^Global options: see `tradepost --help`\.$/gm)).toHaveLength(1);
      expect(stdout).not.toMatch(
        /^ {2}(-\w, )?--(output|json|fields|jq|profile|base-url|debug)\b.* {2}/m,
      );
    },
  );

  it.each([
    ['foo --help', "Unknown command 'foo'", 'See `tradepost --help`.'],
    ['oders -h', "Unknown command 'oders'", 'Did you mean orders? See `tradepost --help`.'],
    ['orders foo --help', "Unknown command 'foo'", 'See `tradepost orders --help`.'],
    [
      'set-status --help',
      "Unknown command 'set-status'",
      'Did you mean `tradepost orders set-status`? See `tradepost --help`.',
    ],
  ])('of an unknown command is an error: `%s`', async (line, message, hint) => {
    const result = await runCli(line.split(' '));
    expect(result).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `error: ${message}\nhint: ${hint}\n`,
    });
    const [unknown] = line.split(/ --?h/);
    expect(await runCli(unknown?.split(' ') ?? [])).toEqual(result);
  });

  it('lists the exit codes', async () => {
    const { exitCode, stdout } = await runCli(['help', 'exit-codes']);
    expect(exitCode).toBe(0);
    expect(Array.from(stdout.matchAll(/^ +(\d+) {2}\S/gm), ([, code]) => Number(code))).toEqual([
      0, 1, 2, 4, 5, 6, 7, 8, 9, 130,
    ]);
  });

  it('lists the same exit codes as the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const { stdout } = await runCli(['help', 'exit-codes']);
    const rows = Array.from(stdout.matchAll(/^ +(\d+) {2}(.*)$/gm), ([, code, meaning]) => {
      return `| ${code} | ${meaning} |`;
    });
    expect(readme.replaceAll(/ +\|/g, ' |')).toContain(`\n${rows.join('\n')}\n\n`);
  });

  it('has colours only on a terminal that supports them', async () => {
    const coloured = await runCli(['--help'], { screen: { columns: 300, colours: true } });
    const plain = await runCli(['--help'], { screen: { columns: 300 } });
    expect(coloured.stdout).toContain('\u001b[1mEXAMPLES:\u001b[22m');
    expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout);
    expect((await runCli(['--help'])).stdout).toBe(plain.stdout);
  });
});

describe('--version', () => {
  it("prints the package's version and nothing else", async () => {
    expect(await runCli(['--version'])).toEqual({
      exitCode: 0,
      stdout: `${manifest.version}\n`,
      stderr: '',
    });
  });
});
