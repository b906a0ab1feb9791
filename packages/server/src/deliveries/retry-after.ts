/**
 * How long a `Retry-After` header asks to wait, in milliseconds: it holds seconds or an HTTP date.
 * Null when there is none or it makes no sense. Source: RFC 9110, section 10.2.3.
 */
export function readRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000;
  // Every form of an HTTP date names a weekday first; Date.parse alone would take much more.
  const at = /^\s*(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
