import { closeSync, openSync, readSync } from 'node:fs';
import {
  type SignDeliveryOptions,
  type SignedDelivery,
  signDelivery as sign,
} from '@tradepost/sdk/testing';
import { attempt, CliError, getErrorMessage } from '../../errors/cli-error';
import { decodeText } from '../../files/decode-text';

/** The most bytes that are read: a device may be endless. */
const maxBytes = 4_096;

/** What to do if a response has no secret. */
export const withoutSecret =
  'Without it deliveries cannot be verified. Notify the operator of the service.';

/**
 * Reads an endpoint secret from a file, without one line end at its end.
 *
 * @throws {CliError} `input_unreadable` if the file cannot be read, `usage` if it has no secret
 */
export function readSecretFile(path: string): string {
  const bytes = attempt(
    () => readStart(path, maxBytes),
    'input_unreadable',
    'Cannot read the secret',
    'Name a file with the secret of the webhook, whsec_…, and nothing else.',
  );
  if (bytes.length >= maxBytes) {
    throw new CliError('usage', `${path} is not a secret: it has ${maxBytes} bytes or more`);
  }
  const secret = decodeText(bytes, path).replace(/\r?\n$/, '');
  if (secret.trim() !== '') return secret;
  throw new CliError('usage', `${path} is empty`, 'Write the secret of the webhook into it.');
}

/**
 * Reads the first bytes of a file, or all if there are no more.
 *
 * @throws the system's error
 */
export function readStart(path: string, limit: number): Buffer {
  const bytes = Buffer.alloc(limit);
  let length = 0;
  const file = openSync(path, 'r');
  try {
    // A pipe may return its content in parts.
    for (let read = -1; read !== 0 && length < limit; length += read) {
      read = readSync(file, bytes, length, limit - length, null);
    }
  } finally {
    closeSync(file);
  }
  return bytes.subarray(0, length);
}

/**
 * Signs a delivery as the service does.
 *
 * @throws {CliError} `usage` for an invalid secret
 */
export function signDelivery(options: SignDeliveryOptions): Promise<SignedDelivery> {
  return signWith(() => sign(options));
}

/** @throws {CliError} `usage` if signing fails, because the secret is not valid */
export async function signWith<Signed>(sign: () => Promise<Signed>): Promise<Signed> {
  try {
    return await sign();
  } catch (error) {
    throw new CliError(
      'usage',
      `The secret is not valid: ${getErrorMessage(error)}`,
      'The file must contain the whole secret, including whsec_.',
    );
  }
}
