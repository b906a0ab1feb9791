import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { CliError } from '../cli-error';
import { hasCode } from '../files/has-code';
import { messageOf } from '../message-of';

/** A file that waits for a secret. */
export interface NewSecretFile {
  /** Where it is. */
  path: string;
  /** Writes the secret, on a line, to the disk. Where that fails the file is removed. @throws {CliError} `file_failed` */
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
 * @throws {CliError} `file_refused` when it is there already or cannot be made.
 */
export function newSecretFile(path: string): NewSecretFile {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'wx', 0o600);
  } catch (error) {
    const isThere = hasCode(error, 'EEXIST');
    throw new CliError(
      'file_refused',
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
        writeFileSync(descriptor, `${secret}\n`);
        // It is told once: a machine that loses its power must not lose it.
        fsyncSync(descriptor);
        closeSync(descriptor);
      } catch (error) {
        // Half a secret is none.
        rmSync(path, { force: true });
        throw new CliError(
          'file_failed',
          `the secret could not be written to ${path}: ${messageOf(error)}`,
        );
      }
    },
    discard() {
      closeSync(descriptor);
      rmSync(path, { force: true });
    },
  };
}
