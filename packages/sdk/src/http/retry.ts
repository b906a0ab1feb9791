import { getErrorMessage } from '../error-message';
import {
  ConnectionError,
  InvalidResponseError,
  TimeoutError,
  type TradepostError,
} from '../errors';
import type { ApiResponse } from './api-promise';
import type { AttemptResult } from './attempt';
import { type Attempt, createAbortError, createError } from './attempt';
import { ifMatch } from './headers';
import type { Call } from './request';
import type { ResolvedOptions } from './resolved-options';
import { errorFromResponse } from './response';

/** A failed attempt, with the facts for the retry decision. */
export interface Failure {
  error: TradepostError;
  retry: Pick<FailedAttempt, 'status' | 'idempotent' | 'notApplied' | 'retryAfterMs'>;
}

/** The inputs of `classifyAttempt`, besides the result of the attempt. */
export interface AttemptContext<Result> {
  attempt: Attempt;
  call: Call<Result>;
  options: ResolvedOptions;
  /** Whether the service honours idempotency keys. */
  honoursKeys: boolean;
  /** Milliseconds since 1970, for a `Retry-After` date. */
  now: number;
  /** Maximum number of retries after the first attempt. */
  maxRetries: number;
  /** Milliseconds until the call's deadline. */
  remainingMs: number;
}

/**
 * Classifies an attempt that did not end with a 2xx. A repeated DELETE may have succeeded all the same.
 *
 * @throws {TradepostError} when the outcome is final: the call was aborted, or rejected by a hook.
 */
export function classifyAttempt<Result>(
  result: AttemptResult,
  { attempt, call, options, honoursKeys, now, maxRetries, remainingMs }: AttemptContext<Result>,
): ApiResponse<Result> | Failure {
  const { sent, method } = attempt;
  const isChange = method !== 'GET';
  const isUnsafePost = method === 'POST' && !honoursKeys;
  // The retry of a conditional update may fail because of its own first attempt: a service may check
  // If-Match before it finds that the order already has the status.
  const idempotent = !sent || !(ifMatch in sent.headers || call.unsafeToRepeat || isUnsafePost);
  const lost = { status: null, idempotent, notApplied: !sent, retryAfterMs: null };
  const mayHaveBeenApplied = (isChange && !!sent) || attempt.mayHaveBeenApplied;
  const note = isUnsafePost && sent ? ` ${notRepeated}` : '';
  switch (result.kind) {
    case 'aborted':
      throw createAbortError({ ...attempt, mayHaveBeenApplied }, result.reason);
    case 'rejected':
      throw result.error;
    case 'too_large': {
      const { maxResponseBytes } = options;
      const what = `got a response of more than ${maxResponseBytes} bytes, which was not read to its end. Ask for less, for example with a smaller limit, or raise maxResponseBytes.`;
      throw createError(InvalidResponseError, attempt, what, {
        ...result.response,
        code: 'response_too_large',
        mayHaveBeenApplied,
        cause: result.cause,
      });
    }
    case 'timeout':
    case 'fetch_timeout': {
      const when =
        result.kind === 'timeout'
          ? `within ${Math.round(result.after)} ms. To wait longer, raise timeout and deadline.`
          : `in time: ${getErrorMessage(result.cause)}.`;
      const error = createError(TimeoutError, attempt, `got no complete response ${when}${note}`, {
        code: 'timeout',
        mayHaveBeenApplied,
        cause: result.kind === 'timeout' ? undefined : result.cause,
      });
      return { error, retry: lost };
    }
    case 'broken': {
      const { cause } = result;
      const [origin] = /^\w+:\/\/[^/]+/.exec(options.baseUrl) ?? [];
      const notSent = !sent || wasNotSent(cause);
      const what = `got no complete response from ${origin}: ${describeNetworkError(cause)}. ${getNetworkHint(cause)}${notSent ? '' : note}`;
      const error = createError(ConnectionError, attempt, what, {
        code: 'connection_failed',
        notSent,
        mayHaveBeenApplied: notSent ? attempt.mayHaveBeenApplied : mayHaveBeenApplied,
        cause,
      });
      return { error, retry: { ...lost, notApplied: error.notSent } };
    }
  }
  const { response } = result;
  const { status, headers, requestId } = response;
  const retryAfter = retryAfterSeconds(headers, now);
  const retryAfterMs = retryAfter && retryAfter * 1_000;
  // The service sends its own 503 before it does any work; a proxy may send one afterwards.
  const isRejected = (isProblem: boolean) =>
    ([425, 429].includes(status) || (status === 503 && isProblem)) && !isUnsafePost;
  const error = errorFromResponse(response, attempt, {
    extension: call.extension === true,
    retryAfter,
    note,
    whyNotRetried: (isProblem) => {
      const failed = { attempt: attempt.number, maxRetries, status, idempotent };
      const mayRetry = isRetryable({ ...failed, notApplied: isRejected(isProblem) });
      if (!mayRetry || retryAfterMs === null || retryAfterMs < remainingMs) return '';
      return `It was not retried: ${describeLateness('the service asked to wait', retryAfterMs, remainingMs)}`;
    },
  });
  // An earlier attempt deleted the resource and its response was lost: return that response.
  const deleted =
    attempt.mayHaveBeenApplied && method === 'DELETE' && isGone(error) && call.read(null, '');
  if (deleted || deleted === undefined) {
    return { data: deleted, status, headers, requestId, extensions: error.extensions };
  }
  const notApplied = isRejected(error.problem !== null);
  return { error, retry: { status, idempotent, notApplied, retryAfterMs } };
}

