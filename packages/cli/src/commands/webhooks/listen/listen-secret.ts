import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { stateFolder } from '../../../config/profiles';
import type { CliContext } from '../../../context';
import { CliError, getErrorMessage } from '../../../errors/cli-error';
import { lockFileWhenFree } from '../../../files/lock-file';
import { parseJsonObject, readIfExists, writePrivateFile } from '../../../files/private-files';
import { printNotice, printSecretNotice } from '../../../output/print';
import { readSecretFile, signDelivery } from '../secret';
import type { Route } from './checkpoint';

/** A receiver of an account's events. It has one secret on this machine, whatever events it gets. */
export type Receiver = Omit<Route, 'kinds'>;

export interface SecretOptions {
  /** A file with a secret, which is used as it is. */
  secretFile?: string;
  /** Replaces the saved secret. */
  newSecret?: boolean;
}

/** Where a secret comes from. */
type Source =
  | { kind: 'file'; file: string }
  | { kind: 'saved' }
  | { kind: 'new' }
  /** It could not be saved. */
  | { kind: 'once'; reason: string };

export interface ListenSecret {
  secret: string;
  source: Source;
}

/**
 * Reads the secret that an option names.
 *
 * @returns null if no option names one
 * @throws {CliError} `usage` for an invalid secret, `input_unreadable`
 */
export async function readGivenSecret({ secretFile }: SecretOptions): Promise<ListenSecret | null> {
  if (secretFile === undefined) return null;
  const secret = readSecretFile(secretFile);
  await signDelivery({ body: '{}', secret });
  return { secret, source: { kind: 'file', file: secretFile } };
}

/**
 * Returns the secret of a receiver: the saved one, or a new one, which is saved. A file that has no secret
 * is replaced, with a notice. If nothing can be saved there, the secret is that of one run.
 *
 * @throws {CliError} `interrupted`
 */
export async function findOrCreateSecret(
  receiver: Receiver,
  { newSecret = false }: SecretOptions,
  context: CliContext,
): Promise<ListenSecret> {
  const file = secretPath(stateFolder(context.env), receiver);
  let unlock = () => {};
  const secret = generateSecret();
  try {
    unlock = await lockFileWhenFree(file, context.signal);
    const text = newSecret ? null : readIfExists(file);
    const saved = text === null ? null : await parseSecret(text, receiver);
    if (saved !== null) return { secret: saved, source: { kind: 'saved' } };
    writePrivateFile(file, `${JSON.stringify({ ...receiver, secret })}\n`);
    if (text !== null) printNotice(context, `${file} had no valid secret. It was replaced.`);
    return { secret, source: { kind: 'new' } };
  } catch (error) {
    if (context.signal.aborted) throw error;
    // Where nothing can be written, a saved secret is read all the same.
    const saved = newSecret ? null : await readSaved(file, receiver).catch(() => null);
    if (saved !== null) return { secret: saved, source: { kind: 'saved' } };
    return { secret, source: { kind: 'once', reason: getErrorMessage(error) } };
  } finally {
    unlock();
  }
}

async function readSaved(file: string, receiver: Receiver): Promise<string | null> {
  const text = readIfExists(file);
  return text === null ? null : await parseSecret(text, receiver);
}

function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function secretPath(folder: string, receiver: Receiver): string {
  const hash = createHash('sha256').update(serializeReceiver(receiver)).digest('hex');
  return join(folder, `listen-secret-${hash.slice(0, 16)}.json`);
}

function serializeReceiver({ service, account, forwardTo }: Receiver): string {
  return JSON.stringify([service, account, forwardTo]);
}

/** Parses a saved secret; null if it is not valid, or that of another receiver. */
async function parseSecret(text: string, receiver: Receiver): Promise<string | null> {
  const value = parseJsonObject(text);
  if (value === null) return null;
  const { service, account, forwardTo, secret } = value;
  const isOwn = serializeReceiver(receiver) === JSON.stringify([service, account, forwardTo]);
  if (!isOwn || typeof secret !== 'string') return null;
  try {
    await signDelivery({ body: '{}', secret });
    return secret;
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
}

/** Says which secret is used, and where it comes from. */
export function reportSecret({ secret, source }: ListenSecret, context: CliContext): void {
  const text = describeSource(source);
  if (source.kind === 'file') printNotice(context, `${text}.`);
  else printSecretNotice(context, `${text}: ${secret}`);
}

function describeSource(source: Source): string {
  switch (source.kind) {
    case 'file':
      return `Signing with the secret in ${source.file}`;
    case 'saved':
      return 'Signing with the saved secret of this receiver (--new-secret replaces it)';
    case 'new':
      return 'Signing with a new secret, saved for later runs. Set it in your receiver';
    case 'once':
      return `Signing with a secret of this run only: it cannot be saved (${source.reason}). Set it in your receiver`;
  }
}
