import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import * as undici from 'undici';
import type { ResponseHeaders } from '../errors';
import { findUnknownOption, type OptionNames } from '../option-names';
import type { Fetch } from '../options';

/** Options of `createPooledFetch`. */
export interface PooledFetchOptions {
  /** Maximum number of connections to the service, and of requests at the same time. @default 16 */
  connections?: number | undefined;
  /**
   * An own dispatcher of undici instead of a new pool, such as a `ProxyAgent`. Then `connections` has no effect.
   * @default a new Agent
   */
  dispatcher?: Dispatcher | undefined;
}

const optionNames: OptionNames<PooledFetchOptions> = { connections: true, dispatcher: true };

/** A `fetch` for the option of the same name, with the means to close its connections. */
export interface PooledFetch extends Fetch {
  /**
   * Closes the connections when their requests are done, also those of a `dispatcher` that you passed. Open
   * connections do not keep the program running, so it is rarely necessary.
   */
  close(): Promise<void>;
}

/** No compression is requested, but some proxies compress all the same. */
const decoders = new Map<string, (bytes: Uint8Array) => Uint8Array>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  // Some servers leave out the header of zlib.
  ['deflate', (bytes) => ((bytes[0] ?? 0) % 16 === 8 ? inflateSync(bytes) : inflateRawSync(bytes))],
  ['br', brotliDecompressSync],
  ['identity', (bytes) => bytes],
]);

/** Undoes the encodings of a body, the last one first. An empty body, such as that of a 204, has none. */
function decodeBody(bytes: Uint8Array, encodings: string): Uint8Array {
  if (bytes.length === 0) return bytes;
  let decoded = bytes;
  for (const name of encodings.toLowerCase().split(',').reverse()) {
    const encoding = name.trim();
    if (encoding === '') continue;
    const decode = decoders.get(encoding);
    if (!decode) throw new Error(`the response has an unknown content encoding, ${encoding}`);
    decoded = decode(decoded);
  }
  return decoded;
}

/** Removes a byte order mark, as `fetch` does. */
const decoder = new TextDecoder();

type HeaderRecord = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Collects a response. undici's `request` would create a stream for each body, which takes as long as the rest
 * of the call.
 */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #resolve: (response: Awaited<ReturnType<Fetch>>) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #chunks: Uint8Array[] = [];
  #status = 0;
  #headers: HeaderRecord = {};
  #controller: Dispatcher.DispatchController | undefined;

  constructor(
    signal: AbortSignal,
    resolve: (response: Awaited<ReturnType<Fetch>>) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#abort);
  }

  readonly #abort = (): void => {
    this.#stopListening();
    this.#controller?.abort(this.#signal.reason);
    this.#reject(this.#signal.reason);
  };

  #stopListening(): void {
    this.#signal.removeEventListener('abort', this.#abort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It may have waited for a connection.
    if (this.#signal.aborted) controller.abort(this.#signal.reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: HeaderRecord): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#stopListening();
    try {
      const bytes = Buffer.concat(this.#chunks);
      const headers = toHeaders(this.#headers);
      const text = decoder.decode(decodeBody(bytes, headers.get('content-encoding') ?? ''));
      this.#resolve({
        status: this.#status,
        headers,
        text: async () => text,
      });
    } catch (error) {
      this.#reject(error);
    }
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#stopListening();
    this.#reject(error);
  }
}

/**
 * Creates a `fetch` over a pool of connections of undici, which takes about half of the time of Node's `fetch`. It
 * resolves when the whole response has arrived. Further requests wait for a connection. Create one for all clients of
 * the program.
 *
 * @throws {RangeError} when `connections` is not an integer of at least 1, an option does not exist, or undici is
 *   older than version 7.
 */
export function createPooledFetch(options: PooledFetchOptions = {}): PooledFetch {
  const { connections = 16, dispatcher } = options;
  const unknown = findUnknownOption(options, optionNames);
  if (unknown) throw new RangeError(`createPooledFetch: ${unknown}`);
  // Its dispatchers take other handlers before that version.
  if (!('cacheStores' in undici))
    throw new RangeError('createPooledFetch needs undici 7 or later.');
  if (!(Number.isInteger(connections) && connections > 0)) {
    throw new RangeError(
      `createPooledFetch: connections must be an integer of at least 1 (got ${connections}).`,
    );
  }
  const pool = dispatcher ?? new undici.Agent({ connections });
  const fetch: Fetch = (url, { method, headers, body = null, signal }) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const { origin, pathname, search } = new URL(url);
      // It does not follow redirects, as the client requires.
      pool.dispatch(
        { origin, path: pathname + search, method: method as Dispatcher.HttpMethod, headers, body },
        new ResponseCollector(signal, resolve, reject),
      );
    });
  return Object.assign(fetch, { close: () => pool.close() });
}

function toHeaders(headers: HeaderRecord): ResponseHeaders {
  const join = (value: string | string[]) => (Array.isArray(value) ? value.join(', ') : value);
  return {
    get(name) {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : join(value);
    },
    forEach(callback) {
      for (const [name, value] of Object.entries(headers)) {
        if (value !== undefined) callback(join(value), name);
      }
    },
  };
}
