import { version } from '../../package.json';
import type { Fetch, TradepostOptions } from '../tradepost-options';
import { invalidConfiguration } from './invalid-configuration';

/** How long and how often a call may try. */
interface Limits {
  timeout: number;
  deadline: number;
  maxRetries: number;
}

/** The client's options after the checks, with every default filled in. */
export interface Settings {
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string;
  userAgent: string;
  limits: Limits;
  fetch: Fetch;
}

const defaultLimits: Limits = { timeout: 30_000, deadline: 120_000, maxRetries: 3 };

/** Timers hold no more than this: a longer one would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Puts a call's own limits over the client's, or the client's over the defaults.
 *
 * @throws {TradepostError} `invalid_configuration` when a limit cannot be right.
 */
export function readLimits(
  given: { [Name in keyof Limits]?: number | undefined },
  base: Limits = defaultLimits,
): Limits {
  const { timeout = base.timeout, deadline = base.deadline, maxRetries = base.maxRetries } = given;
  for (const [name, value] of Object.entries({ timeout, deadline })) {
    if (!(value > 0 && value <= longestTimerMs)) {
      throw invalidConfiguration(
        `${name} must be milliseconds from 1 to ${longestTimerMs} (got ${value}).`,
      );
    }
  }
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw invalidConfiguration(`maxRetries must be 0 or a larger integer (got ${maxRetries}).`);
  }
  return { timeout, deadline, maxRetries };
}

/**
 * Checks the client's options. No message shows the API key.
 *
 * @throws {TradepostError} `invalid_configuration` when an option cannot be right.
 */
export function readSettings(options: TradepostOptions): Settings {
  const { baseUrl, apiKey, userAgent, fetch } = options;
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw invalidConfiguration(
      'apiKey is missing: pass the API key of your account, for example from TRADEPOST_API_KEY.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalidConfiguration(
      'apiKey holds a space, a line break or another character that no key has: trim it.',
    );
  }
  const own = `tradepost-sdk/${version}`;
  return {
    baseUrl: readBaseUrl(baseUrl),
    apiKey,
    userAgent: userAgent ? `${userAgent} ${own}` : own,
    limits: readLimits(options),
    // Looked up at each call: whoever replaces the global later is heard.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

function readBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalidConfiguration(
      `baseUrl must be an absolute http or https URL, such as https://trade.example (got ${JSON.stringify(baseUrl)}).`,
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalidConfiguration(
      'baseUrl must have no user name, password, query or fragment: only where the service is.',
    );
  }
  return url.href.replace(/\/+$/, '');
}
