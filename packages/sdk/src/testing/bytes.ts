const encoder = new TextEncoder();

/** The UTF-8 bytes of a text. */
export function utf8Of(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Bytes as lowercase hex. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** The bytes that a base64 text stands for; null when it stands for none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return text ? Uint8Array.from(atob(text), (one) => one.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}
