import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stateFolder } from '../../../config/profiles';
import type { CliContext } from '../../../context';
import { CliError, getErrorMessage } from '../../../errors/cli-error';
import { LockedError, lockFile, lockFileWhenFree } from '../../../files/lock-file';
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
  /** Lets others replace it. */
  release: () => void;
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
  return { secret, source: { kind: 'file', file: secretFile }, release: () => {} };
}

/** A running listener signs with the secret that was to be replaced. */
class SecretInUse extends CliError {}

/**
 * Returns the secret of a receiver: the saved one, or a new one, which is saved. A file that has no secret
 * is replaced, with a notice. Until it is released, no other listener of this folder replaces it.
 *
 * @throws {CliError} `precondition_failed` if it is to be replaced, or has been lost, while a listener uses it;
 * `interrupted`
 */
export async function holdSecret(
  receiver: Receiver,
  options: SecretOptions,
  context: CliContext,
): Promise<ListenSecret> {
  const file = secretPath(stateFolder(context.env), receiver);
  try {
    const unlock = await lockFileWhenFree(file, context.signal);
    try {
      const found = await findOrCreateSecret(file, receiver, options, context);
      return { ...found, release: recordUse(file) };
    } finally {
      unlock();
    }
  } catch (error) {
    if (context.signal.aborted || error instanceof SecretInUse) throw error;
    // Where nothing can be written, a saved secret is read all the same.
    const saved = options.newSecret ? null : await readSecret(file, receiver).catch(() => null);
    const kept = { secret: saved ?? generateSecret(), release: () => {} };
    if (saved !== null) return { ...kept, source: { kind: 'saved' } };
    return { ...kept, source: { kind: 'once', reason: getErrorMessage(error) } };
  }
}

/** Records that this process uses a secret, with a lock of its own: other listeners may use it too. */
function recordUse(file: string): () => void {
  return lockFile(`${file}.${randomBytes(4).toString('hex')}`);
}

/** Returns a lock of a listener that uses a secret, with its owner; null if none does. Removes those of killed ones. */
function findUse(file: string): { lock: string; owner: string } | null {
  const own = `${basename(file)}.lock`;
  const names = readdirSync(dirname(file)).filter(
    (name) => name.startsWith(`${basename(file)}.`) && name.endsWith('.lock') && name !== own,
  );
  let found: ReturnType<typeof findUse> = null;
  for (const name of names) {
    const lock = join(dirname(file), name);
    try {
      lockFile(lock.slice(0, -'.lock'.length))();
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
      found = { lock, owner: error.owner };
    }
  }
  return found;
}

/** @throws {SecretInUse} if a listener uses the secret, which is to be replaced, and other errors */
async function findOrCreateSecret(
  file: string,
  receiver: Receiver,
  { newSecret = false }: SecretOptions,
  context: CliContext,
): Promise<Omit<ListenSecret, 'release'>> {
  const use = findUse(file);
  const saved = newSecret ? null : await readSecret(file, receiver);
  if (saved !== null) return { secret: saved, source: { kind: 'saved' } };
  const isBroken = !newSecret && readIfExists(file) !== null;
  if (use !== null) {
    throw new SecretInUse(
      'precondition_failed',
      `The secret of ${receiver.forwardTo} is in use by ${use.owner}, which forwards events to it`,
      newSecret
        ? 'Stop that listener first, or omit --new-secret.'
        : `${file} has no valid secret any more. Stop that listener first.`,
      `If there is no such process, delete ${use.lock}.`,
    );
  }
  const secret = generateSecret();
  writePrivateFile(file, `${JSON.stringify({ ...receiver, secret })}\n`);
  if (isBroken) printNotice(context, `${file} had no valid secret. It was replaced.`);
  return { secret, source: { kind: 'new' } };
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

/** Reads a saved secret; null if there is none, or no valid one. @throws the system's error */
async function readSecret(file: string, receiver: Receiver): Promise<string | null> {
  const value = parseJsonObject(readIfExists(file) ?? '');
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
export function reportSecret(
  { secret, source }: Pick<ListenSecret, 'secret' | 'source'>,
  context: CliContext,
): void {
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
