import { type AnyTradepostError, isTradepostError } from '@tradepost/sdk';
import { AdvisedError } from './advised-error';
import { BulkError } from './bulk-error';
import { CliError, type CliErrorCode } from './cli-error';

/** Every exit code, and what it tells a script. A code never changes its meaning. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  error: { code: 1, meaning: 'failed in a way that has no code of its own' },
  usage: { code: 2, meaning: 'wrong command, option, argument or setting; nothing was done' },
  auth: { code: 4, meaning: 'no API key, one that is not valid, or one that may not do this' },
  notFound: { code: 5, meaning: 'no such order, listing, notification, webhook or delivery' },
  conflict: {
    code: 6,
    meaning:
      'refused as things stand: the status of an order, a guard, a limit, a change made since',
  },
  partialFailure: { code: 7, meaning: 'of several, some are done and some failed' },
  truncated: { code: 8, meaning: 'the list has more, and --fail-if-truncated was set' },
  unreachable: { code: 9, meaning: 'the service could not be reached, or is down' },
  interrupted: { code: 130, meaning: 'interrupted (Ctrl-C)' },
} as const;

/** What an exit code stands for. */
export type ExitReason = keyof typeof exitCodes;

const reasonOfCliError: Record<CliErrorCode, ExitReason> = {
  usage: 'usage',
  missing_api_key: 'auth',
  invalid_api_key: 'auth',
  input_failed: 'usage',
  file_refused: 'usage',
  file_failed: 'error',
  guard_failed: 'conflict',
  not_confirmed: 'error',
  in_doubt: 'error',
  wrong_answer: 'error',
  verification_failed: 'error',
  delivery_failed: 'error',
  cannot_go_on: 'error',
  check_failed: 'error',
  service_unreachable: 'unreachable',
  truncated: 'truncated',
  interrupted: 'interrupted',
  output_closed: 'ok',
  output_failed: 'error',
};

/**
 * Codes that say more than a status does: of the SDK, which has no answer then, and of the service. A
 * map, not an object: a service may call a problem `constructor`.
 */
const reasonOfCode: ReadonlyMap<string, ExitReason> = new Map(
  Object.entries<ExitReason>({
    invalid_configuration: 'usage',
    redirected: 'usage',
    route_not_found: 'usage',
    order_not_found: 'notFound',
    notification_not_found: 'notFound',
    webhook_not_found: 'notFound',
    delivery_not_found: 'notFound',
    listing_not_found: 'notFound',
    idempotency_key_reused: 'conflict',
    connection_failed: 'unreachable',
    timeout: 'unreachable',
    aborted: 'interrupted',
  }),
);

const reasonOfStatus: Readonly<Record<number, ExitReason>> = {
  401: 'auth',
  403: 'auth',
  409: 'conflict',
  412: 'conflict',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};

/** Says what an error means for the exit code: the one map from errors to codes. */
export function exitReasonOf(error: unknown): ExitReason {
  if (error instanceof CliError) return reasonOfCliError[error.code];
  if (error instanceof AdvisedError) return exitReasonOf(error.cause);
  if (error instanceof BulkError) {
    const reasons = new Set(error.failures.map((failure) => exitReasonOf(failure.error)));
    if (reasons.has('interrupted')) return 'interrupted';
    if (error.succeeded > 0) return 'partialFailure';
    const [only, ...others] = reasons;
    return only === undefined || others.length > 0 ? 'error' : only;
  }
  if (!isTradepostError(error)) return 'error';
  const byCode = reasonOfCode.get(error.code);
  if (byCode !== undefined) return byCode;
  // An id may be unknown. A path without one is always there, so the base URL leads elsewhere.
  if (error.status === 404) return asksForOne(error) ? 'notFound' : 'usage';
  return (error.status === null ? undefined : reasonOfStatus[error.status]) ?? 'error';
}

/** Whether a request was for one thing by its id, rather than for a list or to make something. */
function asksForOne({ path }: AnyTradepostError): boolean {
  return path !== null && /\/(ord|ntf|whk|dlv)_[^/]+(\/|$)/.test(path);
}

/** The exit code that an error ends the process with. */
export function exitCodeOf(error: unknown): number {
  return exitCodes[exitReasonOf(error)].code;
}
