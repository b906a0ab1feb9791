import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEventCursor, writeEventCursor } from '../../src/events/event-cursor';
import { firstPlace } from '../../src/events/event-place';
import { writeCursor } from '../../src/position';
import { noon } from '../builders';
import { refusalOf } from '../refusal';

const places = fc.nat(Number.MAX_SAFE_INTEGER);

describe('the cursor of the log of events', () => {
  test('leads back to its place', () => {
    fc.assert(fc.property(places, (place) => readEventCursor(writeEventCursor(place)) === place));
  });

  test('is safe to put into a URL', () => {
    fc.assert(fc.property(places, (place) => /^[0-9A-Za-z_-]+$/.test(writeEventCursor(place))));
  });

  test('is refused unless it was written for this log, whatever it is', () => {
    const base64 = fc.string().map((text) => Buffer.from(text).toString('base64url'));
    const near = fc
      .tuple(fc.constantFrom('events.', 'events.0', 'events. ', 'Events.', ''), fc.string())
      .map((parts) => Buffer.from(parts.join('')).toString('base64url'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), base64, near), (text) => {
        let place: number;
        try {
          place = readEventCursor(text);
        } catch {
          expect(refusalOf(() => readEventCursor(text)).code).toBe('bad_cursor');
          return;
        }
        expect(writeEventCursor(place)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  test('of another list is refused', () => {
    const other = writeCursor({ createdAt: noon, id: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH' });
    expect(refusalOf(() => readEventCursor(other)).code).toBe('bad_cursor');
  });
});

describe('the first place of a moment', () => {
  const moments = fc.integer({ min: 0, max: Date.parse('2248-01-01T00:00:00Z') });

  test('is a whole number that can be written, and later for each later moment', () => {
    fc.assert(
      fc.property(moments, (moment) => {
        expect(Number.isSafeInteger(firstPlace(moment))).toBe(true);
        expect(firstPlace(moment + 1)).toBeGreaterThan(firstPlace(moment));
      }),
    );
  });

  test('is never out of bounds, for any moment that can be written', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        const place = firstPlace(date.getTime());
        expect(Number.isSafeInteger(place) && place >= 0).toBe(true);
      }),
    );
  });
});
