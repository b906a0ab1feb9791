import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { type Exit, runProcess } from '../../../test/helpers/start-process';
import { temporaryFolder } from '../../../test/helpers/temporary-folder';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let cwd: string;

beforeEach(async () => {
  const folder = await temporaryFolder();
  cwd = folder.path;
  return folder.remove;
});

/** Runs the program without a terminal. */
function create(args: string[], env: Record<string, string> = {}): Promise<Exit> {
  const node = ['--import', import.meta.resolve('tsx'), main];
  return runProcess(process.execPath, [...node, ...args], { cwd, env });
}

test.each([
  ['no host', [], 'error: choose a host with --template: express, next, worker.'],
  ['an unknown host', ['--template', 'koa'], 'Allowed choices are express, next, worker.'],
  ['an unknown option', ['--typescript'], "error: unknown option '--typescript'"],
  ['two folders', ['a', 'b', '--template', 'next'], 'error: too many arguments.'],
  ['an empty folder name', ['', '--template', 'next'], 'Name a folder, or leave it out.'],
])('%s is a wrong option, and nothing is written', async (_, args, message) => {
  const { code, stdout, stderr } = await create(args);
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/\n\(see --help\)\n$/);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(readdirSync(cwd)).toEqual([]);
});

test('a folder that is not empty is refused before the host is asked for', async () => {
  writeFileSync(join(cwd, 'notes.txt'), 'mine');
  const { code, stdout, stderr } = await create(['.']);
  expect(stderr).toMatch(/^error: \. is not empty: it has notes\.txt\./);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(readdirSync(cwd)).toEqual(['notes.txt']);
});

test.each([
  ['npm', 'npm test '],
  ['pnpm', 'pnpm test '],
  ['yarn', 'yarn test '],
  // `bun test` runs a test runner of its own.
  ['bun', 'bun run test '],
])('the next steps are those of %s', async (name, command) => {
  const { code, stdout, stderr } = await create(['my receiver', '--template', 'express'], {
    npm_config_user_agent: `${name}/10.0.0 node/v20.19.0`,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ {2}cd (['"])my receiver\1$/m);
  expect(stdout).toContain(`  ${name} install\n`);
  expect(stdout).toContain(`  ${command}`);
  expect(readdirSync(join(cwd, 'my receiver'))).toContain('package.json');
});

test('help is no error', async () => {
  const { code, stdout, stderr } = await create(['--help']);
  expect(stdout).toMatch(/^Usage: create-tradepost \[options\] \[folder\]/);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
