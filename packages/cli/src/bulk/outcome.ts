import { describeError, describeReason } from '../report/error-report';

/**
 * The possible outcomes of one item of a bulk command.
 * - `updated`, `replayed`: this command did it.
 * - `unchanged`: it was so already.
 * - `would_change`, `would_replay`: a dry run found nothing against it.
 * - `would_fail`: a dry run found why it is impossible.
 * - `skipped`: its condition was not met.
 * - `failed`: the service rejected it, or sent no response.
 * - `not_attempted`: the command ended before its turn.
 */
const outcomeKinds = [
  'updated',
  'replayed',
  'unchanged',
  'would_change',
  'would_replay',
  'would_fail',
  'skipped',
  'failed',
  'not_attempted',
] as const;

export type OutcomeKind = (typeof outcomeKinds)[number];

export function isOutcomeKind(value: unknown): value is OutcomeKind {
  return outcomeKinds.some((kind) => kind === value);
}

/** Why an item failed: a code for programs, a message for people. All are null on success. */
export interface OutcomeFailure {
  code: string | null;
  message: string | null;
  requestId: string | null;
}

export const noFailure: OutcomeFailure = { code: null, message: null, requestId: null };

export function toFailure(error: unknown): OutcomeFailure {
  const { code, requestId } = describeError(error);
  return { code, message: describeReason(error), requestId };
}
