import { Tradepost } from '@tradepost/sdk';
import { version } from '../package.json';
import type { ConnectionOptions } from './global-options';
import { type Settings, settingsOf } from './settings/settings';
import { recordingFetch } from './support/recording-fetch';
import type { Terminal } from './terminal';

/**
 * Makes the client that a command works with. Nothing is sent yet.
 *
 * @throws what `settingsOf` throws, and a `TradepostError` (`invalid_configuration`) when the base
 * URL cannot be right.
 */
export function connect(terminal: Terminal, options: ConnectionOptions): Tradepost {
  return connectAs(settingsOf(terminal, options), terminal, options);
}

/** Makes a client of settings that are known. Nothing is sent yet. */
export function connectAs(
  { baseUrl, apiKey }: Pick<Settings, 'baseUrl' | 'apiKey'>,
  terminal: Terminal,
  { debug }: Pick<ConnectionOptions, 'debug'>,
): Tradepost {
  return new Tradepost({
    baseUrl,
    apiKey,
    userAgent: `tradepost-cli/${version}`,
    fetch: debug === undefined ? undefined : recordingFetch(debug, apiKey, terminal),
  });
}
