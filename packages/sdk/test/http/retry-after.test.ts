import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterSeconds } from '../../src/http/retry';

const now = Date.parse('2026-11-21T09:30:00Z');
const read = (headers: Record<string, string>) => retryAfterSeconds(new Headers(headers), now);

test.each([
  ['0', 0],
  ['12', 12],
  [' 3 ', 3],
  ['1.5', 1.5],
  ['5, 90', 5],
  ['Sat, 21 Nov 2026 09:30:45 GMT', 45],
  ['Saturday, 21-Nov-26 09:30:45 GMT', 45],
  ['Sat Nov 21 09:30:45 2026 GMT', 45],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['', null],
  ['-5', null],
  ['soon', null],
  ['2026', 2026],
  ['1e3', null],
  ['NaN', null],
  ['Infinity', null],
])('%j requests a wait of %s seconds', (text, seconds) => {
  expect(read({ 'retry-after': text })).toBe(seconds);
});

test('a response without the header requests no wait', () => {
  expect(read({})).toBeNull();
});

test('a date is compared with the Date of the response, not with the local clock', () => {
  const headers = {
    date: 'Mon, 01 Jan 2001 00:00:00 GMT',
    'retry-after': 'Mon, 01 Jan 2001 00:00:10 GMT',
  };
  expect(read(headers)).toBe(10);
});

test('the result for any header is null or a number of seconds from 0', () => {
  const anyText = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );
  fc.assert(
    fc.property(anyText, anyText, (retryAfter, date) => {
      const headers = { get: (name: string) => (name === 'date' ? date : retryAfter) };
      const seconds = retryAfterSeconds(headers, now);
      if (seconds === null) return;
      expect(Number.isFinite(seconds)).toBe(true);
      expect(seconds).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2_000 },
  );
});
