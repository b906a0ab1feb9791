import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Fetch } from '@tradepost/sdk';

/** No compression is requested, but some proxies compress all the same. */
const decoders: ReadonlyMap<unknown, (bytes: Uint8Array) => Buffer> = new Map([
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

type HeaderRecord = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Creates a `fetch` for many requests: undici's `request` over a pool of connections. A request takes a
 * third of the time of Node's `fetch`, but undici takes longer to load.
 */
export function createPooledFetch(connections: number): Fetch {
  const loading = import('../lazy/undici').then(({ Agent, request }) => {
    const dispatcher = new Agent({ connections });
    return (url: string, init: Parameters<Fetch>[1]) => {
      const { method, headers, body, signal } = init;
      // It does not follow redirects, as the SDK requires.
      return request(url, { method, headers, body: body ?? null, signal, dispatcher });
    };
  });
  return async (url, init) => {
    const send = await loading;
    const { statusCode, headers, body } = await send(url, init);
    const decode = decoders.get([headers['content-encoding']].flat().at(-1));
    const text = async () =>
      decode === undefined ? await body.text() : decode(await body.bytes()).toString('utf8');
    return { status: statusCode, headers: toHeaders(headers), text };
  };
}

function toHeaders(headers: HeaderRecord): Awaited<ReturnType<Fetch>>['headers'] {
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
