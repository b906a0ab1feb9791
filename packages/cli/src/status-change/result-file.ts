import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { isOutcomeKind } from '../bulk/outcome';
import { CliError } from '../cli-error';
import { isId } from '../input/id-argument';
import { messageOf } from '../message-of';
import { isOrderStatus, type StatusChange, type StatusOutcome } from './status-change';

/** What a result file begins with: all that is needed to go on without the command that made it. */
export interface Plan extends StatusChange {
  /** Which service the orders are of. */
  baseUrl: string;
  /** The orders, in the order that they are worked on. */
  ids: readonly string[];
}

/** A plan, and how far it has come. */
export interface Recorded {
  plan: Plan;
  /** What came of orders, by id: of each the last that was written down. */
  outcomes: ReadonlyMap<string, StatusOutcome>;
  /** Orders whose change was begun, and of which no end was written down. */
  inDoubt: ReadonlySet<string>;
}

/** A result file that is being written. */
export interface ResultFile {
  /** Where it is. */
  path: string;
  /** Writes down that an order's change is about to be sent. @throws {CliError} `file_failed` */
  begin(id: string): void;
  /** Writes down what came of an order. @throws {CliError} `file_failed` */
  end(outcome: StatusOutcome): void;
  /** Closes it once all that was written is on the disk. */
  close(): void;
}

/** The first line says so, that another file is not taken for one. */
const planKind = 'tradepost orders set-status';

/**
 * Makes a result file with its plan, on the disk before anything is changed. It is newline-delimited
 * JSON, for its owner's eyes alone.
 *
 * @throws {CliError} `file_failed` when it is there already or cannot be written.
 */
export function createResultFile(path: string, plan: Plan, now: number): ResultFile {
  const { ids, ...rest } = plan;
  const createdAt = new Date(now).toISOString();
  const first = { kind: planKind, version: 1, createdAt, total: ids.length, ...rest };
  const file = opened(path, 'wx');
  file.write([first, ...ids.map((id) => ({ kind: 'order', id }))]);
  file.sync();
  return writable(path, file);
}

/**
 * Opens a result file to go on with it.
 *
 * @param cutOff whether its last line was cut off, as `readResultFile` tells
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
  function attempt<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      throw new CliError(
        'file_failed',
        isThere
          ? `the result file ${path} is there already`
          : `the result file cannot be written: ${messageOf(error)}`,
        isThere
          ? 'Go on with it by `--resume`, or name another with --result-file.'
          : 'No further order was changed. Name a file in another place with --result-file.',
      );
    }
  }
  const descriptor = attempt(() => openSync(path, flags, 0o600));
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

/**
 * Reads a result file: the plan and how far it has come. A last line that was cut off, as a power
 * failure leaves it, says nothing.
 *
 * @throws {CliError} `file_failed` when it cannot be read, `usage` when it is no result file.
 */
export function readResultFile(path: string): Recorded & { cutOff: boolean } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = messageOf(error);
    throw new CliError('file_failed', `the result file cannot be read: ${reason}`);
  }
  const [first, ...entries] = linesOf(text, path);
  const ids: string[] = [];
  const outcomes = new Map<string, StatusOutcome>();
  const inDoubt = new Set<string>();
  for (const entry of entries) {
    const { kind, id } = entry;
    if (typeof id !== 'string' || !isId(id, 'ord')) throw foreign(path);
    if (kind === 'order') {
      ids.push(id);
    } else if (kind === 'begun') {
      inDoubt.add(id);
      outcomes.delete(id);
    } else {
      inDoubt.delete(id);
      outcomes.set(id, outcomeOf(entry, id, path));
    }
  }
  if (first?.kind !== planKind || first.version !== 1) throw foreign(path);
  const { baseUrl, status, ifStatus, total } = first;
  // A plan that is not all there was never begun: nothing is lost with it.
  if (total !== ids.length || typeof baseUrl !== 'string') throw foreign(path);
  if (!isOrderStatus(status) || !(ifStatus === null || isOrderStatus(ifStatus))) {
    throw foreign(path);
  }
  const cutOff = !text.endsWith('\n');
  return { plan: { baseUrl, status, ifStatus, ids }, outcomes, inDoubt, cutOff };
}

/** The whole lines of the file. A line that was once cut off was ended when the work went on. */
function linesOf(text: string, path: string): Record<string, unknown>[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const entry = parsed(line);
    if (entry !== null) return [entry];
    // What follows a cut line tells it: the next run looks at the order again, and writes that down.
    if (index > 0) return [];
    throw foreign(path);
  });
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

function outcomeOf(entry: Record<string, unknown>, id: string, path: string): StatusOutcome {
  const { outcome, from, to, code, message, requestId } = entry;
  if (entry.kind !== 'outcome' || !isOutcomeKind(outcome)) throw foreign(path);
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    id,
    outcome,
    from: text(from),
    to: text(to),
    code: text(code),
    message: text(message),
    requestId: text(requestId),
  };
}

function foreign(path: string): CliError {
  return new CliError(
    'usage',
    `${path} is no whole result file of \`tradepost orders set-status\``,
    'Nothing was changed. A result file that was cut off before its plan was written was never begun.',
  );
}
