import { webhookId, webhookSignature, webhookTimestamp } from './delivery-header-names';
import { defaultMaxBytes, type Examined, secretsOf } from './examine';
import { headerOf } from './header-of';
import { rawBytes } from './raw-bytes';
import { readEvent } from './read-event';
import type { Refusal } from './refusal';
import { textOf } from './text-of';
import { tooLarge } from './too-large';
import type { WebhookVerificationErrorCode } from './webhook-verification-error';

/** What was to be verified, whatever its payload was. */
export type Attempted = Omit<Examined, 'payload'> & { payload: unknown };

/** A refusal as the receiver hears of it. */
interface Described {
  code: WebhookVerificationErrorCode;
  /** What is wrong, and what to do about it. */
  text: string;
}

/** The header as the interface spells it. */
const shown = 'Service-Signature';

/** Says what is wrong and what to do, from what was attempted. */
export function describeRefusal({ refused, about }: Refusal, attempted: Attempted): Described {
  const { tolerance = 300, maxBytes = defaultMaxBytes } = attempted;
  const seconds = Math.round(Number(about));
  const say = (text: string): Described => ({ code: refused, text });
  switch (refused) {
    case 'INVALID_CONFIGURATION':
      return say(about ? noWebCrypto : configurationFault(attempted));
    case 'BODY_PARSED':
      return say(
        `payload must be the raw body as string, Uint8Array or ArrayBuffer, or a Request that nobody has read: it is ${kindOf(attempted.payload)}.`,
      );
    case 'BODY_TOO_LARGE':
      return say(tooLarge(maxBytes));
    case 'MISSING_SIGNATURE':
      return say(missing(shown, attempted));
    case 'MISSING_HEADER': {
      const name =
        [webhookSignature, webhookTimestamp, webhookId].find(
          (one) => !headerOf(attempted.headers, one),
        ) ?? '';
      const asked = attempted.requireTimestamp
        ? ' requireTimestamp asks for it: leave that out for a service that sends Service-Signature alone.'
        : '';
      return say(`${missing(name, attempted)}${asked}`);
    }
    case 'MALFORMED_SIGNATURE':
      return say(
        about === webhookSignature
          ? `${about} must be v1, a comma and the base64 of 32 bytes: pass the header as it arrived.`
          : `${shown} must be 64 lowercase hex digits and nothing else: pass the header as it arrived.`,
      );
    case 'MALFORMED_TIMESTAMP':
      return say(`${webhookTimestamp} must be seconds since 1970: pass the header as it arrived.`);
    case 'SIGNATURE_MISMATCH':
      return say(
        about === webhookSignature
          ? `${shown} matches and ${about} does not: ${webhookId} or ${webhookTimestamp} is not what was signed. A replay with another date looks like this.`
          : `${shown} does not match: pass the body's bytes as they arrived, never parsed and stringified, and the whole secret of this webhook, whsec_ included.`,
      );
    case 'BODY_RESERIALIZED':
      return say(`${shown} matches ${about}.`);
    case 'SECRET_WHITESPACE':
      return say(
        'The secret has white space or quotes around it, and matches without them: trim it where it is set.',
      );
    case 'WRONG_SECRET':
      return say(String(about));
    case 'TIMESTAMP_TOO_OLD':
      return say(
        `The delivery was signed ${seconds} s ago and tolerance is ${tolerance} s: a replay, or the clock of this machine is wrong.`,
      );
    case 'TIMESTAMP_TOO_NEW':
      return say(
        `The delivery was signed ${seconds} s in the future and tolerance is ${tolerance} s: the clock of this machine is wrong.`,
      );
    case 'EVENT_TOO_OLD':
      return say(
        `The event is from ${createdAtOf(attempted.payload)}, longer ago than maxEventAge, ${attempted.maxEventAge} s, allows: a replay, or a delivery that took long to arrive.`,
      );
    case 'MALFORMED_BODY':
    case 'MISSING_EVENT':
      return describeEnvelope(attempted.payload);
  }
}

const noWebCrypto = 'verifyWebhook needs WebCrypto, which browsers have on https pages only.';

function configurationFault(attempted: Attempted): string {
  const { tolerance = 300, maxBytes = 1, now = 0 } = attempted;
  const all = secretsOf(attempted);
  if (!all.length || !all.every((one) => one?.trim?.())) {
    return 'secret is missing or empty: pass the one that the registration answered with.';
  }
  if (!(tolerance > 0 && tolerance < 1e12))
    return 'tolerance must be a positive number of seconds.';
  if (!(maxBytes > 0)) return 'maxBytes must be a positive number of bytes.';
  return `now must be a date or milliseconds since 1970 (got ${now}).`;
}

function kindOf(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return String(payload);
  if ('bodyUsed' in payload) return 'a Request that was read before';
  return Array.isArray(payload) ? 'an array' : 'an object, so a parser was there first';
}

function missing(name: string, { headers }: Attempted): string {
  const lost = !headers
    ? ' No headers were passed.'
    : typeof headers.get !== 'function' && !Object.keys(headers).length
      ? ' The headers that were passed are empty: a Headers object spread into {} loses them all.'
      : '';
  return `${name} is missing: pass the request's headers as they arrived, and check that no proxy drops it.${lost}`;
}

/** When a signed body says that its event happened. */
function createdAtOf(payload: unknown): string {
  return String(readEvent(rawBytes(payload) ?? '')?.createdAt);
}

/** What a signed body lacks. */
function describeEnvelope(payload: unknown): Described {
  const lacks = (what: string, code: WebhookVerificationErrorCode = 'MALFORMED_BODY') => ({
    code,
    text: `The signed body has no ${what}: check which service sent it.`,
  });
  let envelope: unknown;
  try {
    envelope = JSON.parse(textOf(rawBytes(payload) ?? ''));
  } catch {
    return lacks('JSON');
  }
  if (typeof envelope !== 'object' || !envelope || Array.isArray(envelope)) {
    return lacks('JSON object');
  }
  const { event, type, createdAt } = envelope as Record<string, unknown>;
  if (typeof event !== 'string' || !event) {
    const hint = type ? ' (it has "type", but this service names the kind in "event")' : '';
    return lacks(`field "event"${hint}`, 'MISSING_EVENT');
  }
  return lacks(typeof createdAt === 'string' ? 'field "data"' : 'field "createdAt"');
}
