import type { Extension, ProblemCode, ProblemIssue } from '@tradepost/contract/wire';
import type { Other } from './unrecognized';

/** The body of an error response: `application/problem+json`. Source: RFC 9457. */
export interface Problem {
  /** `urn:tradepost:problem:<code>`. */
  type: string;
  /** A short text, the same for every problem with this code. */
  title: string;
  /** HTTP status of the response, 400 to 599. */
  status: number;
  /** What failed in this request, and what to do. */
  detail: string;
  /** The problem code. Branch on this, not on texts. The service may add codes. */
  code: ProblemCode | Other;
  /** ID of the request, the same as `X-Request-Id`. Include it when you contact support. */
  requestId: string;
  /** The invalid fields, if the request failed validation. */
  errors?: ProblemIssue[];
}

/** Codes of failures that the service does not describe with a problem. */
export type ClientErrorCode =
  /** An option or an argument is not valid. Nothing was sent. */
  | 'invalid_configuration'
  /** There was no response, or it was truncated. */
  | 'connection_failed'
  /** A file of this package could not be loaded. Nothing was sent. */
  | 'load_failed'
  /** There was no complete response in time. */
  | 'timeout'
  /** The caller's signal aborted. */
  | 'aborted'
  /** The response was a redirect. */
  | 'redirected'
  /** A 2xx response whose body does not have the JSON format of the contract. */
  | 'invalid_response'
  /** The body of the response is larger than `maxResponseBytes`. It was not read to its end, and the call not retried. */
  | 'response_too_large'
  /**
   * A 2xx response that the `validate` option rejected, a page whose cursor leads back to an earlier one, or another order
   * or status than `orders.move` requested.
   */
  | 'contract_mismatch'
  /** A function of the caller threw: the `onRequest` hook, `apiKey`, or `validate`. */
  | 'hook_failed'
  /** Another status, and the body is not a problem document, such as a proxy's page. */
  | 'http_error';

/**
 * Why a call failed: the code of the service's problem, or one of the client. The service may add codes,
 * so a `switch` needs a default.
 */
export type ErrorCode = ProblemCode | ClientErrorCode | Other;

/** The headers of a response: the part of the standard `Headers` that the client uses. */
export interface ResponseHeaders {
  /** Returns the value of a header, case-insensitively; null when it is absent. */
  get(name: string): string | null;
  /** Calls the callback for each header, with its value and its lower-case name. */
  forEach(callback: (value: string, name: string) => void): void;
}

/** Reads the extensions that a service lists in `Tradepost-Extensions`. Empty without the header, and without a response. */
export function readExtensions(
  headers: Pick<ResponseHeaders, 'get'> | null,
): readonly (Extension | Other)[] {
  const list = headers?.get('tradepost-extensions') ?? '';
  // A list may have empty elements. Source: RFC 9110, section 5.6.1.
  return list.split(/[\s,]+/).filter(Boolean) as Extension[];
}

/** The fields of a `TradepostError`, besides its message. Fields that are left out become null. */
export interface TradepostErrorDetails {
  /** Why the call failed. */
  code: ErrorCode;
  /** HTTP status of the response. */
  status?: number | null | undefined;
  /** ID of the request, as the service logs it. */
  requestId?: string | null | undefined;
  /** HTTP method of the request. */
  method?: string | null | undefined;
  /** Path of the request, without its query. */
  path?: string | null | undefined;
  /** The problem in the response. */
  problem?: Problem | null | undefined;
  /** Headers of the response. */
  headers?: ResponseHeaders | null | undefined;
  /** Body of the response: the parsed JSON, or the text. */
  body?: unknown;
  /** Whether the change may have been made. */
  mayHaveBeenApplied?: boolean | undefined;
  /** The underlying error, or the reason of an abort. */
  cause?: unknown;
}

/** Marks the errors of this package across realms and across two installs of it. */
const errorBrand: unique symbol = Symbol.for('@tradepost/sdk.error');

