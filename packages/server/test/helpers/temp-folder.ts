import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder of one's own, with what removes it. */
export function makeTempFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'tradepost-server-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The path of a file in a folder that lasts as long as the running test. */
export function tempFile(name = 'tradepost.db'): string {
  const folder = makeTempFolder();
  onTestFinished(folder.remove);
  return join(folder.path, name);
}
