import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { makeFolder } from './make-folder';

/**
 * Writes a file for its owner's eyes alone (0600), and its folder where there is none. Whatever
 * happens, and whoever reads it meanwhile, it has what it had or what it is to have, whole.
 *
 * @throws the system's error: the file is unchanged then
 */
export function writePrivateFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  makeFolder(dirname(file));
  try {
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      // A draft that a killed process left behind keeps the mode that it had.
      fchmodSync(descriptor, 0o600);
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    // It may have a key in it.
    rmSync(draft, { force: true });
    throw error;
  }
}
