const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** The HMAC-SHA256 of bytes, with WebCrypto: Node, browsers and edge runtimes all have it. */
export async function hmac(
  key: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey('raw', key, algorithm, false, ['sign']);
  return new Uint8Array(await subtle.sign(algorithm, imported, message));
}
