import { retryWindowMs } from '@tradepost/domain/deliveries/delivery';

// The three forms of an HTTP date; Date.parse accepts many more. Source: RFC 9110, section 5.6.7.
const withTimeZone = /^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -](\d{4}|\d\d) \d\d:\d\d:\d\d GMT$/;
const withoutTimeZone = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

function parseHttpDate(text: string): number {
  if (withTimeZone.test(text)) return Date.parse(text);
  // This form is UTC too, but Date.parse would read it as local time.
  return withoutTimeZone.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}

function parseDelay(value: string, now: number): number | null {
  const text = value.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(0, wait), retryWindowMs);
}

/**
 * Returns the wait that `Retry-After` requests, in milliseconds. The header has seconds, in any number of digits, or an HTTP
 * date. The result is at most 24 hours, the retry window. The longest of several valid values counts. Returns null if there is
 * none. Source: RFC 9110, section 10.2.3.
 *
 * @param values One value for each time that the header was sent.
 * @param now Milliseconds since 1970.
 */
export function parseRetryAfter(values: readonly string[], now: number): number | null {
  const waits = values.map((value) => parseDelay(value, now)).filter((wait) => wait !== null);
  return waits.length === 0 ? null : Math.max(...waits);
}
