import { Tradepost } from '@tradepost/sdk';
import { version } from '../package.json';
import type { ConnectionOptions } from './global-options';
import { pooledFetch } from './pooled-fetch';
import { retryTeller } from './retry-teller';
import { type Settings, settingsOf } from './settings/settings';
import { recordingFetch } from './support/recording-fetch';
import type { Terminal } from './terminal';

/**
 * Makes the client that a command works with. Nothing is sent yet.
 *
 * @param concurrency how many requests are made at a time, where many are to be made
 * @throws what `settingsOf` throws, and a `TradepostError` (`invalid_configuration`) when the base
 * URL cannot be right.
 */
export function connect(
  terminal: Terminal,
  options: ConnectionOptions,
  concurrency?: number,
): Tradepost {
  return connectAs(settingsOf(terminal, options), terminal, options, concurrency);
}

/**
 * Makes a client of settings that are known. Nothing is sent yet.
 *
 * @param concurrency how many requests are made at a time, where many are to be made
 */
export function connectAs(
  { baseUrl, apiKey }: Pick<Settings, 'baseUrl' | 'apiKey'>,
  terminal: Terminal,
  { debug }: Pick<ConnectionOptions, 'debug'>,
  concurrency?: number,
): Tradepost {
  // The pool knows no proxy; Node's own fetch does where it is told to.
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = '' } = terminal.env;
  const usesProxy = NODE_USE_ENV_PROXY === '1' || NODE_OPTIONS.includes('--use-env-proxy');
  const isPooled = concurrency !== undefined && !usesProxy;
  const many = isPooled ? pooledFetch(concurrency) : undefined;
  return new Tradepost({
    baseUrl,
    apiKey,
    userAgent: `tradepost-cli/${version}`,
    fetch: debug === undefined ? many : recordingFetch(debug, apiKey, terminal, many),
    hooks: { onRetry: retryTeller(terminal) },
  });
}
