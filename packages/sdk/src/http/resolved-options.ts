import { version } from '../../package.json';
import { invalidConfiguration } from '../errors';
import { findUnknownOption } from '../option-names';
import {
  clientOptionNames,
  type Fetch,
  hookNames,
  type ResponseValidator,
  type TradepostHooks,
  type TradepostLogger,
  type TradepostOptions,
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
  /** Headers of every request, including the API key unless a function returns it. */
  headers: Readonly<Record<string, string>>;
  /** Returns the value of `Authorization`, if the API key comes from a function. */
  authorize: (() => Promise<string>) | undefined;
  idempotency: 'detect' | 'assume' | 'off';
  limits: Limits;
  fetch: Fetch;
  /** Waits before a retry, instead of the runtime. */
  wait: TradepostOptions['wait'];
  /** The maximum size of a response body after decompression. */
  maxResponseBytes: number;
  /** Additional options for `fetch`. */
  fetchOptions: object | undefined;
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
  if (typeof value === 'number' && value > 0 && value <= maxTimerMs) return;
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
  if (typeof options !== 'object' || options === null) {
    throw invalidConfiguration('The client needs options: new Tradepost({ baseUrl, apiKey }).');
  }
  const { baseUrl, apiKey, userAgent, fetch, wait, fetchOptions, hooks, logger, validate } =
    options;
  const { idempotency = 'detect', defaultHeaders = {}, maxResponseBytes = 67_108_864 } = options;
  const unknown = findUnknownOption(options, clientOptionNames);
  if (unknown) throw invalidConfiguration(unknown);
  // An object with methods of its own may be a tracer, so only names of hooks are checked.
  const unknownHook = hooks && findUnknownOption(hooks, hookNames, /^on[A-Z]/);
  if (unknownHook) throw invalidConfiguration(`hooks: ${unknownHook}`);
  requireFunctions('hooks.', hooks ?? {}, Object.keys(hookNames));
  if (!['detect', 'assume', 'off'].includes(idempotency)) {
    throw invalidConfiguration(
      `idempotency must be detect, assume or off (got ${JSON.stringify(idempotency)}).`,
    );
  }
  if (!(Number.isInteger(maxResponseBytes) && maxResponseBytes > 0)) {
    throw invalidConfiguration(
      `maxResponseBytes must be an integer of at least 1 (got ${maxResponseBytes}).`,
    );
  }
  requireFunctions('', options, ['fetch', 'wait', 'validate']);
  const ownOption = Object.keys(Object(fetchOptions)).find((name) => reservedOptions.has(name));
  if (ownOption || (fetchOptions !== undefined && typeof fetchOptions !== 'object')) {
    throw invalidConfiguration(
      `fetchOptions must be an object without ${[...reservedOptions].join(', ')}, which are the client's.`,
    );
  }
  const headers: Record<string, string> = { accept: 'application/json' };
  const { redact, add } = createRedactor();
  let authorize: ResolvedOptions['authorize'];
  if (typeof apiKey === 'function') {
    authorize = async () => {
      const key = await apiKey();
      const value = toAuthorization(key);
      add(key);
      return value;
    };
  } else {
    headers[authorization] = toAuthorization(apiKey);
    add(apiKey);
  }
  const base = parseBaseUrl(baseUrl);
  setHeader(headers, 'user-agent', `${userAgent ? `${userAgent} ` : ''}tradepost-sdk/${version}`);
  for (const [name, value] of Object.entries(defaultHeaders)) setHeader(headers, name, value);
  return {
    baseUrl: base,
    redact,
    headers,
    authorize,
    idempotency,
    limits: resolveLimits(options),
    maxResponseBytes,
    fetchOptions,
    // Read at each call, so that a later replacement of the global `fetch` takes effect.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    wait,
    hooks: hooks ?? {},
    logger: logger ?? {},
    validate,
  };
}

/** Options of `fetch` that the client sets. */
const reservedOptions = new Set(['method', 'headers', 'body', 'redirect', 'signal']);

function requireFunctions(prefix: string, options: object, names: readonly string[]): void {
  for (const name of names) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && typeof value !== 'function') {
      throw invalidConfiguration(`${prefix}${name} must be a function.`);
    }
  }
}

/** Returns the value of `Authorization`, after the checks of an API key. */
function toAuthorization(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw invalidConfiguration('apiKey is missing: pass your API key. Is TRADEPOST_API_KEY set?');
  }
  if (/^bearer\s/i.test(apiKey)) {
    throw invalidConfiguration('apiKey starts with "Bearer ": leave it out.');
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw invalidConfiguration('apiKey has a space, line break or non-ASCII character: remove it.');
  }
  return `Bearer ${apiKey}`;
}

function parseBaseUrl(baseUrl: string): string {
  if (!baseUrl) {
    throw invalidConfiguration('baseUrl is empty: is TRADEPOST_BASE_URL set?');
  }
  let url: URL | null = null;
  try {
    // Not `canParse`, which React Native does not have.
    url = new URL(baseUrl);
    // Throws where it is not implemented.
    void url.protocol;
  } catch (error) {
    if (/not implemented/.test(String(error))) {
      throw invalidConfiguration(
        'This runtime has no complete URL: load a polyfill, such as react-native-url-polyfill.',
      );
    }
  }
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalidConfiguration(
      'baseUrl must be an absolute http or https URL, such as https://trade.example. Yours is not shown: it may be a secret.',
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw invalidConfiguration('baseUrl must have no user name, password, query or fragment.');
  }
  return url.href.replace(/\/+$/, '');
}
