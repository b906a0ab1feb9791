import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidArgument } from '../../src/errors/cli-error';
import { createLocalFormat } from '../../src/input/local-time';
import { parseTime } from '../../src/input/options';

/** A Sunday. In Berlin it is an hour later than in UTC. */
const now = Date.parse('2026-11-22T12:00:00.000Z');
const inZone = (TZ: string, at = now) => ({ now: () => at, env: { TZ } });
const utc = inZone('UTC');
const day = 86_400_000;
/** Every time with a four-digit year, in whole milliseconds. */
const time = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
});

function rejection(text: string): string {
  try {
    return `read as ${parseTime(text, utc)}`;
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
    ['2026-11-20 09:30:00Z', '2026-11-20T09:30:00.000Z'],
    // As a terminal shows it.
    ['2026-11-20 09:30:00 +02:00', '2026-11-20T07:30:00.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(parseTime(text, utc)).toBe(iso);
    expect(parseTime(text, utc, true) === iso).toBe(/[TtZ ]|^\d+[smhdw]$/.test(text));
  });

  it.each([
    ['Europe/Berlin', '2026-11-20', '2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z'],
    ['America/New_York', '2026-11-20', '2026-11-20T05:00:00.000Z', '2026-11-21T05:00:00.000Z'],
    // Days on which clocks are changed have 23 and 25 hours.
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    // This one had no midnight.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z'],
    ['Europe/Berlin', 'today', '2026-11-21T23:00:00.000Z', '2026-11-22T23:00:00.000Z'],
    ['Europe/Berlin', 'Yesterday', '2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z'],
    ['Europe/Berlin', 'sunday', '2026-11-21T23:00:00.000Z', '2026-11-22T23:00:00.000Z'],
    ['Europe/Berlin', 'tuesday', '2026-11-16T23:00:00.000Z', '2026-11-17T23:00:00.000Z'],
    // It is Monday there.
    ['Pacific/Auckland', 'today', '2026-11-22T11:00:00.000Z', '2026-11-23T11:00:00.000Z'],
    ['Pacific/Auckland', 'monday', '2026-11-22T11:00:00.000Z', '2026-11-23T11:00:00.000Z'],
  ])('in %s the day %s lasts from %s until %s', (zone, text, start, end) => {
    expect(parseTime(text, inZone(zone))).toBe(start);
    expect(parseTime(text, inZone(zone), true)).toBe(end);
  });

  it.each([
    ['2026-11-20T09:30', '2026-11-20T08:30:00.000Z'],
    ['2026-07-20 09:30:15', '2026-07-20T07:30:15.000Z'],
    // Skipped, and shown twice.
    ['2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', '2026-10-25T01:30:00.000Z'],
    ['2026-11-20T09:30Z', '2026-11-20T09:30:00.000Z'],
  ])('in Berlin %s is %s', (text, iso) => {
    expect(parseTime(text, inZone('Europe/Berlin'))).toBe(iso);
  });

  it('without an offset is what local clocks show', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'UTC');
    const recent = fc.date({
      min: new Date('1950-01-01T00:00:00Z'),
      max: new Date('2090-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(zones, recent, (zone, date) => {
        const format = createLocalFormat(zone);
        const shown = format(date.toISOString()).date;
        expect(format(parseTime(shown, inZone(zone))).date).toBe(shown);
      }),
    );
  });

  it('is parsed back to the same time, in any zone', () => {
    fc.assert(
      fc.property(time, fc.integer({ min: -1439, max: 1439 }), (date, zone) => {
        expect(parseTime(date.toISOString(), utc)).toBe(date.toISOString());
        const local = new Date(date.getTime() + zone * 60_000).toISOString().slice(0, -1);
        const [hours, minutes] = [Math.floor(Math.abs(zone) / 60), Math.abs(zone) % 60];
        const offset = [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
        const text = `${local}${zone < 0 ? '-' : '+'}${offset}`;
        expect(parseTime(text, utc)).toBe(date.toISOString());
        const start = `${date.toISOString().slice(0, 10)}T00:00:00.000Z`;
        expect(parseTime(start.slice(0, 10), utc)).toBe(start);
      }),
    );
  });

  it('is the given duration ago, in every unit', () => {
    const unit = fc.constantFrom(['s', 1000], ['m', 60_000], ['h', 3_600_000], ['d', day]);
    fc.assert(
      fc.property(unit, fc.integer({ min: 0, max: 700_000 }), ([name, size], count) => {
        const time = Date.parse(parseTime(`${count}${name}`, utc));
        expect(now - time).toBe(count * Number(size));
      }),
    );
    expect(parseTime('3w', utc)).toBe(parseTime('21d', utc));
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
    '2026-11-20T09:30:00+0200',
    '2026-11-20T09:30:00  +02:00',
    '2026-11-20 Z',
    '2026-11-20T9:30',
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
    'tomorrow',
    'tue',
    '',
    ' 2d',
    '2d\n',
    '٢d',
  ])('%j is rejected, with the valid formats', (text) => {
    expect(rejection(text)).toMatch(/^Use an age such as .* or a time such as /);
  });

  it.each(['0000-01-01', '0000-02-29', '999999999w', '999999999h', '0001-01-01T00:00:00+00:01'])(
    '%s is rejected, because services support years of four digits',
    (text) => {
      expect(rejection(text)).toBe('Use a time in the years 1 to 9999.');
    },
  );

  it('is ISO 8601 with a four-digit year or rejected, for any input', () => {
    const near = fc.stringMatching(
      /^[\d]{4}-[\d]{2}-[\d]{2}([T ][\d:.]{0,9} ?(Z|[+-][\d:]{5})?)?$/,
    );
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