const notRepeated =
  'It may have been applied, and was not repeated, because the service is not known to honour idempotency keys: see the option idempotency.';

/** Whether the service reports that a resource, rather than a path, does not exist. */
function isGone({ status, problem }: TradepostError): boolean {
  return status === 404 && problem !== null && problem.code !== 'route_not_found';
}

/** Statuses that a retry may not get again. */
export const retryableStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The backoff doubles from here … */
const firstBackoffMs = 500;
/** … up to here. */
const maxBackoffMs = 8_000;

/** Says that the time to wait for ends after the deadline: a part of an error message, to its end. */
export function describeLateness(why: string, waitMs: number, remainingMs: number): string {
  const seconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10;
  return `${why} ${seconds(waitMs)} s, and the call's deadline is in ${seconds(remainingMs)} s. Try again later, or raise deadline.`;
}

/** A failed attempt, as the retry decision needs it. */
export interface FailedAttempt {
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Maximum number of retries after the first attempt. */
  maxRetries: number;
  /** Status of the response. Null when there was no complete response. */
  status: number | null;
  /** Whether applying the request twice would be harmless. */
  idempotent: boolean;
  /** Whether the attempt certainly had no effect. */
  notApplied: boolean;
  /** `Retry-After` in milliseconds. Null without that header. */
  retryAfterMs: number | null;
  /** Milliseconds until the call's deadline. */
  remainingMs: number;
}

/**
 * Decides whether a failed attempt is retried: returns the milliseconds to wait, or null to stop.
 *
 * The wait is random between 0 and a bound that doubles from 0.5 s to 8 s ("full jitter"), after `Retry-After`.
 * It never ends after the deadline.
 *
 * @param random a number from 0 (inclusive) to 1 (exclusive)
 */
export function retryDelay(failed: FailedAttempt, random: number): number | null {
  if (!isRetryable(failed)) return null;
  const { retryAfterMs, remainingMs } = failed;
  let bound = Math.min(maxBackoffMs, firstBackoffMs * 2 ** (failed.attempt - 1));
  // The service is ready then, so a short rest of the time is used too.
  if (retryAfterMs) bound = Math.min(bound, remainingMs - retryAfterMs);
  const delay = Math.max(0, random * bound) + (retryAfterMs ?? 0);
  if (delay < remainingMs) return delay;
  // The sum may be rounded up to the rest of the time.
  return retryAfterMs && retryAfterMs < remainingMs ? retryAfterMs : null;
}

