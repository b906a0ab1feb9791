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

/** The block size of SHA-256, in bytes. */
const blockSize = 64;
/** Up to this many bytes are copied and hashed at once. */
const maxCopied = 16_384;

/** How many keys are remembered: those of two secrets, and some more. */
const maxKeys = 8;

/** A key, and what its HMAC hashes. Source: RFC 2104, section 2. */
interface PreparedKey {
  key: Uint8Array;
  /** The key, masked for the inner hash. */
  inner: Buffer;
  /** The key, masked for the outer hash, and room for the inner hash. */
  outer: Buffer;
}

/** By encoding, then by secret. */
const preparedKeys: Record<HmacCheck['encoding'], Map<string, PreparedKey>> = {
  hex: new Map(),
  base64: new Map(),
};

/** Prepares the key of a secret: the bytes of its text, or the bytes that it contains as base64. */
function prepareKey(secret: string, encoding: HmacCheck['encoding']): PreparedKey {
  const keys = preparedKeys[encoding];
  const known = keys.get(secret);
  if (known) return known;
  const key =
    encoding === 'hex' ? Buffer.from(secret) : Buffer.from(secret.replace(/^whsec_/, ''), encoding);
  const mask = (byte: number, room = 0) => {
    const masked = Buffer.alloc(blockSize + room, byte);
    for (const [at, value] of key.entries()) masked[at] = byte ^ value;
    return masked;
  };
  const prepared = { key, inner: mask(0x36), outer: mask(0x5c, 32) };
  if (keys.size >= maxKeys) keys.clear();
  keys.set(secret, prepared);
  return prepared;
}

/** The masked key and the message of the inner hash. Reused, because a new one for each HMAC takes longer. */
let buffer: Buffer | undefined;

/**
 * Computes an HMAC-SHA256. A short message takes the two hashes of its definition, one call each: the stream that
 * `createHmac` creates takes longer than hashing.
 */
function computeHmac(
  crypto: NodeCrypto,
  { key, inner, outer }: PreparedKey,
  { head, body, encoding }: HmacCheck,
): string {
  // A character has three bytes at most. A longer key would have to be hashed first.
  if (!crypto.hash || 3 * (head.length + body.length) > maxCopied || key.length > blockSize) {
    return crypto.createHmac('sha256', key).update(head).update(body).digest(encoding);
  }
  buffer ??= Buffer.alloc(blockSize + maxCopied);
  buffer.set(inner);
  const isText = typeof body === 'string';
  let end = blockSize + buffer.write(isText ? head + body : head, blockSize);
  if (!isText) {
    buffer.set(body, end);
    end += body.length;
  }
  outer.write(crypto.hash('sha256', buffer.subarray(0, end), 'hex'), blockSize, 'hex');
  return crypto.hash('sha256', outer, encoding);
}

/** Creates a verifier that uses Node's own crypto. It compares in constant time. */
export function verifyHmacWithNode(crypto: NodeCrypto): HmacVerifier {
  return (check) => {
    const prepared = prepareKey(check.secret, check.encoding);
    // Compares the encoded texts, which is stricter and faster than comparing the decoded bytes.
    const expected = Buffer.from(computeHmac(crypto, prepared, check));
    const given = Buffer.from(check.signature);
    return (
      // Anyone could sign with an empty key.
      !!prepared.key.length &&
      expected.length === given.length &&
      crypto.timingSafeEqual(expected, given)
    );
  };
}
