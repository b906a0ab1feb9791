import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { CliError } from '../cli-error';
import { messageOf } from '../message-of';

/** A file that waits for a secret. */
export interface NewSecretFile {
  /** Where it is. */
  path: string;
  /** Writes the secret, on a line. @throws {CliError} `file_failed` */
  keep(secret: string): void;
  /** Removes it: there will be no secret. */
  discard(): void;
}

/** The option that has a secret written to a file. */
export function newSecretFileOption(command: Command): Option {
  return command.createOption(
    '--secret-file <file>',
    'write the secret to this new file (mode 0600) and do not print it',
  );
}

/**
 * Makes a file for a secret, for its owner's eyes alone (0600). It is made before the secret is: one
 * that is told once must have where to go.
 *
 * @throws {CliError} `file_failed` when it is there already or cannot be made.
 */
export function newSecretFile(path: string): NewSecretFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CliError(
      'file_failed',
      isThere
        ? `${path} is there already`
        : `the file for the secret cannot be made: ${messageOf(error)}`,
      isThere
        ? 'Nothing was sent. Name a new file: a secret may be in this one.'
        : 'Nothing was sent. Name a file in a folder that you may write to.',
    );
  }
  return {
    path,
    keep(secret) {
      try {
        writeSync(descriptor, `${secret}\n`);
        closeSync(descriptor);
      } catch (error) {
        throw new CliError(
          'file_failed',
          `the secret could not be written to ${path}: ${messageOf(error)}`,
          'It was printed on stdout instead, and is not shown again.',
        );
      }
    },
    discard() {
      closeSync(descriptor);
      rmSync(path, { force: true });
    },
  };
}
