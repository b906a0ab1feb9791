import {
  type CheckedDelivery,
  getHeader,
  type HmacCheck,
  type HmacVerifier,
  listSecrets,
  maxSignatures,
  serviceSignature,
  webhookId,
  webhookSignature,
  webhookTimestamp,
} from './checks';
import { decodeText } from './event';
import { findSecretsMistake, stripSecret } from './secrets';
import { fail, type VerificationFailure } from './verification-error';

/**
 * A search that yields each HMAC check and receives its result. The same search runs with `node:crypto`,
 * which is synchronous, and with WebCrypto, which is not.
 */
export type Search<Result> = Generator<HmacCheck, Result, boolean>;

/** Runs a search with synchronous cryptography. */
export function searchSync<Result>(search: Search<Result>, verifyHmac: HmacVerifier): Result {
  let step = search.next();
  while (!step.done) step = search.next(verifyHmac(step.value));
  return step.value;
}

/** Runs a search with asynchronous cryptography. */
export async function searchAsync<Result>(
  search: Search<Result>,
  verifyHmac: (check: HmacCheck) => Promise<boolean>,
): Promise<Result> {
  let step = search.next();
  while (!step.done) step = search.next(await verifyHmac(step.value));
  return step.value;
}

/** Larger bodies are not diagnosed, because serializing them in several ways takes too long. */
const maxBodyLength = 65_536;

/**
 * Searches for the reason why `Service-Signature` does not match: undoes common mistakes with secrets and
 * bodies, and reports the one whose undoing makes it match. Null when it finds none.
 */
export function* diagnoseMismatch(options: CheckedDelivery): Search<VerificationFailure | null> {
  const { headers, payload: raw } = options;
  const all = listSecrets(options);
  const signature = options.signature || getHeader(headers, serviceSignature);
  if (raw.length > maxBodyLength) return null;
  const matches = function* (key: string, body: string | Uint8Array): Search<boolean> {
    return yield { secret: key, head: '', body, encoding: 'hex', signature };
  };

  for (const key of all) {
    const bare = stripSecret(key);
    if (bare !== key && (yield* matches(bare, raw))) return fail('SECRET_WHITESPACE');
    if (yield* matches(`whsec_${bare}`, raw)) {
      return fail('WRONG_SECRET', 'The secret lacks its prefix whsec_: pass the whole secret.');
    }
  }
  if (yield* isStaged(all, headers, raw)) {
    return fail(
      'WRONG_SECRET',
      'The secret signed webhook-signature, but not Service-Signature: most likely it is staged and not yet promoted. Until it is, pass the current secret too, in secrets. A forged Service-Signature looks the same.',
    );
  }
  for (const [description, body] of alternativeBodies(raw)) {
    for (const key of all) {
      if (yield* matches(key, body)) return fail('BODY_RESERIALIZED', description);
    }
  }
  // Stripped, because a secret that does not match without the quotes around it has another mistake.
  const mistake = findSecretsMistake(all.map(stripSecret));
  if (mistake) return fail('WRONG_SECRET', `The ${mistake}`);
  return isUnchanged(decodeText(raw))
    ? fail(
        'WRONG_SECRET',
        'Service-Signature does not match, although the body is formatted as the service formats it: most likely the secret is of another webhook or environment. Compare it with the one from the registration response, or from `tradepost webhooks listen`. A forged delivery, or one with a changed value, looks the same.',
      )
    : null;
}

/** Whether one of the secrets made `webhook-signature`, as a staged secret does. */
function* isStaged(
  secrets: readonly string[],
  headers: CheckedDelivery['headers'],
  body: string | Uint8Array,
): Search<boolean> {
  const head = `${getHeader(headers, webhookId)}.${getHeader(headers, webhookTimestamp)}.`;
  for (const tag of getHeader(headers, webhookSignature).split(' ', maxSignatures)) {
    for (const secret of secrets) {
      if (
        yield { secret: secret.trim(), head, body, encoding: 'base64', signature: tag.slice(3) }
      ) {
        return true;
      }
    }
  }
  return false;
}

/** Yields the body as it may have been before a program changed it, with a description of the change. */
function* alternativeBodies(
  raw: string | Uint8Array,
): Generator<[description: string, body: string | Uint8Array]> {
  const text = decodeText(raw);
  const parsed = parseObject(text);
  if (parsed) {
    const { event, createdAt, data, ...rest } = parsed;
    const compact = 'the compact JSON of this body: it was parsed and serialized again';
    yield [compact, JSON.stringify(parsed)];
    yield [
      `${compact}, with its fields in another order`,
      JSON.stringify({ event, createdAt, data, ...rest }),
    ];
  }
  const decoded = decodeBase64(text);
  if (decoded) {
    yield [
      'the bytes that this body encodes in base64: in AWS Lambda, isBase64Encoded was true and must reach the receiver unchanged; elsewhere, a proxy encodes bodies',
      decoded,
    ];
  }
  yield ['this body without its byte order mark, which was added', text];
  yield ['this body with a byte order mark, which decoding removed', `\ufeff${text}`];
  yield ['this body without the whitespace around it, which was added', text.trim()];
  yield ['this body with a final line break, which was trimmed', `${text}\n`];
  const unix = text.replaceAll('\r\n', '\n');
  yield ['this body with Unix line breaks, which were converted', unix];
  yield ['this body with Windows line breaks, which were converted', unix.replaceAll('\n', '\r\n')];
  if (/[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text)) {
    yield [
      'the bytes of this text in Latin-1: it was decoded as Latin-1 instead of UTF-8',
      Uint8Array.from(text, (one) => one.charCodeAt(0)),
    ];
  }
}

/** Decodes a text that is base64 and nothing else. Null when it is not. */
function decodeBase64(text: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Whether a body is written as the service writes it. */
function isUnchanged(text: string): boolean {
  const parsed = parseObject(text);
  return (
    parsed !== null &&
    Object.keys(parsed).join() === 'event,createdAt,data' &&
    JSON.stringify(parsed) === text
  );
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
