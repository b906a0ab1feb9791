/** A day of a month, of a year or of a week, and a time: either with all separators, or with none. */
const forms = [
  String.raw`(?<year>\d{4})-(?:(?<month>\d\d)-(?<date>\d\d)|(?<ordinal>\d{3})|W(?<week>\d\d)-(?<weekday>[1-7]))[Tt](?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`,
  String.raw`(?<year>\d{4})(?:(?<month>\d\d)(?<date>\d\d)|(?<ordinal>\d{3})|W(?<week>\d\d)(?<weekday>[1-7]))[Tt](?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)`,
].map((form) => new RegExp(`^${form}(?:[.,](?<fraction>\\d+))?(?:[Zz]|[+-]00(?::?00)?)$`));

const day = 86_400_000;

/**
 * Reads an ISO 8601 timestamp in UTC: a calendar, ordinal or week date in extended or basic form, `Z` or an offset of zero, any fraction of a
 * second after `.` or `,`, and a leap second. Returns milliseconds since 1970, or null if the value is no such timestamp.
 */
export function parseTimestamp(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const parts = forms.map((form) => form.exec(value)?.groups).find(Boolean);
  if (!parts) return null;
  const at = (name: string) => Number(parts[name] ?? 0);
  const [hour, minute, second] = [at('hour'), at('minute'), at('second')];
  const start = findDay(at);
  if (start === null || hour > 23 || minute > 59 || second > 60) return null;
  return start + ((hour * 60 + minute) * 60 + second + Number(`0.${parts.fraction ?? 0}`)) * 1000;
}

/** The start of a date, in milliseconds since 1970; null if there is no such date. */
function findDay(at: (name: string) => number): number | null {
  const year = at('year');
  const begin = (month: number, date: number) => new Date(0).setUTCFullYear(year, month, date);
  if (at('month') > 0) {
    const time = new Date(begin(at('month') - 1, at('date')));
    return time.getUTCMonth() === at('month') - 1 && time.getUTCDate() === at('date')
      ? time.getTime()
      : null;
  }
  if (at('ordinal') > 0) {
    const time = begin(0, at('ordinal'));
    return new Date(time).getUTCFullYear() === year ? time : null;
  }
  if (at('week') === 0) return null;
  // Week 1 has January 4th. A week belongs to the year of its Thursday.
  const fourth = begin(0, 4);
  const monday =
    fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * day + (at('week') - 1) * 7 * day;
  return new Date(monday + 3 * day).getUTCFullYear() === year
    ? monday + (at('weekday') - 1) * day
    : null;
}

export const isTimestamp = (value: unknown): boolean => parseTimestamp(value) !== null;

/** What is wrong with a value that should be such a timestamp, for people. */
export const expectedTimestamp = 'an ISO 8601 timestamp in UTC, such as "2026-01-31T09:30:00Z"';
