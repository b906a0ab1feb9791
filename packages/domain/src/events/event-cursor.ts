import { decodeBase64Url, encodeBase64Url } from '../kernel/base64url';
import { DomainError } from '../kernel/errors';

/** A position in an event log, from which a client continues. */
export interface LogPosition {
  /** The sequence number of the last event before it. */
  sequence: number;
  /** The highest sequence number of what had been removed when the client started, so that the client did not expect it. */
  prunedTo: number;
  /** Whether that is so only for the events of one order. */
  isOfOrder: boolean;
}

/** Encodes a position as the opaque cursor that clients send back. */
export function encodeEventCursor({ sequence, prunedTo, isOfOrder }: LogPosition): string {
  const known = prunedTo > sequence ? `${isOfOrder ? '~' : '-'}${prunedTo}` : '';
  return encodeBase64Url(`events.${sequence}${known}`);
}

/**
 * Decodes the cursor of an event log.
 *
 * @param parameter Where the client sent it.
 * @throws DomainError `invalid_cursor` for anything that `encodeEventCursor` did not return.
 */
export function decodeEventCursor(
  cursor: string,
  parameter: 'after' | 'before' = 'after',
): LogPosition {
  const text = decodeBase64Url(cursor);
  const [, digits, mark, known = 0] = /^events\.(\d{1,16})(?:([-~])(\d{1,16}))?$/.exec(text) ?? [];
  const position = { sequence: Number(digits), prunedTo: Number(known), isOfOrder: mark === '~' };
  const isSafe = [position.sequence, position.prunedTo].every(Number.isSafeInteger);
  if (!isSafe || encodeEventCursor(position) !== cursor) {
    throw new DomainError(
      'invalid_cursor',
      `This cursor is not valid for this list. ${cursorHints[parameter]}`,
    );
  }
  return position;
}

const cursorHints = {
  after: 'Send nextCursor of the previous page unchanged as after, or use since to start over.',
  before:
    'Send previousCursor of the previous page unchanged as before, with the same tail, or leave out before to start at the end.',
};

/**
 * Rejects a position after which events were removed that the client has not read.
 *
 * @param isOfOrder Whether the client reads the events of one order.
 * @throws DomainError `cursor_expired`
 */
export function requireUnpruned(position: LogPosition, prunedTo: number, isOfOrder: boolean): void {
  const known = position.isOfOrder && !isOfOrder ? 0 : position.prunedTo;
  if (prunedTo <= Math.max(position.sequence, known)) return;
  throw new DomainError(
    'cursor_expired',
    'Events after this cursor are no longer stored, so some would be missing. Start again: with after=now for events from now on, with since, or without both for all that are stored. GET /v1/orders has the current state.',
  );
}
