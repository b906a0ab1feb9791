import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json';
import { runCli } from './setting/run-cli';

describe('help', () => {
  it('has usage, options, commands, examples, environment and exit codes', async () => {
    const { exitCode, stdout, stderr } = await runCli(['--help']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.match(/^[A-Z ]+(?=:)/gm)).toEqual([
      'USAGE',
      'OPTIONS',
      'ORDERS',
      'WEBHOOKS',
      'MORE',
      'EXAMPLES',
      'ENVIRONMENT',
      'EXIT CODES',
    ]);
  });

  it.each([
    'orders list',
    'orders get',
    'orders set-status',
    'notifications list',
    'notifications read',
    'webhooks register',
  ])('of `%s` has examples and the shape of its JSON, asked for either way', async (path) => {
    const names = path.split(' ');
    const asked = await runCli([...names, '--help']);
    expect(asked).toMatchObject({ exitCode: 0, stderr: '' });
    expect(asked.stdout).toContain(`USAGE: tradepost ${path} `);
    expect(asked.stdout).toContain(`EXAMPLES:\n  $ tradepost ${names[0]} `);
    expect(asked.stdout).toMatch(/OUTPUT:\n {2}json: .*\{ id, /);
    expect(await runCli(['help', ...names])).toEqual(asked);
  });

  it('lists the exit codes', async () => {
    const { exitCode, stdout } = await runCli(['help', 'exit-codes']);
    expect(exitCode).toBe(0);
    expect(Array.from(stdout.matchAll(/^ +(\d+) {2}\S/gm), ([, code]) => Number(code))).toEqual([
      0, 1, 2, 4, 5, 6, 7, 8, 9, 130,
    ]);
  });

  it('and the README say the same of the exit codes', async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    const { stdout } = await runCli(['help', 'exit-codes']);
    const rows = Array.from(stdout.matchAll(/^ +(\d+) {2}(.*)$/gm), ([, code, meaning]) => {
      return `| ${code} | ${meaning} |`;
    });
    expect(readme.replaceAll(/ +\|/g, ' |')).toContain(`\n${rows.join('\n')}\n\n`);
  });

  it('has colours on a terminal that has them, and none elsewhere', async () => {
    const coloured = await runCli(['--help'], { screen: { columns: 80, colours: true } });
    const plain = await runCli(['--help'], { screen: { columns: 80 } });
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
