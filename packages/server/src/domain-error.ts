import type { ProblemCode, ProblemIssue } from '@tradepost/contract';

/** Thrown when a request breaks a rule of the domain. `http/problems.ts` turns it into an answer. */
export class DomainError extends Error {
  override name = 'DomainError' as const;

  /**
   * @param code What kind of problem it is, from the contract's closed list.
   * @param detail What went wrong this time and what to do, for the caller to read.
   * @param issues What was wrong field by field, where fields are to blame.
   */
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly issues?: ProblemIssue[],
  ) {
    super(`${code}: ${detail}`);
  }
}
