import { invalidConfiguration } from '../errors';
import { findUnknownOption } from '../option-names';
import { callOptionNames, type RequestOptions } from '../options';
import type { OutgoingRequest } from './attempt';
import { idempotencyKey, ifMatch, setHeader } from './headers';
import { type Limits, type ResolvedOptions, resolveLimits } from './resolved-options';

/** One call of the client: what to send, and how to read the response. */
export interface Call<Result> {
  /** Name of the call, such as `orders.get`. */
  operation: string;
  /** Method and path template, such as `/v1/orders/:id`. */
  endpoint: { method: string; path: string };
  /** The value of `:id` in the path template. */
  id?: string;
  /** The path itself, of a call that has no template. */
  path?: string;
  /** Checks the arguments of the call. @throws {TradepostError} `invalid_configuration` */
  check?(): void;
  /** Query of the path, without `?`, before the parameters of `query`. */
  search?: string | undefined;
  /** Query parameters. Undefined ones are left out; a date is sent in ISO 8601. */
  query?: object | undefined;
  /** The JSON body. */
  body?: unknown;
  /** `If-Match` of a conditional update. */
  ifMatch?: string | undefined;
  /**
   * Whether a repetition could undo a change that another client made in between. Such a call is retried
   * only if the attempt certainly had no effect.
   */
  unsafeToRepeat?: boolean;
  /**
   * What is certain after the change, if the service sends no record: the API specification does not show the
   * bodies of some responses.
   */
  known?: Result;
  /** Seconds that the service may wait before it responds, in addition to the limits. */
  waitSeconds?: number;
  /** Whether the call is an extension, which another implementation of the service may not have. */
  extension?: boolean;
  options?: RequestOptions | undefined;
  /** The names of its own options, besides those of every call. */
  ownOptions?: Readonly<Record<string, true>>;
  /**
   * Reads the result from the parsed body: null for an empty one, undefined for one that is not JSON. Null
   * when the body has no such result.
   */
  read(body: unknown, text: string): Result | null;
}

/** The request of a call, with its limits. */
export interface BuiltRequest {
  /** The path with its ID, without the query. */
  path: string;
  request: OutgoingRequest;
  limits: Limits;
}

/**
 * Builds the request of a call, which is the same for all its attempts, and its limits.
 *
 * @throws {TradepostError} `invalid_configuration` when an argument is not valid.
 * @throws {Error} when the body cannot be written as JSON.
 */
export function buildRequest(call: Call<unknown>, settings: ResolvedOptions): BuiltRequest {
  const { endpoint, search, query, body, waitSeconds, options } = call;
  const { method } = endpoint;
  call.check?.();
  checkCallOptions(call);
  const path = call.path ?? fillPath(endpoint.path, call.id);
  const headers: Record<string, string> = { ...settings.headers };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (call.ifMatch !== undefined) setHeader(headers, ifMatch, call.ifMatch);
  if (method === 'POST') {
    // One key for all attempts makes it safe to repeat a POST.
    const key =
      options?.idempotencyKey ??
      (settings.idempotency === 'off' ? undefined : createIdempotencyKey());
    if (key !== undefined) setHeader(headers, idempotencyKey, key);
  }
  if (options?.headers) {
    for (const [name, value] of Object.entries(options.headers)) setHeader(headers, name, value);
  }
  const url = `${settings.baseUrl}${path}${buildQuery(search, query)}`;
  // `fetch` parses it in the same way, and may drop or resolve parts of a path of the caller.
  if (call.path !== undefined && !new URL(url).href.startsWith(`${settings.baseUrl}/`)) {
    throw invalidConfiguration(`path must not leave baseUrl (got ${JSON.stringify(path)}).`);
  }
  return {
    path,
    request: {
      url,
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    },
    limits:
      options === undefined && !waitSeconds
        ? settings.limits
        : resolveLimits(options, settings.limits, waitSeconds),
  };
}

function checkCallOptions({ operation, options, ownOptions }: Call<unknown>): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null) {
    throw invalidConfiguration(`The options of ${operation} must be an object.`);
  }
  const unknown = findUnknownOption(options, { ...callOptionNames, ...ownOptions });
  if (unknown) throw invalidConfiguration(`${operation}: ${unknown}`);
  if (options.signal && typeof options.signal.addEventListener !== 'function') {
    throw invalidConfiguration(`${operation}: signal must be an AbortSignal.`);
  }
}

/**
 * Replaces `:id` of a path template with a percent-encoded ID.
 *
 * @throws {TradepostError} `invalid_configuration` when the ID would lead to another path: it is not a
 * string, empty, or has a segment `.` or `..`, which some proxies resolve although its slash is encoded.
 */
export function fillPath(path: string, id: string | undefined): string {
  if (!path.includes(':id')) return path;
  // Plain JavaScript may pass any value.
  if (typeof id !== 'string' || /^$|(^|[/\\])\.{1,2}([/\\]|$)/.test(id)) {
    throw invalidConfiguration(
      `${path} needs id: pass it as a non-empty string (got ${JSON.stringify(id)}).`,
    );
  }
  return path.replace(':id', encodeURIComponent(id));
}

function buildQuery(search: string | undefined, query: object | undefined): string {
  // Not `URLSearchParams`, which React Native does not implement completely.
  const parameters: string[] = search ? [search] : [];
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue;
    parameters.push(`${encodeURIComponent(name)}=${encodeURIComponent(toText(name, value))}`);
  }
  return parameters.length > 0 ? `?${parameters.join('&')}` : '';
}

function toText(name: string, value: unknown): string {
  if (!(value instanceof Date)) return String(value);
  if (Number.isNaN(+value)) throw invalidConfiguration(`${name} is an invalid Date.`);
  return value.toISOString();
}

/** Creates a random `Idempotency-Key`: 128 bits in hex. */
export function createIdempotencyKey(): string {
  if (!globalThis.crypto?.getRandomValues) {
    throw invalidConfiguration(
      'This runtime has no crypto.getRandomValues for idempotency keys: load a polyfill, such as react-native-get-random-values; or pass idempotencyKey, or set idempotency to off.',
    );
  }
  // Not `randomUUID`: browsers have it on https pages only.
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
