/** What failed on this side, before or after the service had its say. */
export type CliErrorCode =
  /** The command line, or a setting it depends on, makes no sense. */
  | 'usage'
  /** There is no API key to send. */
  | 'missing_api_key'
  /** What is set as the API key cannot be one. */
  | 'invalid_api_key'
  /** What a command is to read is not there, or cannot be read: nothing was done. */
  | 'input_failed'
  /** A file that an option or a setting names cannot be used: nothing was done. */
  | 'file_refused'
  /** A file of this machine cannot be written, or is not what it was. */
  | 'file_failed'
  /** A change was to be made only as long as something holds, and it does not hold. */
  | 'guard_failed'
  /** The person at the keyboard was asked, and did not say yes. */
  | 'not_confirmed'
  /** Whether a change was made is not known, and looking again did not tell. */
  | 'in_doubt'
  /** A 2xx that is not the answer to what was asked. */
  | 'wrong_answer'
  /** What was received is not what its signature says. */
  | 'verification_failed'
  /** A sample that was sent to a webhook did not arrive. */
  | 'delivery_failed'
  /** What was to go on and on cannot. */
  | 'cannot_go_on'
  /** Something that was checked must be mended. */
  | 'check_failed'
  /** The service, which was checked, cannot be reached. */
  | 'service_unreachable'
  /** The list has more than was printed, and that was to be a failure. */
  | 'truncated'
  /** The person at the keyboard pressed Ctrl-C. */
  | 'interrupted'
  /** The reader of stdout has gone, as `head` does when it has enough. */
  | 'output_closed'
  /** Stdout does not take the data: a full disk, say. */
  | 'output_failed';

/** A failure that the command line itself found: the service was not asked, or is not at fault. */
export class CliError extends Error {
  override readonly name = 'CliError' as const;
  /** What kind of failure it is; it decides the exit code. */
  readonly code: CliErrorCode;
  /** What to do about it; null when there is nothing to say. */
  readonly hint: string | null;

  constructor(code: CliErrorCode, message: string, hint: string | null = null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
