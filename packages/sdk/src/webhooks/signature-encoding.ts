import type { Bytes } from './claim';

/** The 32 bytes of a lowercase hex HMAC-SHA256; null for every other text. */
export function hexSignature(text: string): Bytes | null {
  if (!/^[0-9a-f]{64}$/.test(text)) return null;
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
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
