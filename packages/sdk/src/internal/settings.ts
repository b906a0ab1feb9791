import { version } from '../../package.json';
import type { Fetch, TradepostOptions } from '../tradepost-options';
import type { AnswerCheck } from './answer-check';
import { type BlotOut, blotOutOf } from './blot-out';
import { authorization } from './header-names';
import type { TradepostHooks } from './hooks';
import { invalidConfiguration } from './invalid-configuration';
import type { TradepostLogger } from './logger';
import { setHeader } from './set-header';

/** How long and how often a call may try. */
export interface Limits {
  timeout: number;
  deadline: number;
  maxRetries: number;
}

/** The client's options after the checks, with every default filled in. */
export interface Settings {
  /** Without a slash at its end. */
  baseUrl: string;
  /** Keeps the API key out of messages and logs. */
  blotOut: BlotOut;
  /** What every request carries, the API key among it. */
  headers: Readonly<Record<string, string>>;
  limits: Limits;
  fetch: Fetch;
  hooks: TradepostHooks;
  logger: TradepostLogger;
  validate: AnswerCheck | undefined;
}

const defaultLimits: Limits = { timeout: 30_000, deadline: 120_000, maxRetries: 3 };

/** Timers hold no more than this: a longer one would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Puts a call's own limits over the client's, or the client's over the defaults.
 *
 * @param waitSeconds what the service was asked to wait before it answers: it comes on top of both times
 * @throws {TradepostError} `invalid_configuration` when a limit cannot be right.
 */
export function readLimits(
  given: { [Name in keyof Limits]?: number | undefined } = {},
  base: Limits = defaultLimits,
  waitSeconds = 0,
): Limits {
  const { timeout = base.timeout, deadline = base.deadline, maxRetries = base.maxRetries } = given;
  requireMilliseconds('timeout', timeout);
  requireMilliseconds('deadline', deadline);
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw invalidConfiguration(`maxRetries must be 0 or a larger integer (got ${maxRetries}).`);
  }
  // A wait that makes no sense is for the service to refuse.
  const waitMs = waitSeconds > 0 ? waitSeconds * 1_000 : 0;
  return {
    timeout: Math.min(timeout + waitMs, longestTimerMs),
    deadline: Math.min(deadline + waitMs, longestTimerMs),
    maxRetries,
  };
}

function requireMilliseconds(name: string, value: number): void {
  if (value > 0 && value <= longestTimerMs) return;
  throw invalidConfiguration(
    `${name} must be milliseconds from 1 to ${longestTimerMs} (got ${value}).`,
  );
}

/**
 * Checks the client's options. No message shows the API key.
 *
 * @throws {TradepostError} `invalid_configuration` when an option cannot be right.
 */
export function readSettings(options: TradepostOptions): Settings {
  const { baseUrl, apiKey, userAgent, fetch, hooks, logger, validate } = options;
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw invalidConfiguration('apiKey is missing: pass the API key of your account.');
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalidConfiguration(
      'apiKey holds a character that no key has, such as a line break: trim it.',
    );
  }
  const base = readBaseUrl(baseUrl);
  const headers: Record<string, string> = {
    accept: 'application/json',
    [authorization]: `Bearer ${apiKey}`,
  };
  setHeader(headers, 'user-agent', `${userAgent ? `${userAgent} ` : ''}tradepost-sdk/${version}`);
  return {
    baseUrl: base,
    blotOut: blotOutOf(apiKey),
    headers,
    limits: readLimits(options),
    // Looked up at each call: whoever replaces the global later is heard.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    hooks: hooks ?? {},
    logger: logger ?? {},
    validate,
  };
}

function readBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalidConfiguration(
      'baseUrl must be an absolute http or https URL, such as https://trade.example. What was given is not shown, since it may be a secret.',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalidConfiguration('baseUrl must have no user name, password, query or fragment.');
  }
  return url.href.replace(/\/+$/, '');
}
