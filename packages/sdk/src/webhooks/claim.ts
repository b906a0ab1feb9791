/** A claim that `signature` is the HMAC-SHA256 of `head` and then `body`, keyed with a secret. */
export interface Claim {
  /** The endpoint secret, whole. */
  secret: string;
  /** What was signed before the body; mostly nothing. */
  head: string;
  /** The body: a text stands for its UTF-8 bytes. */
  body: string | Uint8Array;
  /**
   * How `signature` is written, and with it what the key is: in `Service-Signature`, which is hex, the
   * whole secret text; in `webhook-signature`, which is base64, the bytes that follow `whsec_`.
   */
  encoding: 'hex' | 'base64';
  /** What the header says. */
  signature: string;
}

/** Tells whether a claim holds. */
export type Holds = (claim: Claim) => boolean;
