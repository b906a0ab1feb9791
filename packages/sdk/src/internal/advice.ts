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
 * What to add to a problem that an extension met: a sentence when the service does not know the call
 * at all, else nothing. Where the interface has one method of a path, another one of it is a 405.
 */
export function beyondInterface(status: number, code: ErrorCode): string {
  return status === 405 || code === 'route_not_found' ? `${mayNotHaveIt}.` : '';
}

/** What to add when a change was refused, and one attempt of it may have been carried out unheard. */
export const doneBefore =
  'An earlier attempt may have been carried out: look at what is there before you try again.';

/** Adds a sentence to a text, after a full stop. */
export function sayMore(text: string, sentence: string): string {
  if (sentence === '') return text;
  const said = text.trimEnd();
  return `${said}${/[.!?…]$/.test(said) ? '' : '.'} ${sentence}`;
}
