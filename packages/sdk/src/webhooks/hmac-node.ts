import type { HmacCheck, HmacVerifier } from './checks';

/** Node's own crypto. */
export type NodeCrypto = typeof import('node:crypto');

/** What was returned last, and by which function: asking takes as long as the checks other than HMACs. */
let known: { by: unknown; crypto: NodeCrypto | undefined } = { by: undefined, crypto: undefined };

/** Returns Node's own crypto, in Node 20.16 and later, Deno and Bun. */
export function nodeCrypto(): NodeCrypto | undefined {
  // Not an import, because this entry must also load in other runtimes.
  try {
    const process: Partial<NodeJS.Process> | undefined = globalThis.process;
    const by = process?.getBuiltinModule;
    if (by !== known.by) known = { by, crypto: process?.getBuiltinModule?.('node:crypto') };
    return known.crypto;
  } catch {
    // Some edge runtimes, such as that of Next.js, have a function that throws. They have WebCrypto.
    return undefined;
  }
}

/** How many keys are remembered: those of two secrets, and some more. */
const maxKeys = 8;
/** The keys of secrets, by encoding. */
const keys = { hex: new Map<string, Buffer>(), base64: new Map<string, Buffer>() };

/** Returns the key of a secret: the bytes of its text, or the bytes that it contains as base64. */
function toKey(secret: string, encoding: HmacCheck['encoding']): Buffer {
  const keysOfSecrets = keys[encoding];
  let key = keysOfSecrets.get(secret);
  if (!key) {
    key =
      encoding === 'hex'
        ? Buffer.from(secret)
        : Buffer.from(secret.replace(/^whsec_/, ''), encoding);
    if (keysOfSecrets.size >= maxKeys) keysOfSecrets.clear();
    keysOfSecrets.set(secret, key);
  }
  return key;
}

/** Creates a verifier that uses Node's own crypto. It compares in constant time. */
export function verifyHmacWithNode(crypto: NodeCrypto): HmacVerifier {
  return ({ secret, head, body, encoding, signature }) => {
    const key = toKey(secret, encoding);
    // Anyone could sign with an empty key.
    if (!key.length) return false;
    const hmac = crypto.createHmac('sha256', key);
    if (head) hmac.update(head);
    // Compares the encoded texts, which is stricter and faster than comparing the decoded bytes.
    const expected = Buffer.from(hmac.update(body).digest(encoding));
    const given = Buffer.from(signature);
    return expected.length === given.length && crypto.timingSafeEqual(expected, given);
  };
}
