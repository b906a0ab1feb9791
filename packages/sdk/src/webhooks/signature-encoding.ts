import type { Bytes } from './claim';

/** The 32 bytes of a lowercase hex HMAC-SHA256; null for every other text. */
export function hexSignature(text: string): Bytes | null {
  if (!/^[0-9a-f]{64}$/.test(text)) return null;
  const bytes = new Uint8Array(32);
  for (let at = 0; at < 64; at += 1) {
    const digit = text.charCodeAt(at);
    // '0' is 0x30 and 'a' is 0x61: the low bits are the digit, a letter counts 9 more.
    const value = (digit & 15) + (digit >> 6) * 9;
    bytes[at >> 1] = ((bytes[at >> 1] ?? 0) << 4) | value;
  }
  return bytes;
}

/** The bytes that a base64 text stands for; null when it is not exactly what an encoder writes. */
export function base64Bytes(text: string): Bytes | null {
  try {
    const binary = atob(text);
    // Several texts decode to the same bytes; only one is what an encoder writes.
    return btoa(binary) === text ? Uint8Array.from(binary, (one) => one.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}
