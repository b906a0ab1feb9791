import type { HmacCheck, HmacVerifier } from './checks';

/** Node's own crypto. */
export type NodeCrypto = typeof import('node:crypto');

/** Returns Node's own crypto, in Node 20.16 and later, Deno and Bun. */
export function nodeCrypto(): NodeCrypto | undefined {
  // Not an import, because this entry must also load in other runtimes.
  try {
    return globalThis.process?.getBuiltinModule?.('node:crypto');
  } catch {
    // Some edge runtimes, such as that of Next.js, have a function that throws. They have WebCrypto.
    return undefined;
  }
}

/** The last key of each encoding with its secret: the next delivery usually has the same one. */
const cachedKeys: { [Encoding in HmacCheck['encoding']]?: [secret: string, key: Uint8Array] } = {};

/** Returns the key of a secret: the bytes of its text, or the bytes that it contains as base64. */
function getKey(secret: string, encoding: HmacCheck['encoding']): Uint8Array {
  let last = cachedKeys[encoding];
  if (last?.[0] !== secret) {
    const key =
      encoding === 'hex'
        ? Buffer.from(secret)
        : Buffer.from(secret.replace(/^whsec_/, ''), encoding);
    cachedKeys[encoding] = last = [secret, key];
  }
  return last[1];
}

/** Creates a verifier that uses Node's own crypto. It compares in constant time. */
export function verifyHmacWithNode(crypto: NodeCrypto): HmacVerifier {
  return ({ secret, head, body, encoding, signature }) => {
    const key = getKey(secret, encoding);
    const hmac = crypto.createHmac('sha256', key);
    if (head) hmac.update(head);
    // Compares the encoded texts, which is stricter and faster than comparing the decoded bytes.
    const expected = Buffer.from(hmac.update(body).digest(encoding));
    const given = Buffer.from(signature);
    return (
      // Anyone could sign with an empty key.
      !!key.length && expected.length === given.length && crypto.timingSafeEqual(expected, given)
    );
  };
}
