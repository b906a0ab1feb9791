import {
  appendFileSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
} from 'node:fs';
import process from 'node:process';
import { version } from '../../package.json';
import { CliError } from '../cli-error';
import { describeError } from '../error-report';
import { exitCodeOf } from '../exit-codes';
import { findStats } from '../files/find-stats';
import { messageOf } from '../message-of';
import { note } from '../output/note';
import type { Terminal } from '../terminal';
import { redactorOf } from './redact';

/** The first line of a record. */
const recordStart = /^\{"at":"[^"]+","kind":"command",/;

/** Command lines whose record could not be written to its end: that is told once. */
const incomplete = new WeakSet<Terminal>();

/**
 * Begins the record for `--debug`: a file with one JSON object a line, of which the first says what
 * was asked for. Keys and secrets are not in it.
 *
 * @param file is made, for its owner's eyes alone; one that is there is written over if it is a record
 * @param argv the arguments alone, without the program
 * @returns what adds the last line: how the command ended
 * @throws {CliError} `file_refused` when the file cannot be made, or is of something else.
 */
export function beginRecord(
  file: string,
  argv: readonly string[],
  terminal: Terminal,
): (error?: unknown) => void {
  const startedAt = terminal.now();
  try {
    makeAnew(file);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(
      'file_refused',
      `the record for --debug cannot be written: ${messageOf(error)}`,
      'Nothing was sent. Name a file in a folder that you may write to.',
    );
  }
  const write = recordWriter(file, terminal.env.TRADEPOST_API_KEY?.trim() || null, terminal);
  const { platform, arch, version: node } = process;
  write({ kind: 'command', argv, tradepost: version, node, platform, arch });
  return (error) => {
    const durationMs = terminal.now() - startedAt;
    if (error === undefined) write({ kind: 'end', exitCode: 0, durationMs });
    else write({ kind: 'end', exitCode: exitCodeOf(error), durationMs, error: told(error) });
  };
}

/** Makes a file, or empties an earlier record, and makes it its owner's alone before anything is in it. */
function makeAnew(file: string): void {
  const descriptor = openOrMake(file);
  try {
    // A device keeps its mode, and has nothing to lose.
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return;
    if (stats.size > 0 && !isRecord(descriptor)) {
      throw new CliError(
        'file_refused',
        `${file} is there already and is no record of --debug: it is left as it is`,
        'Nothing was sent. Name a new file.',
      );
    }
    fchmodSync(descriptor, 0o600);
    ftruncateSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openOrMake(file: string): number {
  try {
    // Not emptied by that: what is in it may be of something else.
    return openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    // What can be written to alone, such as the stderr of another user's terminal.
    if (findStats(file)?.isFile() ?? true) throw error;
    return openSync(file, 'a');
  }
}

/** Whether a file begins as a record does. */
function isRecord(descriptor: number): boolean {
  const start = Buffer.alloc(64);
  const length = readSync(descriptor, start, 0, start.length, 0);
  return recordStart.test(start.toString('utf8', 0, length));
}

/**
 * Makes what adds lines to the record. A line that cannot be written, to a full disk perhaps, is
 * told once on stderr and changes nothing else: what the command does matters more.
 *
 * @param apiKey is kept out of every line; null when none is known
 */
export function recordWriter(
  file: string,
  apiKey: string | null,
  terminal: Terminal,
): (entry: Record<string, unknown>) => void {
  const redact = redactorOf(apiKey);
  return (entry) => {
    if (incomplete.has(terminal)) return;
    try {
      const line = redact({ at: new Date(terminal.now()).toISOString(), ...entry });
      appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch (error) {
      incomplete.add(terminal);
      note(terminal, `The record for --debug is not complete: ${reasonOf(error)}.`);
    }
  };
}

/** The error with what lies underneath: `fetch failed` alone tells nothing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const told = error.message || ('code' in error ? String(error.code) : error.name);
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return cause === undefined ? told : `${told}: ${reasonOf(cause)}`;
}

function told(error: unknown): Record<string, unknown> {
  const { report } = describeError(error);
  const stack = report.code === 'unexpected' && error instanceof Error ? error.stack : undefined;
  return { ...report, reason: reasonOf(error), ...(stack === undefined ? {} : { stack }) };
}
