/** One thing of several that could not be done. */
export interface Failure {
  /** The id of what it was to be done to. */
  id: string;
  /** Why it could not be done. */
  error: unknown;
}

/** Thrown after work on several things of which some, or all, failed. The others are done. */
export class BulkError extends Error {
  override readonly name = 'BulkError' as const;
  /** How many succeeded. */
  readonly succeeded: number;
  /** Those that failed, in the order they were tried: at least one. */
  readonly failures: readonly Failure[];

  /** What to do about it, beside what the failures say where they agree; null for no more. */
  readonly hint: string | null;

  constructor(
    message: string,
    succeeded: number,
    failures: readonly Failure[],
    hint: string | null = null,
  ) {
    super(message);
    this.hint = hint;
    this.succeeded = succeeded;
    this.failures = failures;
  }
}
