import { type AnyTradepostError, isTradepostError } from '@tradepost/sdk';
import { BulkError, CliError, cliErrorReasons, ErrorWithHint } from './cli-error';

/** Every exit code, and what it means to a script. A code never changes its meaning. */
export const exitCodes = {
  ok: { code: 0, meaning: 'success' },
  error: { code: 1, meaning: 'other failure' },
  usage: { code: 2, meaning: 'invalid command, option, argument or setting; nothing was done' },
  auth: { code: 4, meaning: 'API key missing, invalid or not allowed to do this' },
  notFound: {
    code: 5,
    meaning: 'no such order, listing, notification, webhook, delivery, event or API key',
  },
  conflict: {
    code: 6,
    meaning: 'conflict with the current state: status, condition, limit, concurrent change',
  },
  partialFailure: { code: 7, meaning: 'some items succeeded and some failed' },
  truncated: { code: 8, meaning: 'the list has more items, and --fail-if-truncated was set' },
  unreachable: { code: 9, meaning: 'the service is unreachable or down' },
  interrupted: { code: 130, meaning: 'interrupted (Ctrl-C)' },
} as const;

export type ExitReason = keyof typeof exitCodes;

/**
 * Codes that say more than the status: those of the SDK, which has no status then, and those of the
 * service. A map, not an object: a service may name a problem `constructor`.
 */
const reasonByCode: ReadonlyMap<string, ExitReason> = new Map(
  Object.entries<ExitReason>({
    invalid_configuration: 'usage',
    redirected: 'usage',
    route_not_found: 'usage',
    idempotency_key_reused: 'conflict',
    overloaded: 'error',
    connection_failed: 'unreachable',
    timeout: 'unreachable',
    aborted: 'interrupted',
  }),
);

const reasonByStatus: Readonly<Record<number, ExitReason>> = {
  401: 'auth',
  403: 'auth',
  409: 'conflict',
  412: 'conflict',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
};

/** Maps an error to the meaning of an exit code. This is the only such map. */
export function getExitReason(error: unknown): ExitReason {
  if (error instanceof CliError) return cliErrorReasons[error.code];
  if (error instanceof ErrorWithHint) return getExitReason(error.cause);
  if (error instanceof BulkError) {
    const reasons = new Set(error.failures.map((failure) => getExitReason(failure.error)));
    if (reasons.has('interrupted')) return 'interrupted';
    if (error.succeeded > 0 && !error.isUnreachable) return 'partialFailure';
    const [only, ...others] = reasons;
    return only === undefined || others.length > 0 ? 'error' : only;
  }
  if (!isTradepostError(error)) return 'error';
  const byCode = reasonByCode.get(error.code);
  if (byCode !== undefined) return byCode;
  if (error.code.endsWith('_not_found')) return 'notFound';
  // A path without an ID always exists on the service: a 404 means that the base URL is wrong.
  if (error.status === 404) return hasIdInPath(error) ? 'notFound' : 'usage';
  return (error.status === null ? undefined : reasonByStatus[error.status]) ?? 'error';
}

function hasIdInPath({ path }: AnyTradepostError): boolean {
  return /\/[a-z]{3}_[^/]+(\/|$)/.test(path ?? '');
}

export function getExitCode(error: unknown): number {
  return exitCodes[getExitReason(error)].code;
}

/**
 * Whether a change may have been applied although no response confirms it: the response was lost, came
 * too late, came from a proxy or was not readable, for the last attempt or an earlier one.
 */
export function mayHaveBeenApplied(error: unknown): boolean {
  return isTradepostError(error) && error.mayHaveBeenApplied;
}

/** Whether the service rejected a request only because there are too many: from this key, or in all. */
export function isLimited(error: unknown): error is AnyTradepostError {
  if (!isTradepostError(error)) return false;
  // Without a status, the client did not send the request, because a response before it said so.
  return error.status === 429 || error.code === 'rate_limited' || isOverloaded(error);
}

/** Whether the service rejected a request because it has too many. */
export function isOverloaded({
  code,
  status,
}: Pick<AnyTradepostError, 'code' | 'status'>): boolean {
  return code === 'overloaded' && status === 503;
}

/** Returns the seconds to wait before the next request, from `Retry-After`. Null if the service named none. */
export function getRetryAfter(error: AnyTradepostError): number | null {
  return 'retryAfter' in error ? error.retryAfter : null;
}
