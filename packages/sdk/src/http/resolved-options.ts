import { version } from '../../package.json';
import { invalidConfiguration } from '../errors';
import type {
  Fetch,
  ResponseValidator,
  TradepostHooks,
  TradepostLogger,
  TradepostOptions,
} from '../options';
import { authorization, setHeader } from './headers';
import { createRedactor, type Redact } from './redact';

/** Limits of a call, in milliseconds and retries. */
export interface Limits {
  timeout: number;
  deadline: number;
  maxRetries: number;
}

/** The client's options after validation, with all defaults. */
export interface ResolvedOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Removes the API key from messages and logs. */
  redact: Redact;
  /** Headers of every request, including the API key. */
  headers: Readonly<Record<string, string>>;
  limits: Limits;
  fetch: Fetch;
  hooks: TradepostHooks;
  logger: TradepostLogger;
  validate: ResponseValidator | undefined;
}

const defaultLimits: Limits = { timeout: 30_000, deadline: 120_000, maxRetries: 3 };

/** The maximum of `setTimeout`. A longer timer would fire immediately. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Merges a call's limits into those of the client, or the client's into the defaults.
 *
 * @param waitSeconds how long the service is asked to wait before it responds; added to both times
 * @throws {TradepostError} `invalid_configuration` when a limit is not valid.
 */
export function resolveLimits(
  given: { [Name in keyof Limits]?: number | undefined } = {},
  base: Limits = defaultLimits,
  waitSeconds = 0,
): Limits {
  const { timeout = base.timeout, deadline = base.deadline, maxRetries = base.maxRetries } = given;
  requireMilliseconds('timeout', timeout);
  requireMilliseconds('deadline', deadline);
  if (!Number.isInteger(maxRetries) || maxRetries < 0) {
    throw invalidConfiguration(`maxRetries must be an integer of at least 0 (got ${maxRetries}).`);
  }
  // The service rejects invalid values.
  const waitMs = waitSeconds > 0 ? waitSeconds * 1_000 : 0;
  return {
    timeout: Math.min(timeout + waitMs, maxTimerMs),
    deadline: Math.min(deadline + waitMs, maxTimerMs),
    maxRetries,
  };
}

function requireMilliseconds(name: string, value: number): void {
  if (value > 0 && value <= maxTimerMs) return;
  throw invalidConfiguration(
    `${name} must be milliseconds from 1 to ${maxTimerMs} (got ${value}).`,
  );
}

/**
 * Validates the client's options. No message contains the API key.
 *
 * @throws {TradepostError} `invalid_configuration` when an option is not valid.
 */
export function resolveOptions(options: TradepostOptions): ResolvedOptions {
  const { baseUrl, apiKey, userAgent, fetch, hooks, logger, validate } = options;
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw invalidConfiguration('apiKey is missing: pass the API key of your account.');
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalidConfiguration(
      'apiKey contains a space, line break or non-ASCII character: remove it.',
    );
  }
  const base = parseBaseUrl(baseUrl);
  const headers: Record<string, string> = {
    accept: 'application/json',
    [authorization]: `Bearer ${apiKey}`,
  };
  setHeader(headers, 'user-agent', `${userAgent ? `${userAgent} ` : ''}tradepost-sdk/${version}`);
  return {
    baseUrl: base,
    redact: createRedactor(apiKey),
    headers,
    limits: resolveLimits(options),
    // Read at each call, so that a later replacement of the global `fetch` takes effect.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    hooks: hooks ?? {},
    logger: logger ?? {},
    validate,
  };
}

function parseBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalidConfiguration(
      'baseUrl must be an absolute http or https URL, such as https://trade.example. The given value is not shown, because it may be a secret.',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalidConfiguration('baseUrl must have no user name, password, query or fragment.');
  }
  return url.href.replace(/\/+$/, '');
}
