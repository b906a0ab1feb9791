import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTimestamp } from '../src/checks/timestamp';

test('every ISO form of a time in UTC is read as that time', () => {
  const forms = fc.record({
    time: fc.date({
      min: new Date('0001-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    }),
    isBasic: fc.boolean(),
    digits: fc.integer({ min: 0, max: 9 }),
    mark: fc.constantFrom('.', ','),
    zone: fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+0000', '+00'),
  });
  fc.assert(
    fc.property(forms, ({ time, isBasic, digits, mark, zone }) => {
      const iso = time.toISOString();
      const [seconds = '', fraction = ''] = iso.slice(0, -1).split('.');
      const shown = fraction.padEnd(9, '0').slice(0, digits);
      const base = isBasic ? seconds.replaceAll(/[-:]/g, '') : seconds;
      const text = base + (digits > 0 ? mark + shown : '') + zone;
      const expected = Math.floor(time.getTime() / 1000) * 1000 + Number(`0.${shown || 0}`) * 1000;
      expect(parseTimestamp(text), text).toBeCloseTo(expected, 3);
    }),
  );
});

test.each([
  ...['2026-01-31', '2026-01-31T09:30:00', '2026-01-31T09:30:00+02:00', '2026-01-31 09:30:00Z'],
  ...['2026-02-30T09:30:00Z', '2026-13-01T09:30:00Z', '2026-01-31T24:30:00Z', '20260131T09:30:00Z'],
  ...['2026-01-31T093000Z', '2026-01-31T09:30:00.Z', 'Sat, 31 Jan 2026 09:30:00 GMT', ''],
  ...[1_769_851_800_000, null, true],
])('%j is no timestamp in UTC', (value) => {
  expect(parseTimestamp(value)).toBeNull();
});

test.each([
  ['2026-W01-1T00:00:00Z', '2025-12-29'],
  ['2026W487T000000Z', '2026-11-29'],
  ['2020-W53-7T00:00:00+00:00', '2021-01-03'],
  ['2026-001T00:00:00Z', '2026-01-01'],
  ['2024366T000000.0Z', '2024-12-31'],
])('the week or ordinal date %s is %s', (text, date) => {
  expect(parseTimestamp(text)).toBe(Date.parse(date));
});

test.each(['2026-366T00:00:00Z', '2026-000T00:00:00Z', '2026-W54-1T00:00:00Z'])(
  '%s names no day',
  (text) => {
    expect(parseTimestamp(text)).toBeNull();
  },
);

test.each(['2021-W53-1T00:00:00Z', '2026-W00-1T00:00:00Z', '2026-W48-8T00:00:00Z'])(
  '%s names no week',
  (text) => {
    expect(parseTimestamp(text)).toBeNull();
  },
);

test('a leap second is a timestamp', () => {
  expect(parseTimestamp('2016-12-31T23:59:60Z')).toBe(Date.UTC(2017, 0, 1));
});
