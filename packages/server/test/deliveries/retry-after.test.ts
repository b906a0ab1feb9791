import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readRetryAfter } from '../../src/deliveries/retry-after';
import { noon } from '../builders';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['1', 1_000],
    ['120', 120_000],
    [' 120 ', 120_000],
    ['007', 7_000],
    ['999999999', 999_999_999_000],
  ])('%j is so many seconds', (value, expected) => {
    expect(readRetryAfter(value, noon)).toBe(expected);
  });

  test('any whole number of seconds is read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), (seconds) => {
        expect(readRetryAfter(String(seconds), noon)).toBe(seconds * 1_000);
      }),
    );
  });

  test.each(['UTC', 'America/New_York', 'Asia/Kolkata'])(
    'each form of an HTTP date is read as UTC on a machine in %s',
    (zone) => {
      vi.stubEnv('TZ', zone);
      for (const value of [
        'Sat, 21 Nov 2026 12:01:30 GMT',
        'Saturday, 21-Nov-26 12:01:30 GMT',
        'Sat Nov 21 12:01:30 2026',
      ]) {
        expect(readRetryAfter(value, noon), value).toBe(90_000);
      }
      expect(readRetryAfter('Tue Dec  1 12:00:00 2026', noon)).toBe(10 * 24 * 3_600_000);
    },
  );

  test('any moment is read back from its HTTP date', () => {
    const latest = Date.parse('9999-12-31T23:59:59Z');
    fc.assert(
      fc.property(fc.integer({ min: noon / 1_000, max: latest / 1_000 }), (seconds) => {
        const date = new Date(seconds * 1_000).toUTCString();
        expect(readRetryAfter(date, noon)).toBe(seconds * 1_000 - noon);
      }),
    );
  });

  test('a date that is past asks for no wait', () => {
    expect(readRetryAfter('Sun, 06 Nov 1994 08:49:37 GMT', noon)).toBe(0);
  });

  test.each([
    '',
    ' ',
    'soon',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '12 seconds',
    '5, 10',
    '9999999999',
    'Infinity',
    'NaN',
    '2026-11-21T12:00:00Z',
    'Sat',
    'Mon 5',
    'Mon, 99999',
    'Sat, 21 Nov 2026 12:01:30',
    'Sat, 21 Nov 2026 12:01:30 PST',
    'Sat, 99 Nov 2026 12:01:30 GMT',
    'Sat, 21 Foo 2026 12:01:30 GMT',
    'sat, 21 nov 2026 12:01:30 gmt',
    '二〇',
  ])('%j asks for nothing', (value) => {
    expect(readRetryAfter(value, noon)).toBeNull();
  });

  test('no header asks for nothing', () => {
    expect(readRetryAfter(undefined, noon)).toBeNull();
  });

  test('any text at all asks for nothing or for a wait that is a number', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (value) => {
        const wait = readRetryAfter(value, noon);
        if (wait !== null) expect(wait).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
