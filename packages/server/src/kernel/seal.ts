import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const saltBytes = 16;
/** Source: NIST SP 800-38D, sections 5.2.1.1 and 5.2.1.2. */
const nonceBytes = 12;
const tagBytes = 16;

/** Each text has a key of its own, by its salt. */
function deriveKey(apiKey: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', apiKey, salt, 'tradepost sealed response', 32));
}

/** Encrypts a text so that only who has the API key, of which the store has a hash, can read it. */
export function seal(text: string, apiKey: string): string {
  const salt = randomBytes(saltBytes);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, deriveKey(apiKey, salt), nonce, {
    authTagLength: tagBytes,
  });
  const ciphertext = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([salt, nonce, ...ciphertext, cipher.getAuthTag()]).toString('base64url');
}

/** Decrypts what `seal` returned. Returns null if it was encrypted with another API key, or was changed. */
export function unseal(sealed: string, apiKey: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  const start = saltBytes + nonceBytes;
  if (bytes.length < start + tagBytes) return null;
  const key = deriveKey(apiKey, bytes.subarray(0, saltBytes));
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(saltBytes, start), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    return (
      decipher.update(bytes.subarray(start, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    );
  } catch {
    return null;
  }
}
