const date = String.raw`(\d{4})-?(\d\d)-?(\d\d)`;
const time = String.raw`(\d\d):?(\d\d):?(\d\d)(?:[.,](\d+))?`;
const pattern = new RegExp(`^${date}[Tt]${time}(?:[Zz]|[+-]00(?::?00)?)$`);
/** Either all separators, or none. */
const forms = /^(\d{4}-\d\d-\d\d.\d\d:\d\d:\d\d|\d{8}.\d{6}(?![:\d]))/;

/**
 * Reads an ISO 8601 timestamp in UTC: extended or basic form, `Z` or an offset of zero, any fraction of a second after `.` or `,`, and a
 * leap second. Returns milliseconds since 1970, or null if the value is no such timestamp.
 */
export function parseTimestamp(value: unknown): number | null {
  const match = typeof value === 'string' && forms.test(value) ? pattern.exec(value) : null;
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number);
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  const isDate = month >= 1 && time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  if (!isDate || hour > 23 || minute > 59 || second > 60) return null;
  return time.setUTCHours(hour, minute, second) + Number(`0.${match[7] ?? '0'}`) * 1000;
}

export const isTimestamp = (value: unknown): boolean => parseTimestamp(value) !== null;

/** What is wrong with a value that should be such a timestamp, for people. */
export const expectedTimestamp = 'an ISO 8601 timestamp in UTC, such as "2026-01-31T09:30:00Z"';
