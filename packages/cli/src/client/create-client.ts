import { type AnyTradepostError, type Fetch, type RetryHookEvent, Tradepost } from '@tradepost/sdk';
import { version } from '../../package.json';
import { findProxy, ProxyError, type ServiceProxy } from '../config/proxy';
import { resolveSettings, type Settings } from '../config/settings';
import type { CliContext } from '../context';
import { isOverloaded } from '../errors/exit-codes';
import type { ConnectionOptions } from '../input/options';
import { printNotice } from '../output/print';
import { createHttpFetch } from './http-fetch';

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
  return new Tradepost({
    baseUrl,
    apiKey,
    userAgent: `tradepost-cli/${version}`,
    fetch: send,
    hooks: { onRetry: createRetryNotifier(context) },
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

/** A shorter delay, in milliseconds, is over before its notice is read. */
const minNotifiedDelayMs = 3_000;

/** The least time between two notices, in milliseconds: many requests may be in flight. */
const noticeIntervalMs = 25_000;

/**
 * Creates a hook that reports slow attempts and long delays before a retry: a command that is silent for
 * two minutes seems to hang. Without a terminal it reports only the first long delay.
 */
export function createRetryNotifier(context: CliContext): (retry: RetryHookEvent) => void {
  let notifiedAt = Number.NEGATIVE_INFINITY;
  return ({ code, status, delayMs }) => {
    const isTerminal = context.stderr.isTTY === true;
    const isLong = delayMs >= minNotifiedDelayMs;
    const now = context.elapsed();
    const isRecent = now - notifiedAt < (isTerminal ? noticeIntervalMs : Number.POSITIVE_INFINITY);
    if (!(isLong || (isTerminal && code === 'timeout')) || isRecent) return;
    notifiedAt = now;
    const when = isLong ? ` in ${Math.ceil(delayMs / 1000)} s` : '';
    printNotice(context, `${describeRetry({ code, status })}; retrying${when}.`);
  };
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
