import { invalidConfiguration } from '../errors';
import type { PathRequestOptions } from '../options';
import type { ApiPromise } from './api-promise';
import type { Transport } from './transport';

/** Sends a request to a path of the caller. */
export function requestPath<Body>(
  transport: Transport,
  method: string,
  path: string,
  { query, body, ...options }: PathRequestOptions,
): ApiPromise<Body> {
  // Plain JavaScript may pass any value.
  if (
    typeof path !== 'string' ||
    !/^\/(?!\/)[^#]*$/.test(path) ||
    /\/\.{1,2}(\/|\?|$)/.test(path)
  ) {
    throw invalidConfiguration(
      `path must start with one "/", and have no fragment, "." or ".." (got ${JSON.stringify(path)}).`,
    );
  }
  if (typeof method !== 'string' || !/^[A-Z]+$/.test(method)) {
    throw invalidConfiguration(
      `method must be an HTTP method in upper case, such as GET (got ${JSON.stringify(method)}).`,
    );
  }
  const [route = '', search] = path.split('?', 2);
  return transport.request<Body>({
    operation: 'request',
    endpoint: { method, path: route },
    search,
    query,
    body,
    unsafeToRepeat: method !== 'GET' && method !== 'POST',
    options,
    read: (json, text) => (json === undefined ? text : (json ?? undefined)) as Body,
  });
}
