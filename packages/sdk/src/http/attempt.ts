import {
  AbortError,
  type ResponseHeaders,
  type TradepostError,
  type TradepostErrorDetails,
} from '../errors';
import type { Redact } from './redact';
import type { Interrupted } from './with-timeout';

/** A complete request: what each attempt sends. */
export interface OutgoingRequest {
  url: string;
  method: string;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string | undefined;
}

/** One attempt of a call. */
export interface Attempt {
  /** Name of the call, such as `orders.get`. */
  operation: string;
  /** The path template. */
  route: string;
  /** Identifies the call; created when a hook or log entry needs it. */
  callId?: string;
  /** When the call started, on the monotonic clock, in milliseconds. */
  startedAt: number;
  method: string;
  /** The path with its ID, without the query; the path template before the request is built. */
  path: string;
  /** Number of the attempt, from 1; 0 before the first. */
  number: number;
  /** The request that was sent; undefined before it is sent. */
  sent?: OutgoingRequest | undefined;
  /** Whether an earlier attempt may have been applied, although its response was lost. */
  mayHaveBeenApplied: boolean;
  /** Removes the API key from messages and logs. */
  redact: Redact;
}

/**
 * Creates the error of an attempt. Its message has method, path, what happened, the request ID and the
 * number of attempts. The API key is removed from it, whatever the service sent.
 *
 * @param what what happened: the rest of a sentence that starts with method and path
 */
export function createError<Details extends TradepostErrorDetails, Failure extends TradepostError>(
  Class: new (message: string, details: Details) => Failure,
  attempt: Attempt,
  what: string,
  { cause, headers, mayHaveBeenApplied = attempt.mayHaveBeenApplied, ...details }: Details,
): Failure {
  const { method, path, number, redact } = attempt;
  const notes: string[] = [];
  if (details.requestId) notes.push(`request ${details.requestId}`);
  if (number > 1) notes.push(`${number} attempts`);
  const footnote = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  return new Class(redact(`${method} ${path} ${what}${footnote}`), {
    ...redact({ ...details, method, path }),
    headers: headers && redactResponseHeaders(headers, redact),
    mayHaveBeenApplied,
    // The cause is passed on unchanged.
    cause,
  } as unknown as Details);
}

/** Creates the error for a call that was aborted by the caller's signal. */
export function createAbortError(attempt: Attempt, cause: unknown): AbortError {
  return createError(AbortError, attempt, "was aborted by the caller's signal.", {
    code: 'aborted',
    cause,
  });
}

function redactResponseHeaders(headers: ResponseHeaders, redact: Redact): ResponseHeaders {
  const redacted = new Headers();
  headers.forEach((value, name) => {
    redacted.append(name, redact(value));
  });
  return redacted;
}

/** A response with its complete body. */
export interface RawResponse {
  status: number;
  headers: ResponseHeaders;
  requestId: string | null;
  text: string;
}

/**
 * How an attempt ended: with a response, by the caller's signal, by its timeout (in milliseconds) or that of
 * a custom `fetch`, with an error of the client before anything was sent, with a network error, or with a body that is
 * too large.
 */
export type AttemptResult =
  | { kind: 'response'; response: RawResponse }
  | Interrupted
  | { kind: 'rejected'; error: TradepostError }
  | { kind: 'fetch_timeout' | 'broken'; cause: unknown }
  /** The body was larger than permitted. A custom `fetch` may not know the status. */
  | { kind: 'too_large'; cause: unknown; response: Omit<RawResponse, 'text'> | undefined };
