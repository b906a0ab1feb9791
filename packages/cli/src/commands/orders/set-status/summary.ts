import type { CliContext } from '../../../context';
import {
  BulkError,
  CliError,
  commandHint,
  getErrorMessage,
  type Hint,
} from '../../../errors/cli-error';
import { type ExitReason, getExitReason } from '../../../errors/exit-codes';
import type { Plan } from '../../../journal/journal';
import { formatSummary, getSummaryKind } from '../../../journal/outcomes';
import { inDoubtCode, isDone, isFinal, type StatusOutcome } from '../../../journal/status-change';
import { isReaderGone, printNotice } from '../../../output/print';
import { formatNumber } from '../../../output/text';
import { isFinalFailure, isUnsupported } from './change-order';
import type { StatusRun } from './set-statuses';

export interface SummaryOptions {
  /** The path of the journal; null without one. */
  journalPath: string | null;
  resumeHint: Hint | null;
  /** Why the outcomes could not be printed; null if they were. */
  printFailure: unknown;
  /** Whether only the failures were printed. */
  isShortened: boolean;
  failOnSkip: boolean;
  isDryRun: boolean;
}

/**
 * Reports the result on stderr, whatever went wrong with printing or recording it.
 *
 * @throws {CliError | BulkError} unless every order is done or skipped, and printed
 */
export function summarize(
  plan: Plan,
  { outcomes, before, failures, settled, left, stoppedBy }: StatusRun,
  { journalPath, resumeHint, printFailure, isShortened, failOnSkip, isDryRun }: SummaryOptions,
  context: CliContext,
): void {
  const all = formatSummary(plan, outcomes, isDryRun);
  const summary = before > 0 ? `${all}; earlier runs did ${formatNumber(before)} of them` : all;
  const resumeHints = resumeHint === null ? [] : [resumeHint];
  if (context.signal.aborted && left + failures.length > 0) {
    const hints = resumeHint === null ? doubtHints(outcomes) : resumeHints;
    throw new CliError('interrupted', `Interrupted. ${summary}`, ...hints);
  }
  const isOfOrder = failures.some(({ error }) => error === stoppedBy);
  if (stoppedBy instanceof CliError && !isOfOrder) {
    const hints = resumeHint === null ? stoppedBy.hints : ['Free some disk space.', resumeHint];
    throw new CliError(stoppedBy.code, `${stoppedBy.message}. ${summary}`, ...hints);
  }
  if (failures.length > 0) {
    const reasons = failures.map(({ error }) => getExitReason(error));
    const isUnreachable = settled === 0 && reasons.every((reason) => reason === 'unreachable');
    const succeeded = outcomes.filter((one) => isDone(one) || one.outcome === 'would_change');
    // The journal has the reason: a resumed run would fail in the same way.
    const cannotSucceed = failures.some(({ error }) => isUnsupported(error));
    const canRetry =
      !cannotSucceed && (left > 0 || failures.some(({ error }) => !isFinalFailure(error)));
    const error = new BulkError(
      summary,
      succeeded.length,
      failures,
      ...(cannotSucceed && journalPath !== null ? [futileHint] : []),
      ...(canRetry && resumeHint !== null ? formatRetry(resumeHint, reasons) : []),
    );
    error.areShown = isShortened;
    error.isUnreachable = isUnreachable;
    throw error;
  }
  if (printFailure !== null && !isReaderGone(printFailure)) {
    throw new CliError(
      'output_failed',
      `${summary}, but the result could not be printed: ${getErrorMessage(printFailure)}`,
      ...(journalPath === null ? [] : [`All outcomes are in ${journalPath}.`]),
    );
  }
  const hasSkipped = outcomes.some(({ outcome }) => outcome === 'skipped');
  if (hasSkipped && failOnSkip) throw new CliError('precondition_failed', summary);
  const changes = outcomes.filter(({ outcome }) => outcome === 'would_change');
  const final = changes.filter(({ to }) => isFinal(to)).length;
  const which = final < changes.length ? ` for ${formatNumber(final)}` : '';
  const warning = final > 0 ? ` It would be final${which}.` : '';
  printNotice(context, isDryRun ? `${summary}.${warning} Nothing changed.` : `${summary}.`);
}

const futileHint =
  'The journal has the reason, and --resume would send it again: start a new run without --reason.';

/** Says how to resume, and after an outage what becomes of the orders that failed. */
function formatRetry(resumeHint: Hint, reasons: readonly ExitReason[]): Hint[] {
  const isSafe = '--resume reads each order that failed before it changes it.';
  return reasons.includes('unreachable') ? [isSafe, resumeHint] : [resumeHint];
}

/** What to do without a journal about orders whose outcome is unknown. */
function doubtHints(outcomes: readonly StatusOutcome[]): Hint[] {
  const doubtful = outcomes.find((one) => getSummaryKind(one) === inDoubtCode);
  if (doubtful === undefined) return [];
  const check = commandHint('For example:', 'orders get', doubtful.id);
  return ['Check the orders whose outcome is unknown before you move them again.', check];
}
