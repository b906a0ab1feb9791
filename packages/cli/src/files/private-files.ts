import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isRecord } from '../errors/cli-error';
import { decodeText } from './decode-text';

/** Whether an error is a system error with that code, such as `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

export function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Reads a text file; null if there is none.
 *
 * @throws the system's error, and what `decodeText` throws
 */
export function readIfExists(file: string): string | null {
  try {
    return decodeText(readFileSync(file), file);
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}

/**
 * Creates a folder for its owner only (0700), with its parents. Node's own recursive `mkdir` loops for
 * ever on file systems that report ENOENT for every new entry, such as `/proc`, and then ignores signals.
 *
 * @throws the system's error
 */
export function createFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) createFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process created it first.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/**
 * Returns the file that a path leads to through symbolic links, whether or not it exists.
 *
 * @throws the system's error
 */
export function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const folder = followLinks(dirname(resolve(path)));
  const link = join(folder, basename(path));
  try {
    return followLinks(resolve(folder, readlinkSync(link)));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return link;
    throw error;
  }
}

/**
 * Writes a file atomically, readable by its owner only (0600), and creates its folder. A symbolic link stays: what it
 * leads to is replaced.
 *
 * @throws the system's error: the file is unchanged then
 */
export function writePrivateFile(path: string, text: string): void {
  createFolder(dirname(path));
  const file = followLinks(path);
  // No one can guess the name and put a link there; `wx` would not follow it either.
  const draft = `${file}.${randomUUID()}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
  } catch (error) {
    // It may contain a key.
    rmSync(draft, { force: true });
    throw error;
  }
}
