import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { CliError, getErrorMessage } from '../../../errors/cli-error';
import { hasCode } from '../../../files/private-files';

/** @throws {CliError} `file_unusable` if there is a file */
export function assertNewFile(path: string): void {
  if (existsSync(path)) throw fileExistsError(path);
}

/**
 * Creates a file with the bytes of a body, and nothing after them.
 *
 * @returns what was written, as a sentence
 * @throws {CliError} `file_unusable` if the file exists or cannot be created, `file_failed` if it cannot be
 * written: no part of it remains
 */
export function saveBody(path: string, body: string): string {
  const bytes = Buffer.from(body);
  const file = createFile(path);
  try {
    writeFileSync(file, bytes);
    closeSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    throw new CliError(
      'file_failed',
      `Cannot write the body to ${path}: ${getErrorMessage(error)}`,
    );
  }
  const digest = createHash('sha256').update(bytes).digest('hex');
  return `Wrote the signed body to ${path}: ${bytes.length} bytes, SHA-256 ${digest}.`;
}

function createFile(path: string): number {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw fileExistsError(path);
    throw new CliError(
      'file_unusable',
      `Cannot create the file for the body: ${getErrorMessage(error)}`,
      'Name a file in a folder that you can write to.',
    );
  }
}

function fileExistsError(path: string): CliError {
  return new CliError(
    'file_unusable',
    `${path} exists`,
    'Nothing was written. Name a new file, or delete this one first.',
  );
}
