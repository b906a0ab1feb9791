import { join } from 'node:path';
import process from 'node:process';
import type { TestProject } from 'vitest/node';
import { checkout } from '../helpers/programs';
import { runProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';

/** The path below which the tests publish the site, as GitHub Pages would. */
export const base = '/tradepost/';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the documentation site, built for the path `/tradepost/`. */
    site: string;
  }
}

/** Builds the documentation site, once for all tests. */
export default async function buildSite(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const build = ['--import', 'tsx', 'site/main.ts', 'build', '--base', base, '--out', folder.path];
  const { code, stdout, stderr } = await runProcess(process.execPath, build, {
    cwd: join(checkout),
  });
  if (code !== 0) {
    await folder.remove();
    throw new Error(`The site could not be built:\n${stdout}${stderr}`);
  }
  project.provide('site', folder.path);
  return folder.remove;
}
