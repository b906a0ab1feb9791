/** How many headers of its own a webhook may have, and how many characters a name and a value may have. */
export const customHeaderLimits = { max: 10, nameLength: 100, valueLength: 1_000 } as const;

/** Headers that the service sets, or that are about the connection. Sources: RFC 9110, section 7.6.1; RFC 9112. */
const reservedNames = new Set([
  ...['accept-encoding', 'baggage', 'connection', 'content-encoding', 'content-length'],
  ...['content-type', 'date', 'expect', 'host', 'http2-settings', 'keep-alive', 'te', 'trailer'],
  ...['traceparent', 'tracestate', 'transfer-encoding', 'upgrade', 'user-agent', 'via'],
]);

/** Headers of signatures and of this service. */
const reservedPrefixes = ['proxy-', 'service-', 'tradepost-', 'webhook-'];

/**
 * Returns why a webhook may not have a header; null if it may.
 *
 * @param names The names of all of its headers.
 */
export function customHeaderIssue(
  name: string,
  value: string,
  names: readonly string[],
): string | null {
  const { nameLength, valueLength } = customHeaderLimits;
  const lower = name.toLowerCase();
  // A token. Source: RFC 9110, section 5.6.2.
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || name.length > nameLength) {
    return `must have a name of 1 to ${nameLength} letters, digits and characters such as -`;
  }
  if (reservedNames.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix))) {
    return 'must not be set: the service sets it, or it is about the connection';
  }
  if (names.filter((one) => one.toLowerCase() === lower).length > 1) {
    return 'must be there only once, in upper or lower case';
  }
  const isPrintable = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value);
  return isPrintable && value.length <= valueLength
    ? null
    : `must have a value of 1 to ${valueLength.toLocaleString('en-US')} printable ASCII characters, without spaces at its start or end`;
}
