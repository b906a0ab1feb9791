import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { CliError, type CliErrorCode } from '../cli-error';
import { findStats } from '../files/find-stats';
import { messageOf } from '../message-of';
import { type Plan, planKind, type ResultFile } from './result-file';

/** @throws {CliError} `file_refused` when there is something already. */
export function refuseToOverwrite(path: string): void {
  const found = findStats(path);
  if (found === null) return;
  if (!found.isFile()) {
    throw new CliError(
      'file_refused',
      `${path} is no file that results can be written down in`,
      'Nothing was changed. Name a new file with --result-file.',
    );
  }
  throw new CliError(
    'file_refused',
    `the result file ${path} is there already`,
    'Nothing was changed. Go on with it by `--resume`, or name another with --result-file.',
  );
}

/**
 * Makes a result file with its plan, on the disk before anything is changed. It is newline-delimited
 * JSON, for its owner's eyes alone.
 *
 * @throws {CliError} `file_refused` when it is there already or cannot be made, `file_failed` when it
 * cannot be written: then there is none.
 */
export function createResultFile(path: string, plan: Plan, now: number): ResultFile {
  const { ids, ...rest } = plan;
  const createdAt = new Date(now).toISOString();
  const first = { kind: planKind, version: 1, createdAt, total: ids.length, ...rest };
  refuseToOverwrite(path);
  const file = opened(path, 'wx');
  try {
    file.write([first, ...ids.map((id) => ({ kind: 'order', id }))]);
    file.sync();
  } catch (error) {
    // Of a part of a plan nobody has any use.
    rmSync(path, { force: true });
    throw error;
  }
  return writable(path, file);
}

/**
 * Opens a result file to go on with it.
 *
 * @param cutOff whether its last line was cut off, as `readResultFile` tells
 * @throws {CliError} `file_refused` when it cannot be opened, `file_failed` when it cannot be written
 */
export function continueResultFile(path: string, cutOff: boolean): ResultFile {
  const file = opened(path, 'a');
  if (cutOff) file.endLine();
  return writable(path, file);
}

function writable(path: string, file: ReturnType<typeof opened>): ResultFile {
  return {
    path,
    begin: (id) => file.write([{ kind: 'begun', id }]),
    end: (outcome) => file.write([{ kind: 'outcome', ...outcome }]),
    close() {
      file.sync();
      file.close();
    },
  };
}

function opened(path: string, flags: 'wx' | 'a') {
  function attempt<Result>(act: () => Result, code: CliErrorCode = 'file_failed'): Result {
    try {
      return act();
    } catch (error) {
      throw new CliError(
        code,
        `the result file cannot be written: ${messageOf(error)}`,
        'Nothing was changed. Name a file in another place with --result-file.',
      );
    }
  }
  const descriptor = attempt(() => openSync(path, flags, 0o600), 'file_refused');
  return {
    write: (entries: readonly object[]) => {
      const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      attempt(() => writeWhole(descriptor, Buffer.from(text)));
    },
    endLine: () => attempt(() => writeWhole(descriptor, Buffer.from('\n'))),
    sync: () => attempt(() => fsyncSync(descriptor)),
    close: () => closeSync(descriptor),
  };
}

/** A nearly full disk takes a part first, and fails then. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(descriptor, bytes, written);
  }
}
