import type { Claim, Holds } from './claim';
import type { NodeCrypto } from './node-crypto';

/** The last key of either kind, beside its secret: the next delivery mostly has the same one. */
const kept: { [Encoding in Claim['encoding']]?: [secret: string, key: Uint8Array] } = {};

/** The bytes that key a signature: those of the secret's text, or those that it holds in base64. */
function keyOf(secret: string, encoding: Claim['encoding']): Uint8Array {
  let last = kept[encoding];
  if (last?.[0] !== secret) {
    const key =
      encoding === 'hex'
        ? Buffer.from(secret)
        : Buffer.from(secret.replace(/^whsec_/, ''), encoding);
    kept[encoding] = last = [secret, key];
  }
  return last[1];
}

/** What tells with Node's own crypto whether a claim holds, in constant time. */
export function holdsSync(crypto: NodeCrypto): Holds {
  return ({ secret, head, body, encoding, signature }) => {
    const key = keyOf(secret, encoding);
    const hmac = crypto.createHmac('sha256', key);
    if (head) hmac.update(head);
    // As text: comparing what is written is stricter than comparing what it decodes to, and faster.
    const written = Buffer.from(hmac.update(body).digest(encoding));
    const given = Buffer.from(signature);
    return (
      // Who has no key has no secret: anybody could sign with it.
      !!key.length && written.length === given.length && crypto.timingSafeEqual(written, given)
    );
  };
}
