import process from 'node:process';
import { pipeline, Readable } from 'node:stream';
import { type Fetch, type ResponseHeaders, readText } from '@tradepost/sdk';

/** A connection that is not open after this time has failed, in milliseconds. */
const connectTimeoutMs = 10_000;

/** An idle connection is closed after this time, in milliseconds, or before the server closes it. */
const idleTimeoutMs = 4_000;

/** Loaded when it is needed: TLS takes some milliseconds. */
const load = process.getBuiltinModule;

/** A `fetch` for the client that takes bytes too. The body of a response is not read yet. */
export type HttpFetch = (
  url: string,
  init: Omit<Parameters<Fetch>[1], 'body'> & { body?: string | Uint8Array },
) => Promise<Awaited<ReturnType<Fetch>> & { body: ReadableStream<Uint8Array> }>;

/**
 * Creates a `fetch` over `node:http`. A command with few requests ends sooner than with Node's own, whose parser is
 * WebAssembly: V8 compiles it in each process, and the process waits for that at its end.
 *
 * @param options.rejectUnauthorized false to accept any certificate
 */
export function createHttpFetch(options: { rejectUnauthorized?: boolean } = {}): HttpFetch {
  let agent: import('node:http').Agent | undefined;
  return (url, { method, headers, body, signal, maxResponseBytes = Number.POSITIVE_INFINITY }) =>
    new Promise((resolve, reject) => {
      const { Agent, request } = url.startsWith('https:') ? load('node:https') : load('node:http');
      agent ??= new Agent({ keepAlive: true, timeout: idleTimeoutMs, ...options });
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
      const allHeaders = { ...headers, ...length };
      const sent = request(
        url,
        { method, headers: allHeaders, agent, signal, timeout: connectTimeoutMs },
        (message) => {
          const received = toHeaders(message.headers);
          const encoding = received.get('content-encoding');
          const body = Readable.toWeb(encoding === null ? message : decode(message, encoding));
          const response = { status: message.statusCode ?? 0, headers: received, body };
          const text = () => readText({ ...response, text }, maxResponseBytes);
          resolve({ ...response, text });
        },
      );
      sent.on('error', reject);
      sent.on('timeout', () => {
        if (!sent.socket?.connecting) return;
        const facts = { code: 'ETIMEDOUT', syscall: 'connect', hostname: new URL(url).hostname };
        sent.destroy(Object.assign(new Error('connect ETIMEDOUT'), facts));
      });
      sent.end(body);
    });
}

/** Undoes the encoding of a body. None is requested, but some proxies compress all the same. */
function decode(body: Readable, encoding: string): Readable {
  const { createBrotliDecompress, createUnzip } = load('node:zlib');
  const decoder = encoding === 'br' ? createBrotliDecompress() : createUnzip();
  // A failure destroys the decoder, whose reader gets it.
  return pipeline(body, decoder, () => {});
}

function toHeaders(headers: NodeJS.Dict<string | string[]>): ResponseHeaders {
  return {
    get: (name) => headers[name.toLowerCase()]?.toString() ?? null,
    forEach(callback) {
      for (const [name, value = ''] of Object.entries(headers)) callback(value.toString(), name);
    },
  };
}
