import { invalidConfiguration } from '../errors';
import type { PathRequestOptions } from '../options';
import type { ApiPromise } from './api-promise';
import type { Transport } from './transport';

/** Sends a request to a path of the caller. */
export function requestPath<Body>(
  transport: Transport,
  method: string,
  path: string,
  pathOptions: PathRequestOptions | null | undefined,
): ApiPromise<Body> {
  const { query, body, ...options } = pathOptions ?? {};
  // Plain JavaScript may pass any value.
  const [, route = '', , search] = /^([^?]*)(\?(.*))?$/s.exec(String(path)) ?? [];
  return transport.request<Body>({
    operation: 'request',
    endpoint: { method: String(method), path: route },
    path: route,
    check: () => checkPath(method, path, route),
    search,
    query,
    body,
    unsafeToRepeat: method !== 'GET' && method !== 'POST',
    options,
    read: (json, text) => (json === undefined ? text : (json ?? undefined)) as Body,
  });
}

/** A segment that leads to another path, also when it is encoded: some proxies decode slashes before they resolve it. */
const dotSegment = /(\/|%2f|%5c)(\.|%2e){1,2}(\/|%2f|%5c|;|%3b|$)/i;

/** Without the control characters and the spaces at the end that `URL` drops. */
const plainPath = /^\/(?!\/)([^#\\\p{Cc}]*[^#\\\p{Cc} ])?$/u;

function checkPath(method: unknown, path: unknown, route: string): void {
  if (typeof path !== 'string' || !plainPath.test(path) || dotSegment.test(route)) {
    throw invalidConfiguration(
      `path must start with one "/", and have no fragment, backslash, control character, space at its end, "." or ".." (got ${JSON.stringify(path)}).`,
    );
  }
  if (typeof method !== 'string' || !/^[A-Z]+$/.test(method)) {
    throw invalidConfiguration(
      `method must be an HTTP method in upper case, such as GET (got ${JSON.stringify(method)}).`,
    );
  }
}
