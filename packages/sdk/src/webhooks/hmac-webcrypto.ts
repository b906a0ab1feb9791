import {
  type CheckedDelivery,
  defaultMaxBytes,
  getHeader,
  type HmacCheck,
  listSecrets,
  positionName,
  positionSignature,
  runChecks,
  serviceSignature,
  webhookId,
  webhookSignature,
  webhookTimestamp,
} from './checks';
import type { VerifiedDelivery } from './options';
import { concatBytes } from './raw-body';
import { fail, type VerificationFailure } from './verification-error';

const allNames = [
  serviceSignature,
  webhookId,
  webhookTimestamp,
  webhookSignature,
  positionName,
  positionSignature,
];
const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** Checks a signature with WebCrypto, whose `verify` compares in constant time. */
export async function verifyHmacWithWebCrypto({
  secret,
  head,
  body,
  encoding,
  signature,
}: HmacCheck): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const isHex = encoding === 'hex';
  const key = isHex ? toBytes(secret) : decodeKey(secret);
  const given = isHex ? decodeHex(signature) : decodeBase64(signature);
  // Anyone could sign with an empty key.
  if (!key.length || !given) return false;
  const message = concatBytes([toBytes(head), toBytes(body)]);
  const imported = await subtle.importKey('raw', key, algorithm, false, ['verify']);
  return subtle.verify(algorithm, imported, given, message);
}

function toBytes(text: string | Uint8Array): Uint8Array<ArrayBuffer> {
  // A copy, because WebCrypto does not accept memory that is shared with a thread.
  return typeof text === 'string' ? new TextEncoder().encode(text) : Uint8Array.from(text);
}

/** Decodes lowercase hex. Null when the text is not valid. */
function decodeHex(text: string): Uint8Array<ArrayBuffer> | null {
  const digits = /^[0-9a-f]+$/.test(text) && text.match(/../g);
  return digits && text.length % 2 === 0
    ? Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16))
    : null;
}

/** Decodes the base64 of a secret as leniently as Node does. */
function decodeKey(secret: string): Uint8Array<ArrayBuffer> {
  const [text = ''] = secret.replace(/^whsec_/, '').split('=');
  const digits = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  // A single remaining digit encodes no byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return Uint8Array.from(atob(whole), (one) => one.charCodeAt(0));
}

/** Decodes the base64 of a signature. Null when the text is not exactly what an encoder writes. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(text);
    // Several texts decode to the same bytes; an encoder writes only one of them.
    return btoa(binary) === text ? Uint8Array.from(binary, (one) => one.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

/**
 * Verifies a delivery with WebCrypto. The checks are synchronous and WebCrypto is not: so they run up to the
 * first HMAC check without a result, and again from the start when that result is known. The work
 * between two HMAC checks is negligible.
 */
export async function checkWithWebCrypto(
  options: CheckedDelivery,
): Promise<VerifiedDelivery | VerificationFailure> {
  if (!globalThis.crypto?.subtle) return fail('INVALID_CONFIGURATION', 'WebCrypto');
  const copy = copyOptions(options);
  const results: boolean[] = [];
  for (;;) {
    let requested = 0;
    let open: HmacCheck | undefined;
    const outcome = runChecks(copy, (check) => {
      const result = results[requested];
      requested += 1;
      if (result === undefined) open ??= check;
      return result ?? false;
    });
    // The outcome counts only if it depends on no open check.
    if (!open) return outcome;
    results.push(await verifyHmacWithWebCrypto(open));
  }
}

/**
 * Copies the options, so that they cannot change between two runs of the checks. Option by option, so that
 * inherited and non-enumerable ones are not lost.
 */
function copyOptions(options: CheckedDelivery): CheckedDelivery {
  const { payload, headers, maxBytes = defaultMaxBytes, now = Date.now() } = options;
  const { signature, requireTimestamp, tolerance, maxEventAge } = options;
  // A body that is too large is rejected without a copy.
  const isCopied = typeof payload !== 'string' && payload.length <= maxBytes;
  return {
    payload: isCopied ? Uint8Array.from(payload) : payload,
    headers: Object.fromEntries(allNames.map((name) => [name, getHeader(headers, name)])),
    secrets: listSecrets(options),
    now: +now,
    signature,
    requireTimestamp,
    tolerance,
    maxEventAge,
    maxBytes,
  };
}
