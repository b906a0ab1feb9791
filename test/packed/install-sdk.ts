import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { checkout } from '../helpers/programs';
import { temporaryFolder } from '../helpers/temporary-folder';
import { runPnpm } from './run-pnpm';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of a project, outside of this checkout, with the packed SDK. */
    consumer: string;
  }
}

const require = createRequire(import.meta.url);

/**
 * Packs the SDK and installs the tarball into an empty project, once for all tests that use
 * `consumer`. The project also has the dependencies of the SDK and the types of Node.
 */
export default async function installSdk(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  try {
    const tarball = join(folder.path, 'sdk.tgz');
    const consumer = join(folder.path, 'consumer');
    await runPnpm(`pack --out "${tarball}"`, join(checkout, 'packages/sdk'));
    await mkdir(consumer);
    const manifest = {
      private: true,
      dependencies: { '@tradepost/sdk': `file:${tarball}` },
      devDependencies: { '@types/node': require('@types/node/package.json').version },
    };
    await writeFile(join(consumer, 'package.json'), JSON.stringify(manifest));
    await runPnpm('install --prefer-offline --ignore-workspace', consumer);
    project.provide('consumer', consumer);
  } catch (error) {
    await folder.remove();
    throw error;
  }
  return folder.remove;
}
