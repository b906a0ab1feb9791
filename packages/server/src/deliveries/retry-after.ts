import { retryWindow } from './delivery';

// The three forms of an HTTP date; Date.parse alone would take much more. Source: RFC 9110, section 5.6.7.
const withZone = /^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -](\d{4}|\d\d) \d\d:\d\d:\d\d GMT$/;
const withoutZone = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

function readHttpDate(text: string): number {
  if (withZone.test(text)) return Date.parse(text);
  // It is UTC too; without the zone Date.parse would take it for local time.
  return withoutZone.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}

function readWait(value: string, now: number): number | null {
  const text = value.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : readHttpDate(text) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(0, wait), retryWindow);
}

/**
 * How long `Retry-After` asks to wait, in milliseconds: it holds seconds, in any number of digits, or an HTTP
 * date. At most 24 hours, since no delivery is tried for longer. Of several values the longest wait counts,
 * and those that make no sense do not. Null when none is left. Source: RFC 9110, section 10.2.3.
 *
 * @param values As the header came, once for each time that it did.
 * @param now Milliseconds since 1970.
 */
export function readRetryAfter(values: readonly string[], now: number): number | null {
  const waits = values.map((value) => readWait(value, now)).filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}
