import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder. The caller removes it. */
export function makeTempFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'tradepost-server-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Returns the path of a file in a folder that is removed with the running test. */
export function tempFile(name = 'tradepost.db'): string {
  const folder = makeTempFolder();
  onTestFinished(folder.remove);
  return join(folder.path, name);
}
