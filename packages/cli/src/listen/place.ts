import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../cli-error';
import { hasCode } from '../files/has-code';
import { writePrivateFile } from '../files/write-private-file';
import { isRecord } from '../is-record';
import { messageOf } from '../message-of';

/** What is followed, and where to. */
export interface Route {
  /** Where the service is. */
  service: string;
  /** Whose events they are: an account's id, or a mark of the key where the service tells no account. */
  account: string;
  /** The receiver that gets them. */
  forwardTo: string;
  /** The kinds of events that are forwarded, in order; null for all. */
  kinds: readonly string[] | null;
}

/** How far a route has been gone. */
export interface Place {
  /** Where the page begins that is under way: after a cursor, or at a moment. */
  from: { after: string } | { since: string };
  /** The last event of that page that is done with; null when none is. */
  done: string | null;
}

/** The file that has the place of a route. */
export function placeFile(folder: string, route: Route): string {
  const mark = createHash('sha256').update(markOf(route));
  return join(folder, `listen-${mark.digest('hex').slice(0, 16)}.json`);
}

/** What is the same for the same route, and for no other. */
function markOf({ service, account, forwardTo, kinds }: Route): string {
  return JSON.stringify([service, account, forwardTo, kinds]);
}

/**
 * Reads a place. Null when there is none yet.
 *
 * @throws {CliError} `file_failed` when it cannot be read, `usage` when it is that of another route.
 */
export function readPlace(file: string, route: Route): Place | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw new CliError('file_refused', `the place cannot be read: ${messageOf(error)}`);
  }
  const found = parsed(text);
  if (found === null) {
    throw new CliError(
      'file_refused',
      `${file} is not what \`tradepost webhooks listen\` keeps its place in`,
      'It is left as it is. Name another file with --state-file, or delete this one and begin with --since.',
    );
  }
  if (markOf(found) === markOf(route)) return { from: found.from, done: found.done };
  const { service, account, forwardTo, kinds } = found;
  const which = kinds === null ? 'those' : `those of the kinds ${kinds.join(', ')}`;
  throw new CliError(
    'usage',
    `${file} has the place of other events: ${which} of ${account} at ${service}, forwarded to ${forwardTo}`,
    'Name another file with --state-file.',
  );
}

function parsed(text: string): (Route & Place) | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || !isRecord(value.from)) return null;
    const { service, account, forwardTo, kinds, done } = value;
    const { after, since } = value.from;
    const from =
      typeof after === 'string' ? { after } : typeof since === 'string' ? { since } : null;
    if (typeof service !== 'string' || typeof account !== 'string') return null;
    if (typeof forwardTo !== 'string' || from === null) return null;
    if (kinds !== null && !isTexts(kinds)) return null;
    const place = { from, done: typeof done === 'string' ? done : null };
    return { service, account, forwardTo, kinds, ...place };
  } catch {
    return null;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * Keeps a place, for its owner's eyes alone (0600). Whatever happens, the file has the old one or the
 * new one, whole.
 *
 * @throws {CliError} `file_failed`
 */
export function writePlace(file: string, route: Route, place: Place): void {
  try {
    writePrivateFile(file, `${JSON.stringify({ ...route, ...place })}\n`);
  } catch (error) {
    throw new CliError(
      'file_failed',
      `the place cannot be kept: ${messageOf(error)}`,
      'Name a file in a folder that you may write to with --state-file.',
    );
  }
}
