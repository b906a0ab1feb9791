import type { Checking, Claim } from './claim';
import type { NodeCrypto } from './node-crypto';

let lastSecret: string | undefined;
let lastKey: Uint8Array;

/** The bytes that a secret holds in base64. Kept for the next delivery, which mostly has the same one. */
function bytesIn(secret: string): Uint8Array {
  if (secret !== lastSecret) {
    lastKey = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    lastSecret = secret;
  }
  return lastKey;
}

/** Tells whether a claim holds, in constant time. */
function holds(crypto: NodeCrypto, { secret, head, body, encoding, signature }: Claim): boolean {
  const key = encoding === 'hex' ? secret : bytesIn(secret);
  const hmac = crypto.createHmac('sha256', key);
  if (head) hmac.update(head);
  // As text: comparing what is written is stricter than comparing what it decodes to, and faster.
  const written = Buffer.from(hmac.update(body).digest(encoding));
  const given = Buffer.from(signature);
  // Who has no key has no secret: anybody could sign with it.
  return !!key.length && written.length === given.length && crypto.timingSafeEqual(written, given);
}

/** Carries a checking through with Node's own crypto. */
export function checkSync<Result>(checking: Checking<Result>, crypto: NodeCrypto): Result {
  let step = checking.next();
  while (!step.done) step = checking.next(holds(crypto, step.value));
  return step.value;
}
