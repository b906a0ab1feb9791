/**
 * Redacts API keys and endpoint secrets in a text, such as a path in which a client sent a key in place of an ID, before it is
 * logged or returned.
 */
export function redactSecrets(text: string): string {
  return text.replace(/(tpk|whsec)_[\w+/=%-]{8,}/g, '$1_…');
}
