import { Tradepost } from '@tradepost/sdk';
import type { CliContext } from '../context';
import { CliError, commandHint, type Hint, localHint } from '../errors/cli-error';
import type { ConnectionOptions } from '../input/options';
import {
  configFolder,
  defaultProfile,
  findStoredProfile,
  isProfileName,
  type Profile,
  profilesFile,
  readProfiles,
} from './profiles';

export type SettingSource = 'option' | 'environment' | 'profile';

export interface Settings {
  baseUrl: string;
  baseUrlSource: SettingSource;
  apiKey: string;
  apiKeySource: SettingSource;
  /** The account of the key, as the profile of it tells; null if it does not. */
  accountId: string | null;
  /** The profile that one of them came from; null if none was needed. */
  profile: string | null;
}

export type FoundSettings = { [Name in keyof Settings]: Settings[Name] | null };

export const listProfilesHint = localHint('To list profiles, run', 'profiles list');

/** Returns the profile that `--profile` or TRADEPOST_PROFILE names; null for the current one. */
export function selectedProfile(context: CliContext, options: ConnectionOptions): string | null {
  return options.profile ?? (context.env.TRADEPOST_PROFILE?.trim() || null);
}

/**
 * Finds the settings. Options take precedence over the environment, and the environment over profiles,
 * except for a profile that `--profile` names.
 *
 * @throws {CliError} `usage` if the named profile does not exist, or if its key would be sent to another
 * service than its own; `file_failed` if the profiles cannot be read
 * @throws {TradepostError} `invalid_configuration` if the base URL is not valid
 */
export function findSettings(context: CliContext, options: ConnectionOptions): FoundSettings {
  const { env } = context;
  const envUrl = env.TRADEPOST_BASE_URL?.trim() || null;
  // A key that was read from a file often ends with the line end of the file.
  const envKey = env.TRADEPOST_API_KEY?.trim() || null;
  const optionUrl = options.baseUrl?.trim() || null;
  const settings: FoundSettings = {
    baseUrl: optionUrl ?? envUrl,
    baseUrlSource: optionUrl !== null ? 'option' : envUrl !== null ? 'environment' : null,
    apiKey: envKey,
    apiKeySource: envKey === null ? null : 'environment',
    accountId: null,
    profile: null,
  };
  const isNamed = options.profile !== undefined;
  if (!isNamed && settings.baseUrl !== null && settings.apiKey !== null) return settings;

  const found = findProfile(context, options);
  if (found === null) return settings;
  const { name, profile } = found;
  if (optionUrl === null && (isNamed || envUrl === null)) {
    settings.baseUrl = profile.baseUrl;
    settings.baseUrlSource = 'profile';
    settings.profile = name;
  }
  if (isNamed || envKey === null) {
    if (!isSameService(settings.baseUrl, profile.baseUrl)) {
      if (settings.baseUrl !== null) assertBaseUrl(settings.baseUrl);
      throw new CliError(
        'usage',
        `The key of profile '${name}' belongs to another service: it is not sent to ${displayUrl(settings.baseUrl ?? '')}`,
        'Set TRADEPOST_API_KEY to a key of that service.',
        localHint('Or run', 'login --profile NAME'),
      );
    }
    settings.apiKey = profile.apiKey;
    settings.apiKeySource = 'profile';
    settings.accountId = profile.account?.id ?? null;
    settings.profile = name;
  }
  return settings;
}

/** Returns the named or current profile; null if none is named and there is none. */
function findProfile(
  context: CliContext,
  options: ConnectionOptions,
): { name: string; profile: Profile } | null {
  const stored = readProfiles(profilesFile(configFolder(context.env)));
  const named = selectedProfile(context, options);
  const name = named ?? stored.current ?? defaultProfile;
  const profile = findStoredProfile(stored, name);
  if (profile !== null) return { name, profile };
  if (named === null) return null;
  throw unknownProfileError(name);
}

export function unknownProfileError(name: string): CliError {
  const hints: Hint[] = [listProfilesHint];
  if (isProfileName(name)) {
    hints.push(localHint('To create it, run', `login --profile ${name}`));
  }
  return new CliError('usage', `No profile named '${name}'`, ...hints);
}

/**
 * Finds the settings for a request.
 *
 * @throws {CliError} `usage` without a base URL, `missing_api_key`, `invalid_api_key`, and what
 * `findSettings` throws
 */
