import { exec } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../helpers/clean-environment';
import { checkout } from '../helpers/programs';

/** Runs the version of pnpm that package.json pins, with more variables. An error has its output. */
export async function runPnpm(
  command: string,
  cwd: string,
  env: Record<string, string> = {},
): Promise<void> {
  const workspace = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  // In a shell, since npx is a script on Windows.
  const line = `npx --yes --prefer-offline ${workspace.packageManager} ${command}`;
  try {
    await promisify(exec)(line, { cwd, env: cleanEnvironment(env) });
  } catch (error) {
    // pnpm writes its errors to stdout, which the message lacks.
    const { message, stdout } = error as Error & { stdout: string };
    throw new Error(`${message}\n${stdout}`, { cause: error });
  }
}
