import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { RequestOptions, Tradepost } from '@tradepost/sdk';
import { fetchAccount } from '../../../config/identity';
import { attempt, CliError, isRecord } from '../../../errors/cli-error';
import { parseJsonObject, readIfExists, writePrivateFile } from '../../../files/private-files';

export interface Route {
  service: string;
  /** The ID of the account, or a hash of the key if the service does not report accounts. */
  account: string;
  forwardTo: string;
  /** The event types, sorted; null for all. */
  kinds: readonly string[] | null;
}

export interface Checkpoint {
  /** The start of the current page. */
  from: { after: string } | { since: string };
  /** The last event of that page that is done; null for none. */
  done: string | null;
}

/** Returns whose events a key shows: an account ID, or a hash of the key. */
export async function getEventAccount(
  client: Pick<Tradepost, 'account'>,
  apiKey: string,
  options: RequestOptions,
): Promise<string> {
  const account = await fetchAccount(client, options);
  return account?.id ?? `key ${createHash('sha256').update(apiKey).digest('hex').slice(0, 16)}`;
}

export function checkpointPath(folder: string, route: Route): string {
  const hash = createHash('sha256').update(serializeRoute(route)).digest('hex');
  return join(folder, `listen-${hash.slice(0, 16)}.json`);
}

function serializeRoute({ service, account, forwardTo, kinds }: Route): string {
  return JSON.stringify([service, account, forwardTo, kinds]);
}

/**
 * Reads a checkpoint.
 *
 * @returns null if there is none yet
 * @throws {CliError} `file_unusable` if it cannot be read or is malformed, `usage` for another route
 */
export function readCheckpoint(file: string, route: Route): Checkpoint | null {
  const text = attempt(() => readIfExists(file), 'file_unusable', 'Cannot read the checkpoint');
  if (text === null) return null;
  const found = parseCheckpoint(text);
  if (found === null) {
    throw new CliError(
      'file_unusable',
      `${file} is not a checkpoint of \`tradepost webhooks listen\``,
      'It was not changed. Name another file with --state-file, or delete this one and start with --since.',
    );
  }
  if (serializeRoute(found) === serializeRoute(route))
    return { from: found.from, done: found.done };
  const { service, account, forwardTo, kinds } = found;
  throw new CliError(
    'usage',
    `${file} is the checkpoint of other events: ${kinds?.join(', ') ?? 'all'} of ${account} at ${service}, forwarded to ${forwardTo}`,
    'Name another file with --state-file.',
  );
}

function parseCheckpoint(text: string): (Route & Checkpoint) | null {
  const value = parseJsonObject(text);
  if (value === null || !isRecord(value.from)) return null;
  const { service, account, forwardTo, kinds, done } = value;
  const { after, since } = value.from;
  const from = typeof after === 'string' ? { after } : typeof since === 'string' ? { since } : null;
  if (typeof service !== 'string' || typeof account !== 'string') return null;
  if (typeof forwardTo !== 'string' || from === null) return null;
  if (kinds !== null && !isStringArray(kinds)) return null;
  return { service, account, forwardTo, kinds, from, done: typeof done === 'string' ? done : null };
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * Saves a checkpoint atomically, readable by its owner only.
 *
 * @throws {CliError} `file_failed`
 */
export function writeCheckpoint(file: string, route: Route, checkpoint: Checkpoint): void {
  attempt(
    () => writePrivateFile(file, `${JSON.stringify({ ...route, ...checkpoint })}\n`),
    'file_failed',
    'Cannot save the checkpoint',
    'Name a file in a folder that you can write to with --state-file.',
  );
}
