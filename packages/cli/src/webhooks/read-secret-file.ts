import { readFileSync } from 'node:fs';
import { CliError } from '../cli-error';
import { messageOf } from '../message-of';

/**
 * Reads an endpoint secret from a file. One line end at its end is no part of it; all else is.
 *
 * @throws {CliError} `file_failed` when the file cannot be read, `usage` when it is empty.
 */
export function readSecretFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(
      'file_failed',
      `the secret cannot be read: ${messageOf(error)}`,
      'Name a file that has the secret of the webhook, whsec_… and nothing else.',
    );
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret.trim() !== '') return secret;
  throw new CliError('usage', `${path} is empty: it should have the secret of the webhook`);
}
