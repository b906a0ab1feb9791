import { readFileSync } from 'node:fs';
import { isOutcomeKind } from '../bulk/outcome';
import { CliError } from '../cli-error';
import { isId } from '../input/id-argument';
import { isRecord } from '../is-record';
import { messageOf } from '../message-of';
import { planKind, type Recorded } from './result-file';
import { isOrderStatus, type StatusOutcome } from './status-change';

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
    throw new CliError('input_failed', `the result file cannot be read: ${messageOf(error)}`);
  }
  const [first, ...entries] = linesOf(text, path);
  const ids = new Set<string>();
  const outcomes = new Map<string, StatusOutcome>();
  const inDoubt = new Set<string>();
  for (const entry of entries) {
    const { kind, id } = entry;
    if (typeof id !== 'string' || !isId(id, 'ord')) throw foreign(path);
    if (kind === 'order') {
      if (ids.has(id)) throw foreign(path);
      ids.add(id);
      continue;
    }
    // What is said of an order that is not of the plan was not written by this command.
    if (!ids.has(id)) throw foreign(path);
    if (kind === 'begun') {
      inDoubt.add(id);
      outcomes.delete(id);
    } else {
      inDoubt.delete(id);
      outcomes.set(id, outcomeOf(entry, id, path));
    }
  }
  if (first?.kind !== planKind || first.version !== 1) throw foreign(path);
  const { baseUrl, keyHint, status, ifStatus, total } = first;
  // A plan that is not all there was never begun: nothing is lost with it.
  if (total !== ids.size || typeof baseUrl !== 'string') throw foreign(path);
  if (typeof keyHint !== 'string') throw foreign(path);
  if (!isOrderStatus(status) || !(ifStatus === null || isOrderStatus(ifStatus))) {
    throw foreign(path);
  }
  const cutOff = !text.endsWith('\n');
  const plan = { baseUrl, keyHint, status, ifStatus, ids: [...ids] };
  return { plan, outcomes, inDoubt, cutOff };
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
    return isRecord(value) ? value : null;
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
