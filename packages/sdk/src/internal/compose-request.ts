import type { Call } from './call';
import { fillPath } from './fill-path';
import { idempotencyKey, ifMatch } from './header-names';
import { randomKey } from './random-key';
import { setHeader } from './set-header';
import { type Limits, readLimits, type Settings } from './settings';

/** A request, complete: what each attempt sends. */
export interface OutgoingRequest {
  url: string;
  method: string;
  /** By name in lower case. */
  headers: Record<string, string>;
  body: string | undefined;
}

/** What a call comes down to. */
export interface ComposedCall {
  /** The path with its id filled in, without a query. */
  path: string;
  request: OutgoingRequest;
  limits: Limits;
}

/**
 * Makes the request of a call, the same one for all its attempts, and its limits.
 *
 * @throws {TradepostError} `invalid_configuration` when an argument cannot be right, and other errors
 * when it cannot be sent: when JSON has no way to write it, for example.
 */
export function composeRequest(call: Call<unknown>, settings: Settings): ComposedCall {
  const { endpoint, query, body, waitSeconds, options } = call;
  const { method } = endpoint;
  const path = fillPath(endpoint.path, call.id);
  const headers: Record<string, string> = { ...settings.headers };
  if (body) headers['content-type'] = 'application/json';
  if (call.ifMatch !== undefined) setHeader(headers, ifMatch, call.ifMatch);
  // One key for all attempts: that is what makes it safe to repeat a POST.
  if (method === 'POST') {
    setHeader(headers, idempotencyKey, options?.idempotencyKey ?? randomKey());
  }
  if (options?.headers) {
    for (const [name, value] of Object.entries(options.headers)) setHeader(headers, name, value);
  }
  return {
    path,
    request: {
      url: `${settings.baseUrl}${path}${searchOf(query)}`,
      method,
      headers,
      body: body && JSON.stringify(body),
    },
    limits:
      options === undefined && !waitSeconds
        ? settings.limits
        : readLimits(options, settings.limits, waitSeconds),
  };
}

function searchOf(query: object | undefined): string {
  if (!query) return '';
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const search = String(parameters);
  return search && `?${search}`;
}
