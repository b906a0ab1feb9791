import type { Bytes } from './claim';

// Made once: making one costs more than using it.
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The UTF-8 bytes of a text. */
export function bytesOf(text: string): Bytes {
  return encoder.encode(text);
}

/** The text of UTF-8 bytes, without a byte order mark; what is not UTF-8 becomes U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
