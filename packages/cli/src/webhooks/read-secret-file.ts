import { closeSync, openSync, readSync } from 'node:fs';
import { CliError } from '../cli-error';
import { messageOf } from '../message-of';

/** No secret has so many bytes; a device may have no end. */
const longest = 4_096;

/**
 * Reads an endpoint secret from a file. One line end at its end is no part of it; all else is.
 *
 * @throws {CliError} `input_failed` when the file cannot be read, `usage` when it has no secret.
 */
export function readSecretFile(path: string): string {
  const text = beginningOf(path);
  if (Buffer.byteLength(text) >= longest) {
    throw new CliError('usage', `${path} has more than a secret: ${longest} bytes or more`);
  }
  const secret = text.replace(/\r?\n$/, '');
  if (secret.trim() !== '') return secret;
  throw new CliError('usage', `${path} is empty: it should have the secret of the webhook`);
}

function beginningOf(path: string): string {
  const bytes = Buffer.alloc(longest);
  let length = 0;
  try {
    const file = openSync(path, 'r');
    try {
      // A pipe may hand out a secret in parts.
      for (let read = -1; read !== 0 && length < longest; length += read) {
        read = readSync(file, bytes, length, longest - length, null);
      }
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new CliError(
      'input_failed',
      `the secret cannot be read: ${messageOf(error)}`,
      'Name a file that has the secret of the webhook, whsec_… and nothing else.',
    );
  }
  return bytes.toString('utf8', 0, length);
}