export function resolveSettings(context: CliContext, options: ConnectionOptions): Settings {
  const found = findSettings(context, options);
  const { baseUrl, baseUrlSource, apiKey, apiKeySource } = found;
  if (baseUrl === null || baseUrlSource === null) {
    throw new CliError(
      'usage',
      'You are not logged in',
      commandHint('Run', 'login'),
      'For scripts, set TRADEPOST_BASE_URL and TRADEPOST_API_KEY. The reference server listens on http://127.0.0.1:4010 by default.',
    );
  }
  if (apiKey === null || apiKeySource === null) {
    throw new CliError(
      'missing_api_key',
      'No API key is set',
      commandHint('Run', 'login'),
      'For scripts, set TRADEPOST_API_KEY. There is no option for it: other programs can see the command line.',
    );
  }
  if (!isValidKey(apiKey)) {
    throw new CliError(
      'invalid_api_key',
      'The API key contains an invalid character',
      'Set TRADEPOST_API_KEY to the key alone, without spaces, quotes or line breaks.',
    );
  }
  return { ...found, baseUrl, baseUrlSource, apiKey, apiKeySource };
}

/** Whether a text can be sent as a key: visible ASCII only. */
export function isValidKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/**
 * Returns the first characters of an API key, by which people recognise it: `tpk_4fQx…`. A key so short
 * that this would reveal it is shown as dots.
 */
export function getKeyPrefix(apiKey: string): string {
  const shown = /^[A-Za-z]{1,8}_/.exec(apiKey)?.[0].length ?? 0;
  return apiKey.length >= shown + 16 ? `${apiKey.slice(0, shown + 4)}…` : '…';
}

/** @throws {TradepostError} `invalid_configuration` for a text that is not a valid base URL */
export function assertBaseUrl(baseUrl: string): void {
  // The SDK has the rules. This client sends nothing.
  new Tradepost({ baseUrl, apiKey: 'none' });
}

export function isBaseUrl(baseUrl: string): boolean {
  try {
    assertBaseUrl(baseUrl);
    return true;
  } catch {
    return false;
  }
}

/** Whether others on the network can read the key: http to another machine. */
export function isUnencrypted(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Whether a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\]|(.*\.)?localhost)$/.test(hostname);
}

/** Normalises a base URL, so that all spellings of it are equal. */
export function normalizeUrl(baseUrl: string): string {
  return (URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl).replace(/\/+$/, '');
}

export function isSameService(one: string | null, other: string): boolean {
  return one !== null && normalizeUrl(one) === normalizeUrl(other);
}

/** Formats a base URL that was not validated: without a password. What is not a URL may be a secret. */
export function displayUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin + url.pathname : '(not shown)';
}

/** The proxy for a service. */
export interface ServiceProxy {
  /** It may have a user and a password. */
  url: URL;
  /** The name of the variable that it is from. */
  variable: string;
}

/** Returns its URL without the password, and where it is from: `http://proxy.example:3128 (HTTPS_PROXY)`. */
export function describeProxy({ url, variable }: ServiceProxy): string {
  return `${url.origin} (${variable})`;
}

/** A request through a proxy failed. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError' as const;

  constructor(proxy: ServiceProxy, cause: unknown) {
    super(
      `The request went through the proxy ${describeProxy(proxy)}: check it, and its user and password. NO_PROXY names hosts that need none.`,
      { cause },
    );
  }
}

/**
 * Finds the proxy for a service: that of HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY names the host, or the service is on
 * this machine. Names in lower case come first, as for curl.
 *
 * @returns null for none
 * @throws {CliError} `usage` if the variable is not the URL of a proxy
 */
export function findProxy(env: CliContext['env'], baseUrl: string): ServiceProxy | null {
  if (!URL.canParse(baseUrl)) return null;
  const service = new URL(baseUrl);
  const name = `${service.protocol.slice(0, -1)}_proxy`;
  const variable = [name, name.toUpperCase()].find((known) => env[known]?.trim());
  if (variable === undefined || isLoopback(service.hostname)) return null;
  if (isExcluded(service, env.no_proxy ?? env.NO_PROXY ?? '')) return null;
  const text = env[variable]?.trim() ?? '';
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return { url, variable };
  throw new CliError(
    'usage',
    `${variable} is not the URL of a proxy`,
    'Use http://HOST:PORT. A user and a password, with a colon between them, come before HOST and an @.',
  );
}

/** Whether NO_PROXY names a host: it, a domain that it is in, either with a port, or `*` for all. */
function isExcluded({ hostname, protocol, port }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = '', onlyPort = ownPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const isNamed = name === '*' || hostname === name || hostname.endsWith(`.${name}`);
      return name !== '' && isNamed && onlyPort === ownPort;
    });
}
