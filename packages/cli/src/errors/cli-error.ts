/** What failed in the CLI itself, and the meaning of the exit code. */
export const cliErrorReasons = {
  /** The command line, or a setting it depends on, is not valid. */
  usage: 'usage',
  /** An option needs an extension of the API that the service does not have. */
  unsupported_option: 'usage',
  missing_api_key: 'auth',
  /** The API key is malformed or was rejected. */
  invalid_api_key: 'auth',
  /** The input of a command is missing or unreadable. Nothing was done. */
  input_unreadable: 'usage',
  /** A file that an option or a setting names cannot be used. Nothing was done. */
  file_unusable: 'usage',
  /** A local file cannot be read or written. */
  file_failed: 'error',
  /** The condition of a conditional change was not met. */
  precondition_failed: 'conflict',
  /** The webhook sends nothing until it is resumed. */
  webhook_paused: 'conflict',
  /** A dry run found that the order cannot move to the status. */
  invalid_transition: 'conflict',
  /** The webhook has no secret that could be promoted. */
  no_staged_secret: 'conflict',
  /** The user declined at a confirmation prompt. */
  declined: 'error',
  /** It is unknown whether a change was applied, and reading it again did not settle it. */
  in_doubt: 'error',
  /** A 2xx response that does not match the request. */
  invalid_response: 'error',
  /** The signature of a delivery does not match its body. */
  verification_failed: 'error',
  /** A test event did not arrive. */
  delivery_failed: 'error',
  /** A receiver did not accept a forwarded event. */
  forwarding_failed: 'error',
  /** `webhooks probe` found a mistake of a receiver. */
  probe_failed: 'error',
  /** `webhooks probe` got no connection, or too few responses because the receiver limits requests. */
  probe_inconclusive: 'usage',
  /** `--count-command` failed while a receiver was probed. */
  count_failed: 'error',
  /** `doctor` found a problem. */
  check_failed: 'error',
  /** `doctor` cannot reach the service. */
  service_unreachable: 'unreachable',
  /** The list has more items than were printed, and `--fail-if-truncated` was set. */
  truncated: 'truncated',
  /** The user pressed Ctrl-C. */
  interrupted: 'interrupted',
  /** The reader of stdout closed the pipe, as `head` does. */
  output_closed: 'ok',
  /** Stdout does not accept data, for example because the disk is full. */
  output_failed: 'error',
} as const;

export type CliErrorCode = keyof typeof cliErrorReasons;

/** What to do about an error: a sentence, or a sentence followed by a command of this program. */
export type Hint = string | CommandHint;

/** A hint that names a command. It is rendered as: TEXT `tradepost COMMAND ARGS`. */
export interface CommandHint {
  /** What the command is for, such as `To see the order, run`. */
  text: string;
  /** The command without the program, such as `orders get`. */
  command: string;
  /** Its arguments. `reportError` adds `--profile` and `--base-url` as they were given. */
  args?: readonly string[];
  /** Whether the command contacts no service: it gets no connection flags. */
  local?: true;
}

/** Creates a hint that names a command. */
export function commandHint(text: string, command: string, ...args: string[]): CommandHint {
  return { text, command, args };
}

/** Creates a hint that names a command that contacts no service. */
export function localHint(text: string, command: string): CommandHint {
  return { text, command, local: true };
}

/** A failure that the CLI itself detected. */
export class CliError extends Error {
  override readonly name = 'CliError' as const;
  readonly hints: readonly Hint[];

  constructor(
    /** It decides the exit code. */
    readonly code: CliErrorCode,
    message: string,
    ...hints: Hint[]
  ) {
    super(message);
    this.hints = hints;
  }
}

/** Thrown when Ctrl-C ends a command that has no other end. Only programs get it as an error. */
export class Stopped extends CliError {
  constructor(
    /** What a person is told; null for nothing. */
    readonly notice: string | null = null,
  ) {
    super('interrupted', notice ?? 'Interrupted');
  }
}

/**
 * Does something that may throw an error of the system.
 *
 * @param what what failed: `Cannot read the profiles`
 * @throws {CliError} with that text and the reason; a `CliError` is passed on
 */
export function attempt<Result>(
  act: () => Result,
  code: CliErrorCode,
  what: string,
  ...hints: Hint[]
): Result {
  try {
    return act();
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(code, `${what}: ${getErrorMessage(error)}`, ...hints);
  }
}

/** An error of the SDK with hints that only the command can give. It is reported as its cause. */
export class ErrorWithHint extends Error {
  override readonly name = 'ErrorWithHint' as const;
  readonly hints: readonly Hint[];

  constructor(
    override readonly cause: Error,
    ...hints: Hint[]
  ) {
    super(cause.message);
    this.hints = hints;
  }
}

export interface Failure {
  id: string;
  error: unknown;
}

/** Thrown at the end of a bulk command of which some or all items failed. The others succeeded. */
export class BulkError extends Error {
  override readonly name = 'BulkError' as const;
  /** Whether the failures are on the terminal already: then they are not listed again. */
  areShown = false;
  /** Whether the service was unreachable during this run: what earlier runs did does not change the exit code. */
  isUnreachable = false;
  /** Hints in addition to those that all failures share. */
  readonly hints: readonly Hint[];

  constructor(
    message: string,
    readonly succeeded: number,
    readonly failures: readonly Failure[],
    ...hints: readonly Hint[]
  ) {
    super(message);
    this.hints = hints;
  }
}

/** Thrown by option and argument parsers. Commander adds which one it was; the exit code is 2. */
export class InvalidArgument extends Error {
  override readonly name = 'InvalidArgument' as const;
  /** Commander recognises its own error by this. Its class is not in the bundle of the commands. */
  readonly code = 'commander.invalidArgument';
}

/** The message of Node for an error of the system: `ENOENT: no such file or directory, open '/a'`. */
const systemMessage = /^E[A-Z0-9]+: ([^']+), \w+(?: '([^']*)')?$/;

/** Returns the message of an error; of the system's, what went wrong and the path. */
export function getErrorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [, what, path] = systemMessage.exec(error.message) ?? [];
  if (what === undefined) return error.message;
  return path ? `${what}: ${path}` : what;
}

/** Makes the first letter of a sentence a capital, unless it begins with an ID. */
export function capitalize(text: string): string {
  if (/^\w{3}_/.test(text)) return text;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A hint for responses that another program than the service sent. */
export const baseUrlHint =
  'Check TRADEPOST_BASE_URL or --base-url: it must be the address of the service itself, without /v1.';

/** Shortens an unexpected value that is shown. */
export function truncate(text: string, maxLength = 60): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/**
 * Checks that a value from the service is an object. Its fields are not checked.
 *
 * @throws {CliError} `invalid_response`
 */
export function assertObject<Item>(item: Item): Item {
  if (isRecord(item)) return item;
  const snippet = truncate(JSON.stringify(item) ?? 'nothing');
  throw new CliError(
    'invalid_response',
    `The service sent ${snippet} where an object was expected`,
    baseUrlHint,
  );
}
