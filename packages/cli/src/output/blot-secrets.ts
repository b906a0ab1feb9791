/**
 * Blots out what reads like an API key or an endpoint secret: `tpk_…`, `whsec_…`. People paste them
 * where an id belongs, and services quote what they got; what is on stderr ends up in logs.
 *
 * @param text shown text or JSON. JSON stays the JSON it was, since quotes and escapes are left alone.
 */
export function blotSecrets(text: string): string {
  return text.replace(/(tpk|whsec)_[\w%+/=-]{8,}/g, '$1_…');
}
