import { exec } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../helpers/clean-environment';
import { checkout } from '../helpers/programs';

/** The folder of pnpm. The workers of Vitest inherit it from a global setup: npx takes longer than most commands of pnpm. */
const variable = 'FOLDER_OF_PINNED_PNPM';

/** Returns the folder with the version of pnpm that package.json pins. The first call downloads it if it is not there. */
async function findPnpm(): Promise<string> {
  const known = process.env[variable];
  if (known !== undefined) return known;
  const workspace = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  // In a shell, since npx is a script on Windows.
  const line = `npx --yes --prefer-offline --package ${workspace.packageManager} -c "node -p process.env.PATH"`;
  const { stdout } = await promisify(exec)(line, { cwd: checkout, env: cleanEnvironment({}) });
  const folder = stdout
    .trim()
    .split(delimiter)
    .find((path) => ['pnpm', 'pnpm.cmd'].some((file) => existsSync(join(path, file))));
  if (folder === undefined) throw new Error(`npx has no pnpm on its PATH: ${stdout}`);
  process.env[variable] = folder;
  return folder;
}

/** Runs the version of pnpm that package.json pins, with more variables. An error has its output. */
export async function runPnpm(
  command: string,
  cwd: string,
  env: Record<string, string> = {},
): Promise<void> {
  const line = `"${join(await findPnpm(), 'pnpm')}" ${command}`;
  try {
    await promisify(exec)(line, { cwd, env: cleanEnvironment(env) });
  } catch (error) {
    // pnpm writes its errors to stdout, which the message lacks.
    const { message, stdout } = error as Error & { stdout: string };
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
}
