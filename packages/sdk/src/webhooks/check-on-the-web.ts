import type { Claim } from './claim';
import {
  serviceSignature,
  webhookId,
  webhookSignature,
  webhookTimestamp,
} from './delivery-header-names';
import { defaultMaxBytes, type Examined, examine, secretsOf } from './examine';
import { headerOf } from './header-of';
import { joined } from './joined';
import { type Refusal, refuse } from './refusal';
import type { VerifiedDelivery } from './verified-delivery';

const allNames = [serviceSignature, webhookId, webhookTimestamp, webhookSignature];
const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** Tells with WebCrypto whether a claim holds; `verify` compares in constant time. */
export async function holdsOnTheWeb({
  secret,
  head,
  body,
  encoding,
  signature,
}: Claim): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const isHex = encoding === 'hex';
  const key = isHex ? bytesOf(secret) : keyBytes(secret);
  const given = isHex ? hexBytes(signature) : tagBytes(signature);
  // Who has no key has no secret: anybody could sign with it.
  if (!key.length || !given) return false;
  const message = joined([bytesOf(head), bytesOf(body)]);
  const imported = await subtle.importKey('raw', key, algorithm, false, ['verify']);
  return subtle.verify(algorithm, imported, given, message);
}

function bytesOf(text: string | Uint8Array): Uint8Array<ArrayBuffer> {
  // A copy of bytes: WebCrypto does not take those that are shared with a thread.
  return typeof text === 'string' ? new TextEncoder().encode(text) : Uint8Array.from(text);
}

/** The bytes that lowercase hex stands for; null when it is none. */
function hexBytes(text: string): Uint8Array<ArrayBuffer> | null {
  const digits = /^[0-9a-f]+$/.test(text) && text.match(/../g);
  return digits && text.length % 2 === 0
    ? Uint8Array.from(digits, (pair) => Number.parseInt(pair, 16))
    : null;
}

/** The bytes that a secret holds in base64, read as leniently as Node's own decoder reads it. */
function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const [text = ''] = secret.replace(/^whsec_/, '').split('=');
  const digits = text
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  // One digit more than whole bytes have stands for nothing.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return Uint8Array.from(atob(whole), (one) => one.charCodeAt(0));
}

/** The bytes of a signature in base64; null when it is not exactly what an encoder writes. */
function tagBytes(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(text);
    // Several texts decode to the same bytes; only one is what an encoder writes.
    return btoa(binary) === text ? Uint8Array.from(binary, (one) => one.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

/**
 * Checks a delivery with WebCrypto. The checks ask for answers at once, and WebCrypto has them later:
 * so they run up to the first claim that is still open, and from the start again as soon as that one
 * is answered. What they do between two claims is nothing beside an HMAC.
 */
export async function checkOnTheWeb(options: Examined): Promise<VerifiedDelivery | Refusal> {
  if (!globalThis.crypto?.subtle) return refuse('INVALID_CONFIGURATION', 'WebCrypto');
  const copy = copyOf(options);
  const answers: boolean[] = [];
  for (;;) {
    let asked = 0;
    let open: Claim | undefined;
    const outcome = examine(copy, (claim) => {
      const answer = answers[asked];
      asked += 1;
      if (answer === undefined) open ??= claim;
      return answer ?? false;
    });
    // What came of a claim that was open is no outcome.
    if (!open) return outcome;
    answers.push(await holdsOnTheWeb(open));
  }
}

/**
 * What nobody can change while WebCrypto is at work: each run must ask the same. Option by option, since
 * one that is inherited, or hidden, must not be lost.
 */
function copyOf(options: Examined): Examined {
  const { payload, headers, maxBytes = defaultMaxBytes, now = Date.now() } = options;
  const { signature, requireTimestamp, tolerance, maxEventAge } = options;
  // What is too large is refused, and not copied before.
  const isCopied = typeof payload !== 'string' && payload.length <= maxBytes;
  return {
    payload: isCopied ? Uint8Array.from(payload) : payload,
    headers: Object.fromEntries(allNames.map((name) => [name, headerOf(headers, name)])),
    secrets: secretsOf(options),
    now: +now,
    signature,
    requireTimestamp,
    tolerance,
    maxEventAge,
    maxBytes,
  };
}
