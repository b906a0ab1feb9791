import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidArgument } from '../../src/errors/cli-error';
import { parseTime } from '../../src/input/options';

const now = Date.parse('2026-11-22T12:00:00.000Z');
const day = 86_400_000;
/** Every time with a four-digit year, in whole milliseconds. */
const time = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
});

function rejection(text: string): string {
  try {
    return `read as ${parseTime(text, now)}`;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidArgument);
    return error instanceof Error ? error.message : '';
  }
}

describe('a timestamp', () => {
  it.each([
    ['45s', '2026-11-22T11:59:15.000Z'],
    ['30m', '2026-11-22T11:30:00.000Z'],
    ['6h', '2026-11-22T06:00:00.000Z'],
    ['2d', '2026-11-20T12:00:00.000Z'],
    ['1w', '2026-11-15T12:00:00.000Z'],
    ['0s', '2026-11-22T12:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-11-20T09:30Z', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20t09:30:00z', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T09:30:00.123456789Z', '2026-11-20T09:30:00.123Z'],
    ['2026-11-20T00:30:00+02:00', '2026-11-19T22:30:00.000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(parseTime(text, now)).toBe(iso);
  });

  it('is parsed back to the same time, in any zone', () => {
    fc.assert(
      fc.property(time, fc.integer({ min: -1439, max: 1439 }), (date, zone) => {
        expect(parseTime(date.toISOString(), now)).toBe(date.toISOString());
        const local = new Date(date.getTime() + zone * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60];
        const offset = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
        const text = `${local}${zone < 0 ? '-' : '+'}${offset}`;
        expect(parseTime(text, now)).toBe(date.toISOString());
        const start = `${date.toISOString().slice(0, 10)}T00:00:00.000Z`;
        expect(parseTime(start.slice(0, 10), now)).toBe(start);
      }),
    );
  });

  it('is the given duration ago, in every unit', () => {
    const unit = fc.constantFrom(['s', 1000], ['m', 60_000], ['h', 3_600_000], ['d', day]);
    fc.assert(
      fc.property(unit, fc.integer({ min: 0, max: 700_000 }), ([name, size], count) => {
        const time = Date.parse(parseTime(`${count}${name}`, now));
        expect(now - time).toBe(count * Number(size));
      }),
    );
    expect(parseTime('3w', now)).toBe(parseTime('21d', now));
  });

  it.each([
    '2026-02-30',
    '2025-02-29',
    '2026-04-31T10:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
  ])('%s is rejected, because there is no such day', (text) => {
    expect(rejection(text)).toBe(`${text.slice(0, 10)} is not a valid date.`);
  });

  it.each([
    '2026-11-20T09:30:00',
    '2026-11-20 09:30:00Z',
    '2026-11-20T09:30:00+0200',
    '2026-11-20T09:30:00 +02:00',
    '2026-11-20T25:00:00Z',
    '2026-11-20T09:60:00Z',
    '2026-11-20T09:30:60Z',
    '2026-11-20T09:30:00+25:00',
    '20/11/2026',
    '2026-11',
    '1763600000',
    '2 d',
    '2D',
    '-2d',
    '1.5h',
    '2y',
    'yesterday',
    '',
    ' 2d',
    '2d\n',
    '٢d',
  ])('%j is rejected, with the valid formats', (text) => {
    expect(rejection(text)).toMatch(/^Use an age such as .* with offset, such as /);
  });

  it.each(['0000-01-01', '0000-02-29', '999999999w', '999999999h', '0001-01-01T00:00:00+00:01'])(
    '%s is rejected, because services support years of four digits',
    (text) => {
      expect(rejection(text)).toBe('Use a time in the years 1 to 9999.');
    },
  );

  it('is ISO 8601 with a four-digit year or rejected, for any input', () => {
    const near = fc.stringMatching(/^[\d]{4}-[\d]{2}-[\d]{2}(T[\d:.]{0,9}(Z|[+-][\d:]{5}))?$/);
    const ago = fc.stringMatching(/^\d{1,12}[smhdwy]$/);
    fc.assert(
      fc.property(fc.oneof(near, ago, fc.string()), (text) => {
        const result = rejection(text);
        expect(result).toMatch(
          /^(read as \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$|Use |\d{4}-\d\d-\d\d is not)/,
        );
      }),
      { numRuns: 1000 },
    );
  });
});
