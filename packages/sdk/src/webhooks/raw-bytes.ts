/** The raw body in a payload, without a copy of its bytes; null when there is none. */
export function rawBytes(payload: unknown): string | Uint8Array | null {
  if (typeof payload === 'string') return payload;
  // Not `instanceof`: both may come from another realm.
  if (ArrayBuffer.isView(payload)) {
    return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength);
  }
  return /ArrayBuffer/.test(Object.prototype.toString.call(payload))
    ? new Uint8Array(payload as ArrayBuffer)
    : null;
}
