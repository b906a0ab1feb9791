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
    /** The prefix, outside of this checkout, that has the CLI as it is published. */
    cliPrefix: string;
  }
}

/**
 * Packs the CLI and installs the tarball as its users do, once for all tests that ask for
 * `cliPrefix`. Without a network and with an empty cache: whatever it needed besides would be missing.
 */
export default async function installCli(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  try {
    const tarball = join(folder.path, 'cli.tgz');
    const prefix = join(folder.path, 'prefix');
    const noSettings = join(folder.path, 'npmrc');
    await writeFile(noSettings, '');
    await runPnpm(`pack --out "${tarball}"`, join(checkout, 'packages/cli'));
    const cache = `--cache "${join(folder.path, 'cache')}" --userconfig "${noSettings}"`;
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