/**
 * The base class of all errors of the client. Thrown itself for an invalid option
 * (`invalid_configuration`), a redirect (`redirected`), a function of the caller that threw
 * (`hook_failed`), a file that could not be loaded (`load_failed`) and a status without a class of its own.
 */
export class TradepostError extends Error {
  override readonly name: string = 'TradepostError';
  /** Why the call failed. Branch on this, not on texts. */
  readonly code: ErrorCode;
  /** HTTP status of the response. Null when there was no response. */
  readonly status: number | null;
  /** ID of the last request, as the service logs it. Include it when you contact support. */
  readonly requestId: string | null;
  /** HTTP method of the request. Null when the call failed before a request. */
  readonly method: string | null;
  /** Path of the request, without its query. Null when the call failed before a request. */
  readonly path: string | null;
  /** The problem in the response. Null when there was none. */
  readonly problem: Problem | null;
  /** Headers of the response. Null when there was no response. Not enumerable. */
  declare readonly headers: ResponseHeaders | null;
  /**
   * Body of the response: the parsed JSON; or the text, if it is not JSON or has more than 16,384
   * characters, of which these are the first. Null when there was no response. Not enumerable.
   */
  declare readonly body: unknown;
  /**
   * Whether the change may have been made, although the call failed: the response to an attempt was lost,
   * was a 5xx, or was not readable. Read the current state before you repeat the call. False for a GET, and
   * if the service certainly rejected every attempt, as with a 503 `overloaded` or `shutting_down`.
   */
  readonly mayHaveBeenApplied: boolean;

  /** The extensions of the API that the service has, as the response lists them. Empty if it does not, and without a response. */
  get extensions(): readonly (Extension | Other)[] {
    return readExtensions(this.headers);
  }

  constructor(message: string, details: TradepostErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.method = details.method ?? null;
    this.path = details.path ?? null;
    this.problem = details.problem ?? null;
    this.mayHaveBeenApplied = !!details.mayHaveBeenApplied;
    // Not enumerable, so that logs of an error have neither: a body may contain a webhook's secret.
    Object.defineProperties(this, {
      headers: { value: details.headers ?? null },
      body: { value: details.body ?? null },
    });
    Object.defineProperty(this, errorBrand, { value: true });
  }
}

/** Thrown on 401: the API key is missing, not valid, or no longer valid. */
export class AuthenticationError extends TradepostError {
  override readonly name = 'AuthenticationError' as const;
}

/** Thrown on 403: this kind of account, or this API key, is not allowed to do this. */
export class PermissionError extends TradepostError {
  override readonly name = 'PermissionError' as const;
}

/** Thrown on 404: the resource does not exist, or the account may not see it. */
export class NotFoundError extends TradepostError {
  override readonly name = 'NotFoundError' as const;
}

/** Thrown on 409: for example an invalid status transition, or not enough quantity left. */
export class ConflictError extends TradepostError {
  override readonly name = 'ConflictError' as const;
}

/** Thrown on 412: the order has changed since the `ETag` in `ifMatch` was read. */
export class PreconditionFailedError extends TradepostError {
  override readonly name = 'PreconditionFailedError' as const;
}

/** Thrown on 400, 413, 415 and 422: the service rejects the request. */
export class ValidationError extends TradepostError {
  override readonly name = 'ValidationError' as const;
  /** The invalid fields. Empty when the service named none. */
  readonly errors: ProblemIssue[];

  constructor(message: string, details: TradepostErrorDetails) {
    super(message, details);
    const errors: unknown = this.problem?.errors;
    this.errors = Array.isArray(errors) ? errors.filter(isIssue) : [];
  }
}

/** A proxy or another service may send any value. */
function isIssue(value: unknown): value is ProblemIssue {
  if (typeof value !== 'object' || value === null) return false;
  const { path, message } = value as Partial<ProblemIssue>;
  return typeof path === 'string' && typeof message === 'string';
}

