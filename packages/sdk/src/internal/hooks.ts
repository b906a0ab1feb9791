import type { ErrorCode, TradepostError } from '../errors/tradepost-error';
import type { AnswerHeaders } from './answer';

/** The headers of a request that is about to be sent: a small part of the web's `Headers`. */
export interface RequestHeaders extends AnswerHeaders {
  /** Whether there is such a header, whatever the case of its name. */
  has(name: string): boolean;
  /** Sets a header, instead of one of that name. */
  set(name: string, value: string): void;
  /** Takes a header away. */
  delete(name: string): void;
}

/** Which attempt of which call a hook hears of. */
export interface HookedAttempt {
  /** The request's method. */
  method: string;
  /** The request's path without its query; the path's template when the call could not be made. */
  path: string;
  /** Which attempt of its call it is, counted from 1; 0 when it ended before the first. */
  attempt: number;
}

/** What `onRequest` hears. */
export interface HookedRequest extends HookedAttempt {
  /** Where the request goes, its query included. */
  url: string;
  /**
   * The headers of this attempt, to be changed at will. `Authorization` is never among them, but may
   * be set. The `Idempotency-Key` stays what it is, whatever is set: it keeps a call from being done
   * twice.
   */
  headers: RequestHeaders;
}

/** What `onResponse` hears. */
export interface HookedResponse extends HookedAttempt {
  /** The answer's HTTP status. */
  status: number;
  /** The answer's headers. */
  headers: AnswerHeaders;
  /** The request's id, as the service knows it; null when the answer names none. */
  requestId: string | null;
  /** Milliseconds from the start of the attempt to the end of the answer's body. */
  durationMs: number;
}

/** What `onError` hears. */
export interface HookedError extends HookedAttempt {
  /** Why this attempt failed; of a call that failed for good, what it throws. */
  error: TradepostError;
  /** The error's code. */
  code: ErrorCode;
  /** The answer's HTTP status; null when there was none. */
  status: number | null;
  /** The request's id, as the service knows it; null when there was no answer that names it. */
  requestId: string | null;
}

/** What `onRetry` hears. */
export interface HookedRetry extends HookedError {
  /** Milliseconds until the next attempt. */
  delayMs: number;
}

/**
 * Functions of yours that hear of each call, for tracing, metrics and headers of your own. Only
 * `onRequest` is waited for. What the others throw changes nothing and goes to the `logger`.
 */
export interface TradepostHooks {
  /**
   * Before each attempt. What it throws fails the call with the code `hook_failed`, and nothing is
   * sent. Its time counts towards the attempt's `timeout`.
   */
  onRequest?: ((request: HookedRequest) => void | Promise<void>) | undefined;
  /** After each answer, whatever its status. */
  onResponse?: ((response: HookedResponse) => void | Promise<void>) | undefined;
  /** Before the wait for another attempt. */
  onRetry?: ((retry: HookedRetry) => void | Promise<void>) | undefined;
  /** Once for each call that failed. */
  onError?: ((failure: HookedError) => void | Promise<void>) | undefined;
}
