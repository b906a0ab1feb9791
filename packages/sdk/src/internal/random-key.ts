/** A new random `Idempotency-Key`: 128 bits in hex. */
export function randomKey(): string {
  // Not `randomUUID`: browsers have it on https pages only.
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
