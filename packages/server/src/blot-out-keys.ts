/**
 * Blots out API keys and endpoint secrets that stand in a text, such as a path in which somebody put a
 * key for an id: what is logged or answered must not hand them on.
 */
export function blotOutKeys(text: string): string {
  return text.replace(/(tpk|whsec)_[\w+/=%-]{8,}/g, '$1_…');
}
