/**
 * Reads `Retry-After`: the seconds to wait, 0 or more; null when the header is missing or makes no
 * sense. A date is measured against the answer's own `Date`, so that a wrong local clock does no
 * harm. Source: RFC 9110, section 10.2.3.
 *
 * @param now milliseconds since 1970, for an answer without `Date`
 */
export function retryAfterSeconds(
  headers: { get(name: string): string | null },
  now: number,
): number | null {
  const text = headers.get('retry-after')?.trim();
  if (!text) return null;
  // Sent twice, it arrives as a list: the first one counts.
  if (/^\d[\d.]*(,|$)/.test(text)) return parseFloat(text);
  // `Date.parse` takes much that is no date, such as "-5".
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return null;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  const since = Date.parse(headers.get('date') ?? '') || now;
  return Math.max(0, (until - since) / 1_000);
}
