import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { checkout } from '../../helpers/programs';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { runPnpm } from '../../packed/run-pnpm';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The tarball of the packed SDK, outside of this checkout. */
    sdkTarball: string;
  }
}

/** Vitest's global setup: packs the SDK once for all environments. */
export default async function packSdk(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  try {
    const tarball = join(folder.path, 'sdk.tgz');
    await runPnpm(`pack --out "${tarball}"`, join(checkout, 'packages/sdk'));
    project.provide('sdkTarball', tarball);
  } catch (error) {
    await folder.remove();
    throw error;
  }
  return folder.remove;
}
