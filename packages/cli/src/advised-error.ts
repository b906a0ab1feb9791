/**
 * An error of the service, or of the way to it, with advice that only the command can give. It is
 * told, and ends the process, as the error itself, but for the hint.
 */
export class AdvisedError extends Error {
  override readonly name = 'AdvisedError' as const;
  /** The error itself. */
  override readonly cause: Error;
  /** What to do about it. */
  readonly hint: string;

  constructor(cause: Error, hint: string) {
    super(cause.message);
    this.cause = cause;
    this.hint = hint;
  }
}
