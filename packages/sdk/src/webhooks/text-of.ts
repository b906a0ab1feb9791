// Made once: making one costs more than using it.
const decoder = new TextDecoder();

/** A body's text, without a byte order mark; what is not UTF-8 becomes U+FFFD. */
export function textOf(body: string | Uint8Array): string {
  return typeof body === 'string' ? body.replace(/^\ufeff/, '') : decoder.decode(body);
}
