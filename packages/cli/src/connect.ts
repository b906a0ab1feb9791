import { Tradepost } from '@tradepost/sdk';
import { version } from '../package.json';
import { CliError } from './cli-error';
import type { GlobalOptions } from './global-options';
import type { Terminal } from './terminal';

/**
 * Makes the client that a command works with. Nothing is sent yet.
 *
 * @throws {CliError} `usage` without a base URL, `missing_api_key` or `invalid_api_key` without a
 * key that can be sent.
 * @throws {TradepostError} `invalid_configuration` when the base URL cannot be right.
 */
export function connect(terminal: Terminal, options: GlobalOptions): Tradepost {
  const baseUrl = (options.baseUrl ?? terminal.env.TRADEPOST_BASE_URL)?.trim();
  if (!baseUrl) {
    throw new CliError(
      'usage',
      'no base URL is set: it tells where the service is',
      'Set TRADEPOST_BASE_URL or pass --base-url. A reference server on this machine is at http://127.0.0.1:4010.',
    );
  }
  // A key that was read from a file often brings the file's line end along.
  const apiKey = terminal.env.TRADEPOST_API_KEY?.trim();
  if (!apiKey) {
    throw new CliError(
      'missing_api_key',
      'no API key is set',
      'Put it into the environment variable TRADEPOST_API_KEY. It has no option: other programs can see the command line.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new CliError(
      'invalid_api_key',
      'the API key holds a character that no key has',
      'Set TRADEPOST_API_KEY to the key alone, without spaces, quotes or line breaks.',
    );
  }
  return new Tradepost({ baseUrl, apiKey, userAgent: `tradepost-cli/${version}` });
}
