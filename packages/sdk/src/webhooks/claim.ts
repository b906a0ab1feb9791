/** Bytes that WebCrypto takes: not shared with another thread. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A claim that `signature` is the HMAC-SHA256 of `message` under `key`. */
export interface Claim {
  key: Bytes;
  message: Bytes;
  signature: Bytes;
}
