import {
  serviceSignature,
  webhookId,
  webhookSignature,
  webhookTimestamp,
} from './delivery-header-names';
import { type Examined, mostTags, secretsOf } from './examine';
import { headerOf } from './header-of';
import { type Refusal, refuse } from './refusal';
import type { Search } from './search';
import { textOf } from './text-of';

/** Larger bodies are not looked at: writing them again in several ways would take long. */
const longestBody = 65_536;

/**
 * Looks for the reason why `Service-Signature` does not match, for the developer's eyes: tries what
 * receivers commonly do to a secret or a body, and tells which of it undone makes it match. Null
 * when there is nothing to tell.
 */
export function* diagnoseMismatch(options: Examined): Search<Refusal | null> {
  const { headers, payload: raw } = options;
  const all = secretsOf(options);
  const signature = options.signature || headerOf(headers, serviceSignature);
  if (raw.length > longestBody) return null;
  const matches = function* (key: string, body: string | Uint8Array): Search<boolean> {
    return yield { secret: key, head: '', body, encoding: 'hex', signature };
  };

  for (const key of all) {
    const bare = key.replace(/^["'\s]+|["'\s]+$/g, '');
    if (bare !== key && (yield* matches(bare, raw))) return refuse('SECRET_WHITESPACE');
    if (yield* matches(`whsec_${bare}`, raw)) {
      return refuse('WRONG_SECRET', 'The secret lacks its beginning: whsec_ is a part of it.');
    }
  }
  if (yield* isStaged(all, headers, raw)) {
    return refuse(
      'WRONG_SECRET',
      'The secret signed webhook-signature and not Service-Signature: it is staged and not promoted yet. Pass the current one besides, in secrets, until it is.',
    );
  }
  for (const [written, body] of otherForms(raw)) {
    for (const key of all) {
      if (yield* matches(key, body)) return refuse('BODY_RESERIALIZED', written);
    }
  }
  const [first = ''] = all;
  const mistaken = /^(tpk|whk)_/.exec(first)?.[1];
  if (mistaken) {
    const what = mistaken === 'tpk' ? 'an API key' : "a webhook's id";
    return refuse(
      'WRONG_SECRET',
      `The secret is ${what}: pass the endpoint secret, whsec_…, that the registration answered with.`,
    );
  }
  return isUntouched(textOf(raw))
    ? refuse(
        'WRONG_SECRET',
        'Service-Signature does not match, and the body looks as the service writes it: most likely the secret belongs to another webhook, or to another environment. Compare it with the one that the registration answered with. A forged delivery looks the same.',
      )
    : null;
}

/** Tells whether a secret made `webhook-signature`, as one does that is staged. */
function* isStaged(
  secrets: readonly string[],
  headers: Examined['headers'],
  body: string | Uint8Array,
): Search<boolean> {
  const head = `${headerOf(headers, webhookId)}.${headerOf(headers, webhookTimestamp)}.`;
  for (const tag of headerOf(headers, webhookSignature).split(' ', mostTags)) {
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

/** The body as it may have been before something wrote it again, each with what was done to it. */
function* otherForms(
  raw: string | Uint8Array,
): Generator<[what: string, body: string | Uint8Array]> {
  const text = textOf(raw);
  const parsed = parseObject(text);
  if (parsed) {
    const { event, createdAt, data, ...rest } = parsed;
    const compact = 'the compact JSON of this body: it was parsed and written again';
    yield [compact, JSON.stringify(parsed)];
    yield [
      `${compact}, with its fields in another order`,
      JSON.stringify({ event, createdAt, data, ...rest }),
    ];
  }
  yield ['this body without its byte order mark: something put one before it', text];
  yield ['this body with a byte order mark: decoding it to text took that away', `\ufeff${text}`];
  yield ['this body without the white space around it', text.trim()];
  yield ['this body with a line break at its end: it was trimmed', `${text}\n`];
  const unix = text.replaceAll('\r\n', '\n');
  yield ['this body with line breaks of Unix: something wrote others', unix];
  yield [
    'this body with line breaks of Windows: something wrote others',
    unix.replaceAll('\n', '\r\n'),
  ];
  if (/[\x80-\xff]/.test(text) && !/[^\0-\xff]/.test(text)) {
    yield [
      'the bytes that this text was decoded from as Latin-1, and it is UTF-8',
      Uint8Array.from(text, (one) => one.charCodeAt(0)),
    ];
  }
}

/** Tells whether a body is written as the service writes it. */
function isUntouched(text: string): boolean {
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
