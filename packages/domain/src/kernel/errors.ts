import type { ProblemCode, ProblemIssue } from '@tradepost/contract';

/** Thrown when a request breaks a rule of the domain. Its code decides the status of the response. */
export class DomainError extends Error {
  override name = 'DomainError' as const;

  /**
   * @param code A problem code of the contract.
   * @param detail What failed and what to do next. The caller reads it.
   * @param issues The invalid fields, if fields caused the problem.
   * @param headers More headers of the response, such as `Allow`.
   */
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly issues?: ProblemIssue[],
    readonly headers: Record<string, string> = {},
  ) {
    super(`${code}: ${detail}`);
  }
}

/** Thrown when the store is unavailable: locked, full or missing. Nothing was changed. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError' as const;
}

/** Thrown when the store became unavailable during a commit: the change was made, or it was not. */
export class OutcomeUnknownError extends StoreUnavailableError {}

/** Thrown when the store has too little space left for changes. The message has no paths, so that probes may show it. */
export class StoreFullError extends StoreUnavailableError {}

/** Creates the error for a change of a record that does not exist. A rule should have rejected it, so this is a mistake in the code. */
export function missingRecord(what: string, id: string): Error {
  return new Error(`${what} ${id} does not exist.`);
}

/** Writes a number with its noun, for messages: `1 webhook`, `2 webhooks`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
