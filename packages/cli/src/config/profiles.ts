import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { CliContext } from '../context';
import { attempt, CliError, isRecord } from '../errors/cli-error';
import { lockFileWhenFree } from '../files/lock-file';
import { parseJsonObject, readIfExists, writePrivateFile } from '../files/private-files';

type Environment = CliContext['env'];

const noHomeHint = 'Set HOME, or TRADEPOST_CONFIG_DIR and TRADEPOST_STATE_DIR.';

/** Returns a folder of the platform: on Linux of XDG, on macOS in Library, on Windows in AppData. */
function platformFolder(env: Environment, kind: 'config' | 'state'): string {
  const isConfig = kind === 'config';
  // Some containers have no home. It is read only when it is needed.
  const inHome = (folder: string) =>
    join(attempt(homedir, 'file_unusable', 'There is no home directory', noHomeHint), folder);
  if (process.platform === 'darwin') {
    return inHome(`Library/${isConfig ? 'Preferences' : 'Logs'}/tradepost`);
  }
  if (process.platform === 'win32') {
    return isConfig
      ? join(env.APPDATA || inHome('AppData/Roaming'), 'tradepost/Config')
      : join(env.LOCALAPPDATA || inHome('AppData/Local'), 'tradepost/Log');
  }
  const folder = env[`XDG_${kind.toUpperCase()}_HOME`];
  return join(folder || inHome(isConfig ? '.config' : '.local/state'), 'tradepost');
}

export function configFolder(env: Environment): string {
  return env.TRADEPOST_CONFIG_DIR || platformFolder(env, 'config');
}

export function stateFolder(env: Environment): string {
  return env.TRADEPOST_STATE_DIR || platformFolder(env, 'state');
}

export interface Profile {
  baseUrl: string;
  /** The key of an account there. It is sent to no other service. */
  apiKey: string;
  /** That account, as the service last reported it. Missing if it never did. */
  account?: ProfileAccount;
}

export interface ProfileAccount {
  id: string;
  kind: string;
  /** Null if the service reports none. */
  name: string | null;
}

export interface Profiles {
  current: string | null;
  profiles: Readonly<Record<string, Profile>>;
}

export const defaultProfile = 'default';

/** Whether a text can be the name of a profile. It is safe in command lines and file names. */
export function isProfileName(text: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(text);
}

/** @throws {CliError} `usage` for a text that cannot be the name of a profile */
export function parseProfileName(text: string): string {
  if (isProfileName(text)) return text;
  throw new CliError(
    'usage',
    `${JSON.stringify(text)} is not a valid profile name`,
    'Use A–Z, a–z, 0–9, `.`, `-`, `_` (64 at most), and begin with a letter or a digit.',
  );
}

export function profilesFile(folder: string): string {
  return join(folder, 'profiles.json');
}

/**
 * Reads the profiles. A missing file has none.
 *
 * @throws {CliError} `file_failed` if the file cannot be read or is malformed
 */
export function readProfiles(file: string): Profiles {
  const text = attempt(
    () => readIfExists(file),
    'file_failed',
    'Cannot read the profiles',
    'Check the owner and the mode of the file.',
  );
  if (text === null) return { current: null, profiles: {} };
  const found = parseProfiles(text);
  if (found !== null) return found;
  throw new CliError(
    'file_failed',
    `Cannot read the profiles: ${file} is malformed`,
    'Fix the file, or move it away and log in again.',
  );
}

function parseProfiles(text: string): Profiles | null {
  const value = parseJsonObject(text);
  if (value === null || !isRecord(value.profiles)) return null;
  const profiles: Record<string, Profile> = {};
  for (const [name, profile] of Object.entries(value.profiles)) {
    if (!isRecord(profile)) return null;
    const { baseUrl, apiKey } = profile;
    if (typeof baseUrl !== 'string' || typeof apiKey !== 'string') return null;
    const account = parseAccount(profile.account);
    profiles[name] = { baseUrl, apiKey, ...(account && { account }) };
  }
  return { current: typeof value.current === 'string' ? value.current : null, profiles };
}

/** Parses the account of a profile. It is only shown: a malformed one is unknown. */
export function parseAccount(value: unknown): ProfileAccount | null {
  if (!isRecord(value)) return null;
  const { id, kind, name } = value;
  if (typeof id !== 'string' || typeof kind !== 'string') return null;
  return { id, kind, name: typeof name === 'string' ? name : null };
}

/** Names the account of a profile: `Highland Growers (seller)`. */
export function formatAccount(account: ProfileAccount | null | undefined): string {
  return account ? `${account.name ?? account.id} (${account.kind})` : 'an unknown account';
}

/** Returns a profile; null if there is none of that name. */
export function findStoredProfile({ profiles }: Profiles, name: string): Profile | null {
  return (Object.hasOwn(profiles, name) ? profiles[name] : null) ?? null;
}

/** Returns the name of the profile that is used if none is named; null if there is none. */
export function getCurrentName(stored: Profiles): string | null {
  const name = stored.current ?? defaultProfile;
  return findStoredProfile(stored, name) === null ? null : name;
}

/**
 * Writes the profiles atomically, readable by their owner only (0600).
 *
 * @throws {CliError} `file_failed`
 */
export function writeProfiles(file: string, profiles: Profiles): void {
  const write = () => writePrivateFile(file, `${JSON.stringify(profiles, null, 2)}\n`);
  attempt(write, 'file_failed', 'Cannot write the profiles', 'Nothing changed.');
}

/**
 * Changes the profiles under a lock: two processes that log in at once both succeed.
 *
 * @param change returns the new profiles. If it throws, nothing changes.
 * @returns the new profiles
 * @throws {CliError} `file_failed` if they cannot be read, written or locked; `interrupted`
 */
export async function updateProfiles(
  context: CliContext,
  change: (profiles: Profiles) => Profiles,
): Promise<Profiles> {
  const file = profilesFile(configFolder(context.env));
  const release = await lockFileWhenFree(file, context.signal);
  try {
    const changed = change(readProfiles(file));
    writeProfiles(file, changed);
    return changed;
  } finally {
    release();
  }
}

/**
 * Saves the account of a profile's key, for lists of profiles. Where they cannot be written it stays
 * unknown, and the command continues.
 *
 * @param apiKey the key that the account was requested with
 */
export async function saveAccount(
  context: CliContext,
  name: string,
  apiKey: string,
  account: ProfileAccount,
): Promise<void> {
  const isStale = (profile: Profile | null) =>
    profile?.apiKey === apiKey && JSON.stringify(profile.account) !== JSON.stringify(account);
  try {
    const file = profilesFile(configFolder(context.env));
    if (!isStale(findStoredProfile(readProfiles(file), name))) return;
    await updateProfiles(context, (stored) => {
      const profile = findStoredProfile(stored, name);
      if (profile === null || !isStale(profile)) return stored;
      return { ...stored, profiles: { ...stored.profiles, [name]: { ...profile, account } } };
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
  }
}

/** Whether other users may read a file. On Windows it is not known, and false. */
export function isReadableByOthers(file: string): boolean {
  if (process.platform === 'win32') return false;
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o077) !== 0;
}

/** Returns the profile names for shell completion. A broken file has none: the command itself reports it. */
export function listProfileNames(env: Environment): string[] {
  try {
    // Shells receive them: a file that was edited may have unsafe names.
    return Object.keys(readProfiles(profilesFile(configFolder(env))).profiles).filter(
      isProfileName,
    );
  } catch {
    return [];
  }
}
