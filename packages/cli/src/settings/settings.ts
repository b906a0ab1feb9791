import { CliError } from '../cli-error';
import type { ConnectionOptions } from '../global-options';
import type { Terminal } from '../terminal';
import { checkBaseUrl } from './base-url';
import { configFolder } from './folders';
import { isProfileName } from './profile-name';
import { type Profile, type Profiles, profilesFile, readProfiles, usualProfile } from './profiles';

/** Where a setting came from. */
export type SettingSource = 'option' | 'environment' | 'profile';

/** Which service to ask, and as whom. */
export interface Settings {
  /** Where the service is. */
  baseUrl: string;
  /** Where that came from. */
  baseUrlSource: SettingSource;
  /** The key to ask with. */
  apiKey: string;
  /** Where that came from. */
  apiKeySource: SettingSource;
  /** The login that one of them came from; null when none was needed. */
  profile: string | null;
}

/** The settings as far as they are there. */
export type FoundSettings = { [Name in keyof Settings]: Settings[Name] | null };

/** The name of the login that is asked for; null when it is left to the file. */
export function namedProfile(terminal: Terminal, options: ConnectionOptions): string | null {
  return options.profile ?? (terminal.env.TRADEPOST_PROFILE?.trim() || null);
}

/**
 * Finds the settings: options go before the environment, and that before the logins. A login that an
 * option names goes before the environment too.
 *
 * @throws {CliError} `usage` when the login that is named does not exist, or when its key would be
 * sent to another service than its own; `file_failed` when the logins cannot be read.
 * @throws {TradepostError} `invalid_configuration` when the base URL cannot be one.
 */
export function findSettings(terminal: Terminal, options: ConnectionOptions): FoundSettings {
  const { env } = terminal;
  const envUrl = env.TRADEPOST_BASE_URL?.trim() || null;
  // A key that was read from a file often brings the file's line end along.
  const envKey = env.TRADEPOST_API_KEY?.trim() || null;
  const optionUrl = options.baseUrl?.trim() || null;
  const settings: FoundSettings = {
    baseUrl: optionUrl ?? envUrl,
    baseUrlSource: optionUrl !== null ? 'option' : envUrl !== null ? 'environment' : null,
    apiKey: envKey,
    apiKeySource: envKey === null ? null : 'environment',
    profile: null,
  };
  const isNamed = options.profile !== undefined;
  if (!isNamed && settings.baseUrl !== null && settings.apiKey !== null) return settings;

  const login = loginOf(terminal, options);
  if (login === null) return settings;
  const { name, profile } = login;
  if (optionUrl === null && (isNamed || envUrl === null)) {
    settings.baseUrl = profile.baseUrl;
    settings.baseUrlSource = 'profile';
    settings.profile = name;
  }
  if (isNamed || envKey === null) {
    if (!isSameService(settings.baseUrl, profile.baseUrl)) {
      // One that leads nowhere belongs to no other service either.
      if (settings.baseUrl !== null) checkBaseUrl(settings.baseUrl);
      throw foreignKey(name, settings.baseUrl);
    }
    settings.apiKey = profile.apiKey;
    settings.apiKeySource = 'profile';
    settings.profile = name;
  }
  return settings;
}

/** The login that is named, or else the current one; null when none is named and there is none. */
function loginOf(
  terminal: Terminal,
  options: ConnectionOptions,
): { name: string; profile: Profile } | null {
  const stored: Profiles = readProfiles(profilesFile(configFolder(terminal.env)));
  const named = namedProfile(terminal, options);
  const name = named ?? stored.current ?? usualProfile;
  const profile = Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined;
  if (profile !== undefined) return { name, profile };
  if (named === null) return null;
  throw noSuchLogin(name);
}

/** The error for a login that is named and not there. */
export function noSuchLogin(name: string): CliError {
  const making = isProfileName(name) ? `; \`tradepost login --profile ${name}\` makes it` : '';
  return new CliError(
    'usage',
    `there is no login named '${name}'`,
    `\`tradepost profiles list\` shows those there are${making}.`,
  );
}

/** A base URL in the one way that all who lead to the same place can be written in. */
export function writtenAlike(baseUrl: string): string {
  return (URL.canParse(baseUrl) ? new URL(baseUrl).href : baseUrl).replace(/\/+$/, '');
}

/** Whether two base URLs lead to the same place, however they are written. */
export function isSameService(one: string | null, other: string): boolean {
  return one !== null && writtenAlike(one) === writtenAlike(other);
}

/** A base URL as it is shown where nobody has checked it: without a password, and nothing that is no URL. */
export function shownUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin + url.pathname : '(not shown)';
}

function foreignKey(name: string, baseUrl: string | null): CliError {
  return new CliError(
    'usage',
    `the key of the login '${name}' belongs to another service: it is not sent to ${shownUrl(baseUrl ?? '')}`,
    'Set TRADEPOST_API_KEY to a key of that service, or log in to it with `tradepost login --profile NAME`.',
  );
}

/**
 * Finds the settings that a request needs.
 *
 * @throws {CliError} `usage` without a base URL, `missing_api_key` or `invalid_api_key` without a
 * key that can be sent, and what `findSettings` throws.
 */
export function settingsOf(terminal: Terminal, options: ConnectionOptions): Settings {
  const { baseUrl, baseUrlSource, apiKey, apiKeySource, profile } = findSettings(terminal, options);
  if (baseUrl === null || baseUrlSource === null) {
    throw new CliError(
      'usage',
      'no base URL is set: it tells where the service is',
      'Log in with `tradepost login`, set TRADEPOST_BASE_URL, or pass --base-url. A reference server on this machine is at http://127.0.0.1:4010.',
    );
  }
  if (apiKey === null || apiKeySource === null) {
    throw new CliError(
      'missing_api_key',
      'no API key is set',
      'Log in with `tradepost login`, or put the key into the environment variable TRADEPOST_API_KEY. It has no option: other programs can see the command line.',
    );
  }
  if (!canBeKey(apiKey)) {
    throw new CliError(
      'invalid_api_key',
      'the API key holds a character that no key has',
      'Set TRADEPOST_API_KEY to the key alone, without spaces, quotes or line breaks.',
    );
  }
  return { baseUrl, baseUrlSource, apiKey, apiKeySource, profile };
}

/** Whether a text can be sent as a key: visible ASCII, and nothing else. */
export function canBeKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
