import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstSequenceAt } from '../../src/events/event';
import {
  decodeEventCursor,
  encodeEventCursor,
  type LogPosition,
} from '../../src/events/event-cursor';
import { encodeCursor } from '../../src/kernel/pagination';
import { noon } from '../helpers/builders';
import { catchDomainError } from '../helpers/catch-domain-error';

const sequence = fc.nat(Number.MAX_SAFE_INTEGER);
const places: fc.Arbitrary<LogPosition> = fc.oneof(
  sequence.map((last) => ({ sequence: last, prunedTo: 0, isOfOrder: false })),
  fc
    .tuple(sequence, sequence, fc.boolean())
    .filter(([last, prunedTo]) => prunedTo > last)
    .map(([last, prunedTo, isOfOrder]) => ({ sequence: last, prunedTo, isOfOrder })),
);

describe('the cursor of the event log', () => {
  test('is decoded as the same position', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(decodeEventCursor(encodeEventCursor(place))).toEqual(place);
      }),
    );
  });

  test('is safe to put into a URL', () => {
    fc.assert(fc.property(places, (place) => /^[0-9A-Za-z_-]+$/.test(encodeEventCursor(place))));
  });

  test('is rejected unless it was created for this log', () => {
    const base64 = fc.string().map((text) => Buffer.from(text).toString('base64url'));
    const near = fc
      .tuple(
        fc.constantFrom('events.', 'events.0', 'events.2-', 'events.2~', 'events. ', 'Events.', ''),
        fc.string(),
      )
      .map((parts) => Buffer.from(parts.join('')).toString('base64url'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), base64, near), (text) => {
        let place: LogPosition;
        try {
          place = decodeEventCursor(text);
        } catch {
          expect(catchDomainError(() => decodeEventCursor(text)).code).toBe('invalid_cursor');
          return;
        }
        expect(encodeEventCursor(place)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  test('of another list is rejected', () => {
    const other = encodeCursor({ createdAt: noon, id: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH' });
    expect(catchDomainError(() => decodeEventCursor(other)).code).toBe('invalid_cursor');
  });
});

describe('the first sequence number of a timestamp', () => {
  const timestamps = fc.integer({ min: 0, max: Date.parse('2248-01-01T00:00:00Z') });

  test('is a safe integer that increases with the timestamp', () => {
    fc.assert(
      fc.property(timestamps, (context) => {
        expect(Number.isSafeInteger(firstSequenceAt(context))).toBe(true);
        expect(firstSequenceAt(context + 1)).toBeGreaterThan(firstSequenceAt(context));
      }),
    );
  });

  test('is never out of bounds, for any timestamp', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        const place = firstSequenceAt(date.getTime());
        expect(Number.isSafeInteger(place) && place >= 0).toBe(true);
      }),
    );
  });
});