/** Whether a failed attempt may be repeated, if there is time. */
function isRetryable({
  attempt,
  maxRetries,
  status,
  idempotent,
  notApplied,
}: Omit<FailedAttempt, 'retryAfterMs' | 'remainingMs'>): boolean {
  if (attempt > maxRetries || !(idempotent || notApplied)) return false;
  return status === null || retryableStatuses.has(status);
}

/**
 * Parses `Retry-After`: seconds to wait, 0 or more. Null when the header is missing or not valid. A date is
 * compared with the response's own `Date`, so that a wrong local clock does no harm. Source: RFC 9110,
 * section 10.2.3.
 *
 * @param now milliseconds since 1970, for a response without `Date`
 */
export function retryAfterSeconds(
  headers: { get(name: string): string | null },
  now: number,
): number | null {
  const text = headers.get('retry-after')?.trim();
  if (!text) return null;
  // A repeated header arrives as a list; the first value counts.
  if (/^\d[\d.]*(,|$)/.test(text)) return parseFloat(text);
  // `Date.parse` accepts texts that are not dates, such as "-5".
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  const since = Date.parse(headers.get('date') ?? '') || now;
  return Math.max(0, (until - since) / 1_000);
}

/** Returns the innermost error of a chain of causes, which says what happened. */
function rootCause(cause: unknown): { code?: unknown; message?: unknown; syscall?: unknown } {
  let root = cause;
  for (let depth = 0; depth < 8 && root instanceof Error; depth += 1) {
    // Several addresses were tried and all failed: report the first.
    const next: unknown = root instanceof AggregateError ? root.errors[0] : root.cause;
    if (!(next instanceof Error)) break;
    root = next;
  }
  return typeof root === 'object' && root !== null ? root : { message: String(root) };
}

/** Describes in a few words why a connection failed. */
function describeNetworkError(cause: unknown): string {
  const { code, message } = rootCause(cause);
  return getErrorMessage(String(message || code || 'the connection failed'));
}

/** Returns what to do about a connection that failed. */
function getNetworkHint(cause: unknown): string {
  // undici's only reason for this message, although RFC 9110, section 15.2, permits it.
  if (rootCause(cause).message === 'bad response') {
    return 'The service sent 100 Continue, which this runtime rejects if it did not ask for it: keep the service, or the proxy in front of it, from sending it.';
  }
  // OpenSSL got something else than TLS.
  return /SSL_(WRONG_VERSION|PACKET_LENGTH)|wrong version number/.test(
    `${rootCause(cause).code} ${rootCause(cause).message}`,
  )
    ? 'The server does not speak TLS on this port: is baseUrl http?'
    : 'Check baseUrl and the network.';
}

/** Codes of rejected certificates. Source: Node.js and OpenSSL. */
const untrustedCodes = /CERT(_|$)|^UNABLE_TO_/;

/**
 * Checks whether a connection failed before the request was sent, so that it had no effect. False when the
 * runtime does not report it, as in browsers.
 */
function wasNotSent(cause: unknown): boolean {
  const { code, message, syscall } = rootCause(cause);
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    code === 'UND_ERR_CONNECT_TIMEOUT' ||
    // A port that `fetch` never connects to, such as 25.
    message === 'bad port' ||
    // A proxy of undici rejected the tunnel or the request.
    /^Proxy (response \(|Authentication Required)/.test(String(message)) ||
    // Not TLS. With another code, Node may report it after the handshake too, when the request was sent.
    (code === 'EPROTO' && String(message).includes('wrong version number')) ||
    untrustedCodes.test(String(code))
  );
}
