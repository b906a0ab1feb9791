import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { checkout } from '../helpers/programs';
import { runProcess } from '../helpers/start-process';
import { temporaryFolder } from '../helpers/temporary-folder';
import { runPnpm } from './run-pnpm';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder, outside of this checkout, with the contents of each packed package: `contract`, `sdk`, `cli`, `server`, `create`. */
    packedPackages: string;
  }
}

/** The folders of the published packages. */
export const packageFolders = ['contract', 'sdk', 'cli', 'server', 'create', 'conformance'];

/** Packs all packages as `pnpm publish` does, and unpacks the tarballs, once for all tests that use `packedPackages`. */
export default async function packPackages(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  try {
    await runPnpm(`--filter "./packages/*" pack --pack-destination "${folder.path}"`, checkout);
    for (const tarball of await readdir(folder.path)) {
      const [, name = ''] = /^(?:tradepost-(?=\w+-\d)|(?=create-))(\w+)-/.exec(tarball) ?? [];
      const cwd = join(folder.path, name);
      await mkdir(cwd);
      const options = ['-xzf', join('..', tarball), '--strip-components', '1'];
      const { code, stderr } = await runProcess('tar', options, { cwd });
      if (code !== 0) throw new Error(`tar cannot unpack ${tarball}: ${stderr}`);
    }
    project.provide('packedPackages', folder.path);
  } catch (error) {
    await folder.remove();
    throw error;
  }
  return folder.remove;
}
