import type { ProblemIssue } from '@tradepost/contract/wire';
import type { ErrorCode, ResponseHeaders, TradepostError } from './errors';
import type { OptionNames } from './option-names';

/**
 * The part of the standard `fetch` that the client uses. A rejection with an error whose name is
 * `TimeoutError`, as that of `AbortSignal.timeout`, counts as a timeout of the attempt; any other one as a
 * failed connection; but `ResponseTooLargeError` as a body of more than `maxResponseBytes`.
 */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'manual';
    signal: AbortSignal;
    /** The client's limit, for a `fetch` that reads the body itself. The standard one ignores it. */
    maxResponseBytes?: number;
  },
) => Promise<{
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** A `ReadableStream`, if the body has not been read: the client stops at its limit. Otherwise it calls `text`. */
  readonly body?: unknown;
  text(): Promise<string>;
}>;

/** Options of the client. */
export interface TradepostOptions {
  /** Base URL of the service, such as `https://trade.example`. It may have a path, and no query. */
  baseUrl: string;
  /**
   * API key of the account, without `Bearer`. It is sent to `baseUrl` only; the client does not follow
   * redirects. A function is called before each attempt, for keys that are replaced while the program runs.
   */
  apiKey: string | (() => string | Promise<string>);
  /** Milliseconds for one attempt, including the response body. @default 30_000 */
  timeout?: number | undefined;
  /** Milliseconds for all attempts of a call, including the waits between them and for the rate limit. @default 120_000 */
  deadline?: number | undefined;
  /** Maximum number of retries after the first attempt; 0 disables retries. @default 3 */
  maxRetries?: number | undefined;
  /**
   * Whether the service honours idempotency keys, so that a POST with the same key has one effect. Without
   * that, a POST is repeated only if it certainly was not sent.
   *
   * - `detect`: if a response to this client had the header `Tradepost-Idempotency`
   * - `assume`: always, for a service that you know to honour them
   * - `off`: never, and the client sends no keys of its own
   *
   * @default 'detect'
   */
  idempotency?: 'detect' | 'assume' | 'off' | undefined;
  /**
   * Maximum size of a response body in bytes, after decompression: a small compressed body can become gigabytes.
   * A larger one fails the call with the code `response_too_large`. @default 67_108_864
   */
  maxResponseBytes?: number | undefined;
  /** Additional headers of every request. They replace the client's own headers of the same name. */
  defaultHeaders?: Record<string, string> | undefined;
  /** Name of your program, put before `tradepost-sdk/<version>` in `User-Agent`. */
  userAgent?: string | undefined;
  /** Replaces the global `fetch`, for example for a proxy, a connection pool or a test. */
  fetch?: Fetch | undefined;
  /**
   * Replaces the timer of the waits before a retry and for the rate limit, for example by a function that does not wait, in
   * a test. It may end early when `signal` aborts. It must not reject. @default a timer of the runtime
   */
  wait?: ((milliseconds: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /**
   * Additional options for `fetch`, such as `dispatcher` in Node or `cache` in a browser. Method, headers,
   * body, `redirect` and `signal` are the client's.
   */
  fetchOptions?: object | undefined;
  /** Functions that are called for each attempt, and may add headers to it. */
  hooks?: TradepostHooks | undefined;
  /**
   * Receives log entries, with secrets redacted: `console`, a logger of pino (also `app.log` of Fastify) or of winston, or
   * an object with some of `debug`, `info`, `warn` and `error`. @default no logging
   */
  logger?: TradepostLogger | undefined;
  /**
   * Validates each 2xx response before it is returned. Pass `validateResponses` of
   * `@tradepost/sdk/validate`, for example in a staging environment. @default no validation
   */
  validate?: ResponseValidator | undefined;
}

/** @internal */
export const clientOptionNames: OptionNames<TradepostOptions> = {
  baseUrl: true,
  apiKey: true,
  timeout: true,
  deadline: true,
  maxRetries: true,
  maxResponseBytes: true,
  idempotency: true,
  defaultHeaders: true,
  userAgent: true,
  fetch: true,
  wait: true,
  fetchOptions: true,
  hooks: true,
  logger: true,
  validate: true,
};

/** Options of a single call. They replace those of the client. */
export interface RequestOptions {
  /** Aborts the call immediately, whether it sends, waits for a response or waits for a retry. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, including the response body. */
  timeout?: number | undefined;
  /** Milliseconds for all attempts, including the waits between them. */
  deadline?: number | undefined;
  /** Maximum number of retries after the first attempt; 0 disables retries. */
  maxRetries?: number | undefined;
  /**
   * On a POST: the `Idempotency-Key`, instead of a new random one. On a service that honours these keys, calls
   * with the same key have one effect and get the same response, for 24 hours. Store it to repeat a call
   * after a crash. 1 to 255 visible ASCII characters; another value throws `invalid_configuration`.
   * @default 128 random bits in hex
   */
  idempotencyKey?: string | undefined;
  /** Additional headers. They replace the client's own headers of the same name. */
  headers?: Record<string, string> | undefined;
}

/** Options of `tradepost.request`. */
export interface PathRequestOptions extends RequestOptions {
  /** Query parameters, added to those in the path. Undefined ones are left out; dates are sent in ISO 8601. */
  query?: Record<string, string | number | boolean | Date | undefined> | undefined;
  /** The JSON body: any value that `JSON.stringify` accepts. */
  body?: unknown;
}

/** @internal */
export const callOptionNames: OptionNames<RequestOptions> = {
  signal: true,
  timeout: true,
  deadline: true,
  maxRetries: true,
  idempotencyKey: true,
  headers: true,
};

/** The headers of a request before it is sent: the part of the standard `Headers` that hooks need. */
export interface RequestHeaders extends ResponseHeaders {
  /** Checks whether a header is set, case-insensitively. */
  has(name: string): boolean;
  /** Sets a header, replacing one of the same name. */
  set(name: string, value: string): void;
  /** Removes a header. */
  delete(name: string): void;
}

/** Identifies an attempt of a call. */
export interface AttemptHookEvent {
  /** Name of the call, such as `orders.get`. */
  operation: string;
  /** Path template, such as `/v1/orders/:id`: the same for every ID, as metrics need it. */
  route: string;
  /** Identifies the call: the same in all its attempts, and unique in this process. */
  callId: string;
  /** HTTP method of the request. */
  method: string;
  /** Path of the request without its query; the path template if the request could not be built. */
  path: string;
  /** Number of the attempt within its call, from 1; 0 if the call ended before the first attempt. */
  attempt: number;
}

/** The argument of `onRequest`. */
export interface RequestHookEvent extends AttemptHookEvent {
  /** The complete URL, including its query. */
  url: string;
  /**
   * The headers of this attempt. The hook may change them. `Authorization` is not included, but may be set.
   * Changes to `Idempotency-Key` are ignored, because it keeps a retried call from being applied twice.
   */
  headers: RequestHeaders;
}

/** The argument of `onResponse`. */
export interface ResponseHookEvent extends AttemptHookEvent {
  /** HTTP status of the response. */
  status: number;
  /** Headers of the response. */
  headers: ResponseHeaders;
  /** ID of the request, as the service logs it. Null when the response has none. */
  requestId: string | null;
  /** Milliseconds from the start of the attempt to the end of the response body. */
  durationMs: number;
}

/** The argument of `onError`. */
export interface ErrorHookEvent extends AttemptHookEvent {
  /** Milliseconds: in `onRetry`, of this attempt; in `onError`, of the call with all its attempts and waits. */
  durationMs: number;
  /** Why this attempt failed. In `onError`: the error that the call throws. */
  error: TradepostError;
  /** The error's code. */
  code: ErrorCode;
  /** HTTP status of the response. Null when there was no response. */
  status: number | null;
  /** ID of the request, as the service logs it. Null when there was no response with one. */
  requestId: string | null;
}

/** The argument of `onRetry`. */
export interface RetryHookEvent extends ErrorHookEvent {
  /** Milliseconds until the next attempt. */
  delayMs: number;
}

/**
 * Functions that are called during each call, for tracing, metrics and additional headers. Only `onRequest`
 * is awaited. Errors of the others have no effect and go to the `logger`.
 */
export interface TradepostHooks {
  /**
   * Called before each attempt. If it throws, the call fails with the code `hook_failed` and nothing is
   * sent. Its time counts towards the attempt's `timeout`.
   */
  onRequest?: ((request: RequestHookEvent) => void | Promise<void>) | undefined;
  /** Called after each response, whatever its status. */
  onResponse?: ((response: ResponseHookEvent) => void | Promise<void>) | undefined;
  /** Called before the wait for a retry. */
  onRetry?: ((retry: RetryHookEvent) => void | Promise<void>) | undefined;
  /** Called once for each call that failed. */
  onError?: ((failure: ErrorHookEvent) => void | Promise<void>) | undefined;
}

/** @internal */
export const hookNames: OptionNames<TradepostHooks> = {
  onRequest: true,
  onResponse: true,
  onRetry: true,
  onError: true,
};

/** A method rather than a function, so that a logger may declare narrower fields, such as `Record<string, unknown>`. */
type WriteEntry = { write(message: string, fields: object): void }['write'];

/**
 * Receives log entries of the client: `console`, a logger of winston, and any other whose methods take a message and then
 * fields. A logger of pino, which has a method `bindings`, gets the fields first, as it takes them. For one of another order,
 * such as bunyan, pass functions: `{ warn: (message, fields) => log.warn(fields, message) }`. Errors that a method throws
 * are ignored.
 */
export interface TradepostLogger {
  /** Each request that is sent, and each response. */
  debug?: WriteEntry | undefined;
  /** Each wait for the rate limit. */
  info?: WriteEntry | undefined;
  /** Each retry, and each call that failed. */
  warn?: WriteEntry | undefined;
  /** Errors thrown by hooks. */
  error?: WriteEntry | undefined;
}

/**
 * Validates a successful response before it is returned, and returns what is invalid: an empty list when
 * it is valid. `validateResponses` of `@tradepost/sdk/validate` checks responses against the contract.
 */
export type ResponseValidator = (response: {
  /** HTTP method of the request. */
  method: string;
  /** Path template, such as `/v1/orders/:id`. */
  route: string;
  /** HTTP status of the response, 200 to 299. */
  status: number;
  /** Parsed body of the response; undefined when it has none. */
  body: unknown;
}) => readonly ProblemIssue[];
