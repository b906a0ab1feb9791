import { invalidConfiguration } from '../errors';
import type { RequestOptions } from '../options';
import type { OutgoingRequest } from './attempt';
import { idempotencyKey, ifMatch, setHeader } from './headers';
import { type Limits, type ResolvedOptions, resolveLimits } from './resolved-options';

/** One call of the client: what to send, and how to read the response. */
export interface Call<Result> {
  /** Method and path template, such as `/v1/orders/:id`. */
  endpoint: { method: string; path: string };
  /** The value of `:id` in the path template. */
  id?: string;
  /** Query parameters. Undefined ones are left out. */
  query?: object;
  /** The JSON body. */
  body?: object;
  /** `If-Match` of a conditional update. */
  ifMatch?: string | undefined;
  /**
   * Whether a repetition could undo a change that another client made in between. Such a call is retried
   * only if the attempt certainly had no effect.
   */
  unsafeToRepeat?: boolean;
  /** Seconds that the service may wait before it responds, in addition to the limits. */
  waitSeconds?: number;
  /** Whether the call is an extension, which another implementation of the service may not have. */
  extension?: boolean;
  options?: RequestOptions | undefined;
  /** Reads the result from the parsed body. Null when the body has no such result. */
  read(body: unknown, status: number): Result | null;
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
  const { endpoint, query, body, waitSeconds, options } = call;
  const { method } = endpoint;
  const path = fillPath(endpoint.path, call.id);
  const headers: Record<string, string> = { ...settings.headers };
  if (body) headers['content-type'] = 'application/json';
  if (call.ifMatch !== undefined) setHeader(headers, ifMatch, call.ifMatch);
  // One key for all attempts makes it safe to repeat a POST.
  if (method === 'POST') {
    setHeader(headers, idempotencyKey, options?.idempotencyKey ?? createIdempotencyKey());
  }
  if (options?.headers) {
    for (const [name, value] of Object.entries(options.headers)) setHeader(headers, name, value);
  }
  return {
    path,
    request: {
      url: `${settings.baseUrl}${path}${buildQuery(query)}`,
      method,
      headers,
      body: body && JSON.stringify(body),
    },
    limits:
      options === undefined && !waitSeconds
        ? settings.limits
        : resolveLimits(options, settings.limits, waitSeconds),
  };
}

/**
 * Replaces `:id` of a path template with a percent-encoded ID.
 *
 * @throws {TradepostError} `invalid_configuration` when the ID would lead to another path: it is not a
 * string, empty, `.` or `..`.
 */
export function fillPath(path: string, id: string | undefined): string {
  if (!path.includes(':id')) return path;
  // Plain JavaScript may pass any value.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) {
    throw invalidConfiguration(
      `${path} needs id: pass it as a non-empty string (got ${JSON.stringify(id)}).`,
    );
  }
  return path.replace(':id', encodeURIComponent(id));
}

function buildQuery(query: object | undefined): string {
  if (!query) return '';
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const search = String(parameters);
  return search && `?${search}`;
}

/** Creates a random `Idempotency-Key`: 128 bits in hex. */
function createIdempotencyKey(): string {
  // Not `randomUUID`: browsers have it on https pages only.
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
