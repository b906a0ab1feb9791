import process from 'node:process';
import { pipeline, Readable } from 'node:stream';
import {
  type AnyTradepostError,
  type Fetch,
  type ResponseHeaders,
  type RetryHookEvent,
  readText,
  Tradepost,
} from '@tradepost/sdk';
import { version } from '../../package.json';
import {
  findProxy,
  ProxyError,
  resolveSettings,
  type ServiceProxy,
  type Settings,
} from '../config/settings';
import type { CliContext } from '../context';
import { isOverloaded } from '../errors/exit-codes';
import type { ConnectionOptions } from '../input/options';
import { printNotice } from '../output/print';

interface ClientOptions {
  /** How many requests are in flight at a time, for bulk commands. */
  concurrency?: number;
}

/**
 * Creates the client of a command. Nothing is sent yet.
 *
 * @throws what `resolveSettings` throws, and a `TradepostError` (`invalid_configuration`) for an invalid
 * base URL
 */
export function createClient(
  context: CliContext,
  options: ConnectionOptions,
  clientOptions?: ClientOptions,
): Tradepost {
  return createClientFor(resolveSettings(context, options), context, options, clientOptions);
}

/** Creates a client for settings that are known. Nothing is sent yet. */
export function createClientFor(
  { baseUrl, apiKey }: Pick<Settings, 'baseUrl' | 'apiKey'>,
  context: CliContext,
  { debug }: Pick<ConnectionOptions, 'debug'>,
  { concurrency }: ClientOptions = {},
): Tradepost {
  const proxy = findProxy(context.env, baseUrl);
  const loadPool = async () =>
    (await import('../lazy/pooled-fetch')).createPool(concurrency, proxy?.url);
  let send: Fetch =
    proxy === null && concurrency === undefined ? createHttpFetch() : loadFetch(loadPool);
  if (proxy !== null) send = nameProxy(proxy, send);
  if (debug !== undefined) {
    const inner = send;
    send = loadFetch(async () =>
      (await import('./debug-log')).createLoggingFetch(debug, apiKey, context, inner),
    );
  }
  const notify = createRetryNotifier(context);
  return new Tradepost({
    baseUrl,
    apiKey,
    userAgent: `tradepost-cli/${version}`,
    fetch: send,
    // All calls may wait for the rate limit, but not after Ctrl-C.
    wait: (milliseconds, signal) =>
      context.wait(milliseconds, AbortSignal.any([context.signal, ...(signal ? [signal] : [])])),
    hooks: { onRetry: notify },
    // The only entries of this level are waits for the rate limit.
    logger: {
      info: (_message, fields) => {
        const { delayMs } = fields as { delayMs: number };
        notify({ code: 'rate_limited', status: 429, delayMs }, 'continuing');
      },
    },
  });
}

/** Adds to the error of a failed request that it went through a proxy. */
function nameProxy(proxy: ServiceProxy, send: Fetch): Fetch {
  return async (url, init) => {
    try {
      return await send(url, init);
    } catch (cause) {
      throw new ProxyError(proxy, cause);
    }
  };
}

function loadFetch(load: () => Promise<Fetch>): Fetch {
  let loading: Promise<Fetch> | undefined;
  return async (url, init) => {
    loading ??= load();
    return await (await loading)(url, init);
  };
}

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

/** A shorter delay, in milliseconds, is over before its notice is read. */
const minNotifiedDelayMs = 3_000;

/** The least time between two notices, in milliseconds: many requests may be in flight. */
const noticeIntervalMs = 25_000;

/**
 * Creates a hook that reports slow attempts and long delays before a retry: a command that is silent for
 * two minutes seems to hang. Without a terminal it reports only the first long delay.
 */
export function createRetryNotifier(
  context: CliContext,
): (
  retry: Pick<RetryHookEvent, 'code' | 'status' | 'delayMs'> & Partial<RetryHookEvent>,
  next?: string,
) => void {
  let notifiedAt = Number.NEGATIVE_INFINITY;
  return ({ code, status, delayMs }, next = 'retrying') => {
    const isTerminal = context.stderr.isTTY === true;
    const isLong = delayMs >= minNotifiedDelayMs;
    const now = context.elapsed();
    const isRecent = now - notifiedAt < (isTerminal ? noticeIntervalMs : Number.POSITIVE_INFINITY);
    if (!(isLong || (isTerminal && code === 'timeout')) || isRecent) return;
    if (status === 429 && !claimLimitNotice(context, now + delayMs)) return;
    notifiedAt = now;
    const when = isLong ? ` in ${Math.ceil(delayMs / 1000)} s` : '';
    printNotice(context, `${describeRetry({ code, status })}; ${next}${when}.`);
  };
}

/** When the reported wait for the rate limit ends, by the command: some of its calls may wait here, and some in a bulk run. */
const limitedUntil = new WeakMap<CliContext, number>();

/**
 * Returns whether a wait for the rate limit is still to be reported: not while one that was reported lasts.
 *
 * @param until when the wait ends, by the context's `elapsed`
 */
export function claimLimitNotice(context: CliContext, until: number): boolean {
  if (context.elapsed() < (limitedUntil.get(context) ?? Number.NEGATIVE_INFINITY)) return false;
  limitedUntil.set(context, until);
  return true;
}

/** Says why a request is retried: the start of a notice. */
export function describeRetry(error: Pick<AnyTradepostError, 'code' | 'status'>): string {
  const { code, status } = error;
  if (status === 429) return 'Rate limited';
  if (isOverloaded(error)) return 'The service is overloaded';
  if (code === 'timeout') return 'No response in time';
  if (status === null) return 'Connection failed';
  return `The service returned ${status}`;
}
