import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from './has-code';

/**
 * Makes a folder for its owner alone (0700), and those above it that there are not. Node's own way to do
 * that goes round for ever where a file system answers that there is no such place, as that of `/proc`
 * does, and then not even a signal ends the process.
 *
 * @throws the system's error
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was first.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}
