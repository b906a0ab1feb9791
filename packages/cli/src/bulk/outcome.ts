import { isTradepostError } from '@tradepost/sdk';
import type { Failure } from '../bulk-error';
import { describeError, reasonOf } from '../error-report';
import { exitReasonOf } from '../exit-codes';

/**
 * What may come of one of several. `done`: it is as it was asked to be, by this command. `unchanged`:
 * it was so already. `would-change`: it was only looked at. `skipped`: what it was to be changed on
 * condition of does not hold. `failed`: the service refused, or no answer came. `untried`: the
 * command ended before its turn.
 */
const outcomeKinds = ['done', 'unchanged', 'would-change', 'skipped', 'failed', 'untried'] as const;

/** What came of one of several. */
export type OutcomeKind = (typeof outcomeKinds)[number];

/** Whether a value is what may come of one of several. */
export function isOutcomeKind(value: unknown): value is OutcomeKind {
  return outcomeKinds.some((kind) => kind === value);
}

/** Why one of several could not be done: what a program decides on, and what a person reads. */
export interface OutcomeFailure {
  /** The code of the error; null when there was none. */
  code: string | null;
  /** The reason in one text; null when there was none. */
  message: string | null;
  /** The request's id; null when there is none. */
  requestId: string | null;
}

/** Of what went well. */
export const noFailure: OutcomeFailure = { code: null, message: null, requestId: null };

/** What an error says, as part of an outcome. */
export function failureOf(error: unknown): OutcomeFailure {
  const { code, requestId } = describeError(error).report;
  return { code, message: reasonOf(error), requestId };
}

/** Whether an error would meet all the others too: they are not tried then. */
export function endsAll({ error }: Failure): boolean {
  // A wrong base URL, and a service that still asks for time after all that was waited.
  if (isTradepostError(error) && (error.code === 'redirected' || error.status === 429)) return true;
  return ['usage', 'auth', 'unreachable', 'interrupted'].includes(exitReasonOf(error));
}
