import type { Failure } from '../bulk-error';
import { describeError } from '../error-report';
import { exitReasonOf } from '../exit-codes';

/** What came of one of several. */
export type OutcomeKind =
  /** It is as it was asked to be, by this command. */
  | 'done'
  /** It was so already. */
  | 'unchanged'
  /** Only looked at: it would be changed. */
  | 'would-change'
  /** What it was to be changed on condition of does not hold. */
  | 'skipped'
  /** The service refused, or no answer came. */
  | 'failed'
  /** The command ended before its turn. */
  | 'untried';

/** Why one of several could not be done: what a program decides on, and what a person reads. */
export interface OutcomeFailure {
  /** The code of the error; null when there was none. */
  code: string | null;
  /** The error in one text; null when there was none. */
  message: string | null;
  /** The request's id; null when there is none. */
  requestId: string | null;
}

/** Of what went well. */
export const noFailure: OutcomeFailure = { code: null, message: null, requestId: null };

/** What an error says, as part of an outcome. */
export function failureOf(error: unknown): OutcomeFailure {
  const { code, message, requestId } = describeError(error).report;
  return { code, message, requestId };
}

/** Whether an error would meet all the others too: they are not tried then. */
export function endsAll({ error }: Failure): boolean {
  return ['usage', 'auth', 'unreachable', 'interrupted'].includes(exitReasonOf(error));
}
