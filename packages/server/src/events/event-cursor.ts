import { DomainError } from '../domain-error';

/** Writes a place in the log of events as the opaque cursor that clients send back. */
export function writeEventCursor(place: number): string {
  return Buffer.from(`events.${place}`).toString('base64url');
}

/**
 * Reads a place in the log of events.
 *
 * @throws DomainError `bad_cursor` for anything that `writeEventCursor` did not write.
 */
export function readEventCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, digits] = /^events\.(\d{1,16})$/.exec(text) ?? [];
  const place = Number(digits);
  if (!Number.isSafeInteger(place) || writeEventCursor(place) !== cursor) {
    throw new DomainError(
      'bad_cursor',
      'This cursor was not given with this list. Send nextCursor of the page before as after, unchanged, or since to start anew.',
    );
  }
  return place;
}