/**
 * Thrown on 429, when no retry is left or the deadline is too close; and, with `status` null, when nothing was sent, because
 * earlier responses said that the rate limit is used up until after the deadline.
 */
export class RateLimitError extends TradepostError {
  override readonly name = 'RateLimitError' as const;
  /** Seconds to wait before the next request, from `Retry-After` or `RateLimit`. Null if the service named none. */
  readonly retryAfter: number | null;

  constructor(message: string, details: TradepostErrorDetails & { retryAfter: number | null }) {
    super(message, details);
    this.retryAfter = details.retryAfter;
  }
}

/** Thrown on 5xx, when no retry is left: the service, or a proxy in front of it, failed. */
export class ServerError extends TradepostError {
  override readonly name = 'ServerError' as const;
  /** Seconds to wait before the next request, from `Retry-After`. Null without that header. */
  readonly retryAfter: number | null;

  constructor(message: string, details: TradepostErrorDetails & { retryAfter: number | null }) {
    super(message, details);
    this.retryAfter = details.retryAfter;
  }
}

/** Thrown when there was no response, or it was truncated: connection refused or reset, unknown host, invalid certificate. */
export class ConnectionError extends TradepostError {
  override readonly name = 'ConnectionError' as const;
  /**
   * Whether the last attempt certainly was not sent. False when the runtime does not report it, as in
   * browsers.
   */
  readonly notSent: boolean;

  constructor(message: string, details: TradepostErrorDetails & { notSent: boolean }) {
    super(message, details);
    this.notSent = details.notSent;
  }
}

/** Thrown when there was no complete response within `timeout`, or `deadline` passed. */
export class TimeoutError extends TradepostError {
  override readonly name = 'TimeoutError' as const;
}

/** Thrown when the caller's `signal` aborted. `cause` is the reason of the signal. */
export class AbortError extends TradepostError {
  override readonly name = 'AbortError' as const;
}

/** The fields of an `InvalidResponseError`, besides its message. */
export interface InvalidResponseErrorDetails extends TradepostErrorDetails {
  /** The issues that the `validate` option found. */
  errors?: readonly ProblemIssue[] | undefined;
}

/**
 * Thrown when a 2xx response does not match the contract: its body does not have the JSON
 * format of the contract (`invalid_response`; the message shows its first characters), the `validate` option rejected it, or a
 * page's cursor leads back to an earlier page (`contract_mismatch`); and when a response of any status is larger than
 * `maxResponseBytes` (`response_too_large`). The request itself may have been applied.
 */
export class InvalidResponseError extends TradepostError {
  override readonly name = 'InvalidResponseError' as const;
  /** The invalid fields of the response. Empty unless the `validate` option found them. */
  readonly errors: ProblemIssue[];

  constructor(message: string, details: InvalidResponseErrorDetails) {
    super(message, details);
    this.errors = [...(details.errors ?? [])];
  }
}

/** All errors of the client, as a union discriminated by `name`. */
export type AnyTradepostError =
  | AbortError
  | AuthenticationError
  | ConflictError
  | ConnectionError
  | NotFoundError
  | PermissionError
  | PreconditionFailedError
  | RateLimitError
  | ServerError
  | TimeoutError
  | InvalidResponseError
  | ValidationError
  | (TradepostError & { readonly name: 'TradepostError' });

/**
 * Checks whether a caught value is an error of this client. Unlike `instanceof`, it also recognises errors
 * of another install or realm. Then `error.name` discriminates the classes.
 */
export function isTradepostError(value: unknown): value is AnyTradepostError {
  return typeof value === 'object' && value !== null && errorBrand in value;
}

/** Creates the error for an invalid option or argument, thrown before anything is sent. */
export function invalidConfiguration(message: string): TradepostError {
  return new TradepostError(message, { code: 'invalid_configuration' });
}
