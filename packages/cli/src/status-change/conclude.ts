import { BulkError } from '../bulk-error';
import { CliError } from '../cli-error';
import { type ExitReason, exitReasonOf } from '../exit-codes';
import { messageOf } from '../message-of';
import { note } from '../output/note';
import type { Terminal } from '../terminal';
import type { Plan, ResultFile } from './result-file';
import { isSettled, type StatusesSet } from './set-statuses';
import { inDoubtCode, type StatusOutcome } from './status-change';

/** What is to be told beside what came of the orders. */
interface Circumstances {
  /** Where it was written down; null for nowhere. */
  file: ResultFile | null;
  /** How to go on with what is left; null when there is no way. */
  howToGoOn: string | null;
  /** Why it could not be printed; null when it could. */
  unprinted: unknown;
}

/** Why an order was not moved, of which trying again changes nothing. */
const isFinal: ExitReason[] = ['conflict', 'notFound'];

/**
 * Says on stderr how it ended: in any case what came of the orders, whatever went wrong with printing
 * or writing that down.
 *
 * @throws {CliError | BulkError} unless every order is as it was asked to be, and printed.
 */
export function conclude(
  plan: Plan,
  { outcomes, failures, left, endedBy }: StatusesSet,
  { file, howToGoOn, unprinted }: Circumstances,
  terminal: Terminal,
): void {
  const story = storyOf(plan, outcomes);
  if (file !== null) note(terminal, `Result file: ${file.path}`);
  if (terminal.signal.aborted && left + failures.length > 0) {
    throw new CliError('interrupted', `interrupted: ${story}`, howToGoOn ?? doubtHint(outcomes));
  }
  if (endedBy instanceof CliError) {
    const then = howToGoOn === null ? endedBy.hint : `Make room for it. ${howToGoOn}`;
    throw new CliError(endedBy.code, `${endedBy.message}; ${story}`, then);
  }
  if (failures.length > 0) {
    const isWell = (one: StatusOutcome) => isSettled(one) || one.outcome === 'would-change';
    const mayStillBeDone =
      left > 0 || failures.some(({ error }) => !isFinal.includes(exitReasonOf(error)));
    const hint = mayStillBeDone ? howToGoOn : null;
    throw new BulkError(story, outcomes.filter(isWell).length, failures, hint);
  }
  if (unprinted !== null) {
    throw new CliError(
      'output_failed',
      `${story}, but that could not be printed: ${messageOf(unprinted)}`,
      file === null ? null : `What came of each is in ${file.path}.`,
    );
  }
  note(terminal, `${story[0]?.toUpperCase()}${story.slice(1)}.`);
}

/** What to do where nothing was written down; null when it is known of each order where it stands. */
function doubtHint(outcomes: readonly StatusOutcome[]): string | null {
  const doubtful = outcomes.find((one) => kindOf(one) === inDoubtCode);
  if (doubtful === undefined) return null;
  return `Look at those in doubt before they are moved again: \`tradepost orders get ${doubtful.id}\`.`;
}

function storyOf({ status }: Plan, outcomes: readonly StatusOutcome[]): string {
  const words = {
    done: `moved to ${status}`,
    'would-change': `would be asked to move to ${status}`,
    unchanged: `already ${status}`,
    skipped: 'left alone',
    failed: 'failed',
    [inDoubtCode]: 'in doubt',
    untried: 'not tried',
  } as const;
  const parts = Object.entries(words).flatMap(([kind, word]) => {
    const count = outcomes.filter((one) => kindOf(one) === kind).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  const [only, ...others] = parts;
  if (only === undefined) return 'no order';
  const all = counted(outcomes.length);
  return others.length > 0 ? `of ${all} ${parts.join(', ')}` : only.replace(/^\d+/, all);
}

/** What came of an order, or that it is not known. */
function kindOf({ outcome, code }: StatusOutcome): string {
  return outcome === 'failed' && code === inDoubtCode ? code : outcome;
}

/** So many orders, in words. */
export function counted(count: number, status: string | null = null): string {
  return `${count} ${status === null ? '' : `${status} `}${count === 1 ? 'order' : 'orders'}`;
}
