import type { ErrorCode } from '../errors/tradepost-error';

const mayNotHaveIt = 'This call goes beyond the interface, and this service may not have it';

/**
 * What to do about a refusal that is not in the service's own words: a sentence.
 *
 * @param retryAfter seconds, as `Retry-After` has it
 */
export function adviceOn(status: number, extension: boolean, retryAfter: number | null): string {
  if (status === 401) return 'Check apiKey, and that baseUrl leads to the service that gave it.';
  if (extension && (status === 404 || status === 405)) return `${mayNotHaveIt}: check baseUrl.`;
  if (status < 500 && ![408, 425, 429].includes(status)) {
    return 'Check that baseUrl leads to the service itself.';
  }
  const when = retryAfter ? `in ${Math.ceil(retryAfter)} s` : 'later';
  return `The service, or a proxy before it, cannot answer now: try again ${when}.`;
}

/**
 * What to add to a problem that an extension met: a sentence with a space before it when the service
 * does not know the path at all, else nothing.
 */
export function beyondInterface(code: ErrorCode): string {
  return code === 'route_not_found' || code === 'method_not_allowed' ? ` ${mayNotHaveIt}.` : '';
}
