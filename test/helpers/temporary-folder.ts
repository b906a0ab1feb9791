import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test. */
export interface TemporaryFolder {
  path: string;
  /** Removes the folder with everything in it. */
  remove(): Promise<void>;
}

/** Creates an empty folder. Remove it when the test ends: `onTestFinished(folder.remove)`. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tradepost-test-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
