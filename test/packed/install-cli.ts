import { exec } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { cleanEnvironment } from '../helpers/clean-environment';
import { checkout } from '../helpers/programs';
import { temporaryFolder } from '../helpers/temporary-folder';
import { runPnpm } from './run-pnpm';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The npm prefix, outside of this checkout, with the packed CLI. */
    cliPrefix: string;
  }
}

/**
 * Packs the CLI and installs the tarball as its users do, once for all tests that use
 * `cliPrefix`. It runs offline with an empty cache, so any other package that it needed would be missing.
 */
export default async function installCli(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  try {
    const tarball = join(folder.path, 'cli.tgz');
    const prefix = join(folder.path, 'prefix');
    const emptyConfig = join(folder.path, 'npmrc');
    await writeFile(emptyConfig, '');
    await runPnpm(`pack --out "${tarball}"`, join(checkout, 'packages/cli'));
    const cache = `--cache "${join(folder.path, 'cache')}" --userconfig "${emptyConfig}"`;
    // In a shell, since npm is a script on Windows.
    const line = `npm install --global --prefix "${prefix}" "${tarball}" --offline ${cache}`;
    await promisify(exec)(line, { cwd: folder.path, env: cleanEnvironment({}) });
    project.provide('cliPrefix', prefix);
  } catch (error) {
    await folder.remove();
    throw error;
  }
  return folder.remove;
}
