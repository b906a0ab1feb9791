/**
 * Returns what to send as `If-Match` to change the order of a response: its `ETag`, or its version in quotes, if the service
 * sends that. A proxy that compresses responses may weaken or remove the `ETag`. Null without either.
 */
export function readEntityTag(headers: Pick<Headers, 'get'>): string | null {
  const version = headers.get('tradepost-order-version');
  return version === null ? headers.get('etag') : `"${version}"`;
}
