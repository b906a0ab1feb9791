import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import { noon } from '@tradepost/domain/test/builders';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseRetryAfter } from '../../../src/engine/attempt/retry-after';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('in Retry-After', () => {
  test.each([
    ['0', 0],
    ['1', 1_000],
    ['120', 120_000],
    [' 120 ', 120_000],
    ['007', 7_000],
    ['86400', 86_400_000],
    [`${'0'.repeat(400)}5`, 5_000],
  ])('%j is read as a number of seconds', (value, expected) => {
    expect(parseRetryAfter([value], noon)).toBe(expected);
  });

  test('any whole number of seconds is read, up to 24 hours', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 1_000 });
    const few = fc.integer({ min: 0, max: 200_000 }).map(String);
    fc.assert(
      fc.property(
        fc.oneof(
          few,
          digits.map((all) => all.join('')),
        ),
        (value) => {
          const requested = BigInt(value) * 1_000n;
          const most = BigInt(retryWindowMs);
          expect(parseRetryAfter([value], noon)).toBe(Number(requested < most ? requested : most));
        },
      ),
    );
  });

  test.each(['86401', '9999999999', '9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    '%j is longer than the retry window, and is read as 24 hours',
    (value) => {
      expect(parseRetryAfter([value], noon)).toBe(retryWindowMs);
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
        expect(parseRetryAfter([value], noon), value).toBe(90_000);
      }
      const midnightBefore = noon + 9.5 * retryWindowMs;
      expect(parseRetryAfter(['Tue Dec  1 12:00:00 2026'], midnightBefore)).toBe(retryWindowMs / 2);
    },
  );

  test('any time of the next 24 hours is read back from its HTTP date', () => {
    const latest = noon + retryWindowMs;
    fc.assert(
      fc.property(fc.integer({ min: noon / 1_000, max: latest / 1_000 }), (seconds) => {
        const date = new Date(seconds * 1_000).toUTCString();
        expect(parseRetryAfter([date], noon)).toBe(seconds * 1_000 - noon);
      }),
    );
  });

  test('a date in the past requests no wait', () => {
    expect(parseRetryAfter(['Sun, 06 Nov 1994 08:49:37 GMT'], noon)).toBe(0);
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
  ])('%j requests no wait', (value) => {
    expect(parseRetryAfter([value], noon)).toBeNull();
  });

  test('a missing header requests no wait', () => {
    expect(parseRetryAfter([], noon)).toBeNull();
  });

  test('any text requests no wait or a valid one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (value) => {
        const wait = parseRetryAfter([value], noon);
        if (wait === null) return;
        expect(wait).toBeGreaterThanOrEqual(0);
        expect(wait).toBeLessThanOrEqual(retryWindowMs);
      }),
    );
  });
});
