import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { parseSecretKeys, type SecretKey } from '../stores/encryption';
import { OperatorError } from './operator-error';
import { readOptionFile } from './options';

/** The variable with the keys themselves. A flag would show them in the list of processes. */
const keyVariable = 'TRADEPOST_SECRET_KEY';

/**
 * Reads the keys that encrypt endpoint secrets: from the file, or from `TRADEPOST_SECRET_KEY`.
 *
 * @returns The newest first; empty if none are configured.
 * @throws OperatorError if a key is invalid, or if both are set. The message does not show a key.
 */
export function readSecretKeys(
  { secretKeyFile: file }: { secretKeyFile?: string },
  env: NodeJS.ProcessEnv = process.env,
): SecretKey[] {
  const text = env[keyVariable];
  if (file === undefined && text === undefined) return [];
  if (file !== undefined && text !== undefined) {
    throw new OperatorError(
      `Both --secret-key-file (${file}) and ${keyVariable} are set. Put all keys in one place and unset the other.`,
    );
  }
  const [source, keys] =
    file === undefined
      ? [keyVariable, text ?? '']
      : [file, readOptionFile('--secret-key-file', file)];
  try {
    return parseSecretKeys(keys);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OperatorError(
      `The secret keys in ${source} are not valid. ${error.message} Use what \`tradepost-server secrets generate-key\` prints.`,
    );
  }
}

/** Returns whether other users than the owner of a file with secret keys have permissions on it. */
export function isReadableByOthers(file: string, env: NodeJS.ProcessEnv = process.env): boolean {
  // On Windows, the mode does not say it.
  if (process.platform === 'win32') return false;
  // systemd lets the user of a service read credentials by an ACL, which shows as permissions of the group.
  const { CREDENTIALS_DIRECTORY: credentials } = env;
  if (credentials !== undefined && dirname(resolve(file)) === resolve(credentials)) return false;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o077) !== 0;
}
