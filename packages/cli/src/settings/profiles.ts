import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { CliError } from '../cli-error';
import { hasCode } from '../files/has-code';
import { writePrivateFile } from '../files/write-private-file';
import { isRecord } from '../is-record';
import { messageOf } from '../message-of';

/** A login: which service, as whom. */
export interface Profile {
  /** Where the service is. */
  baseUrl: string;
  /** The key of an account there. It is sent to no other place. */
  apiKey: string;
}

/** The logins of the person at the keyboard. */
export interface Profiles {
  /** The name of the one that is used unless another is named; null when there is none. */
  current: string | null;
  /** The logins by their names. */
  profiles: Readonly<Record<string, Profile>>;
}

/** The name of a login that nobody named. */
export const usualProfile = 'default';

/** The file in a config folder that has the logins. */
export function profilesFile(folder: string): string {
  return join(folder, 'profiles.json');
}

/**
 * Reads the logins. A file that is not there has none.
 *
 * @throws {CliError} `file_failed` when it cannot be read or is not what `writeProfiles` writes.
 */
export function readProfiles(file: string): Profiles {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR'))
      return { current: null, profiles: {} };
    throw failed(`the logins cannot be read: ${messageOf(error)}`, 'Look at who owns the file.');
  }
  const found = parsed(text);
  if (found !== null) return found;
  throw failed(
    `the logins cannot be read: ${file} is not what \`tradepost login\` writes`,
    'Mend the file, or move it away and log in again.',
  );
}

function parsed(text: string): Profiles | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || !isRecord(value.profiles)) return null;
    const profiles: Record<string, Profile> = {};
    for (const [name, profile] of Object.entries(value.profiles)) {
      if (!isRecord(profile)) return null;
      const { baseUrl, apiKey } = profile;
      if (typeof baseUrl !== 'string' || typeof apiKey !== 'string') return null;
      profiles[name] = { baseUrl, apiKey };
    }
    return { current: typeof value.current === 'string' ? value.current : null, profiles };
  } catch {
    return null;
  }
}

/**
 * Writes the logins, for their owner's eyes alone (0600). Another process sees the old ones or the
 * new ones, never half of them.
 *
 * @throws {CliError} `file_failed`
 */
export function writeProfiles(file: string, profiles: Profiles): void {
  try {
    writePrivateFile(file, `${JSON.stringify(profiles, null, 2)}\n`);
  } catch (error) {
    throw failed(
      `the logins cannot be written: ${messageOf(error)}`,
      'The ones before are unchanged.',
    );
  }
}

/** Whether others than its owner may read a file. Windows keeps that elsewhere: never there. */
export function isOpenToOthers(file: string): boolean {
  if (process.platform === 'win32') return false;
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && (stats.mode & 0o077) !== 0;
}

function failed(message: string, hint: string): CliError {
  return new CliError('file_failed', message, hint);
}
