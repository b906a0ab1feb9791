import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of a test's own. */
export interface TemporaryFolder {
  path: string;
  /** Removes it with all that is in it. */
  remove(): Promise<void>;
}

/** Makes an empty folder. Remove it in the end: `onTestFinished(folder.remove)`. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'tradepost-story-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
