import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { retryWindow } from '../../src/deliveries/delivery';
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
    ['86400', 86_400_000],
    [`${'0'.repeat(400)}5`, 5_000],
  ])('%j is so many seconds', (value, expected) => {
    expect(readRetryAfter([value], noon)).toBe(expected);
  });

  test('any whole number of seconds is read, and is 24 hours at most', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 1_000 });
    const few = fc.integer({ min: 0, max: 200_000 }).map(String);
    fc.assert(
      fc.property(
        fc.oneof(
          few,
          digits.map((all) => all.join('')),
        ),
        (value) => {
          const asked = BigInt(value) * 1_000n;
          const most = BigInt(retryWindow);
          expect(readRetryAfter([value], noon)).toBe(Number(asked < most ? asked : most));
        },
      ),
    );
  });

  test.each(['86401', '9999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    '%j is more than a delivery has, and is read as 24 hours',
    (value) => {
      expect(readRetryAfter([value], noon)).toBe(retryWindow);
    },
  );

  test.each(['UTC', 'America/New_York', 'Asia/Kolkata'])(
    'each form of an HTTP date is read as UTC on a machine in %s',
    (zone) => {
      vi.stubEnv('TZ', zone);
      for (const value of [
        'Sat, 21 Nov 2026 12:01:30 GMT',
        'Saturday, 21-Nov-26 12:01:30 GMT',
        'Sat Nov 21 12:01:30 2026',
      ]) {
        expect(readRetryAfter([value], noon), value).toBe(90_000);
      }
      const midnightBefore = noon + 9.5 * retryWindow;
      expect(readRetryAfter(['Tue Dec  1 12:00:00 2026'], midnightBefore)).toBe(retryWindow / 2);
    },
  );

  test('any moment of the next 24 hours is read back from its HTTP date', () => {
    const latest = noon + retryWindow;
    fc.assert(
      fc.property(fc.integer({ min: noon / 1_000, max: latest / 1_000 }), (seconds) => {
        const date = new Date(seconds * 1_000).toUTCString();
        expect(readRetryAfter([date], noon)).toBe(seconds * 1_000 - noon);
      }),
    );
  });

  test('a date that is past asks for no wait', () => {
    expect(readRetryAfter(['Sun, 06 Nov 1994 08:49:37 GMT'], noon)).toBe(0);
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
    expect(readRetryAfter([value], noon)).toBeNull();
  });

  test('no header asks for nothing', () => {
    expect(readRetryAfter([], noon)).toBeNull();
  });

  test('any text at all asks for nothing or for a wait that is a number', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (value) => {
        const wait = readRetryAfter([value], noon);
        if (wait === null) return;
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(retryWindow);
      }),
    );
  });
});
