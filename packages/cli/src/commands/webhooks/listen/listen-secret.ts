import { createHmac } from 'node:crypto';
import type { CliContext } from '../../../context';
import { printNotice, printSecretNotice } from '../../../output/print';
import { readSecretFile, signDelivery } from '../secret';
import type { Route } from './checkpoint';

/** A receiver of an account's events. It has one secret, whatever events it gets. */
type Receiver = Omit<Route, 'kinds'>;

/**
 * Derives the secret of a receiver from the API key: it stays the same without being saved anywhere, and says nothing about
 * the key.
 */
export function deriveSecret(apiKey: string, { service, account, forwardTo }: Receiver): string {
  const message = JSON.stringify(['webhooks listen', service, account, forwardTo]);
  return `whsec_${createHmac('sha256', apiKey).update(message).digest('base64')}`;
}

/**
 * Reads the secret that an option names.
 *
 * @returns null if no option names one
 * @throws {CliError} `usage` for an invalid secret, `input_unreadable`
 */
export async function readGivenSecret(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null;
  const secret = readSecretFile(file);
  await signDelivery({ body: '{}', secret });
  return secret;
}

/** Says which secret is used. */
export function reportSecret(secret: string, file: string | undefined, context: CliContext): void {
  const what = 'the secret of this receiver and API key. Set it in your receiver';
  if (file === undefined) printSecretNotice(context, `Signing with ${what}: ${secret}`);
  else printNotice(context, `Signing with the secret in ${file}.`);
}
