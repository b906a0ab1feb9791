import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { attempt, CliError } from '../../../errors/cli-error';

/** @throws {CliError} `file_unusable` if there is a file */
export function assertNewFile(path: string): void {
  if (!existsSync(path)) return;
  throw new CliError(
    'file_unusable',
    `${path} exists`,
    'Nothing was written. Name a new file, or delete this one first.',
  );
}

/**
 * Creates a file with the bytes of a body, and nothing after them.
 *
 * @returns what was written, as a sentence
 * @throws {CliError} `file_unusable` if it cannot be written
 */
export function saveBody(path: string, body: string): string {
  const bytes = Buffer.from(body);
  attempt(
    () => write(path, bytes),
    'file_unusable',
    'Cannot write the body',
    'Name a file in a folder that you can write to.',
  );
  const digest = createHash('sha256').update(bytes).digest('hex');
  return `Wrote the signed body to ${path}: ${bytes.length} bytes, SHA-256 ${digest}.`;
}

/** Writes a new file. No part of it remains if that fails. */
function write(path: string, bytes: Buffer): void {
  const file = openSync(path, 'wx');
  try {
    writeFileSync(file, bytes);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
