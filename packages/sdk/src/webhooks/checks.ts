import { type deliveryHeaderNames, isTestEvent } from '@tradepost/contract/wire';
import type { OptionNames } from '../option-names';
import { readEvent } from './event';
import type {
  DeliveryHeaders,
  DeliveryOptions,
  VerifiedDelivery,
  VerifyWebhookOptions,
} from './options';
import { fail, type VerificationFailure } from './verification-error';

type Names = typeof deliveryHeaderNames;

// Literals checked against the contract by their types: importing its table would add to the bundle.

/** Lowercase hex HMAC-SHA256 of the raw body, keyed with the signing secret. */
export const serviceSignature = 'service-signature' satisfies Lowercase<Names['signature']>;
/** ID of the event. Source: Standard Webhooks. */
export const webhookId = 'webhook-id' satisfies Names['webhookId'];
/** When the attempt was sent, in seconds since 1970. Source: Standard Webhooks. */
export const webhookTimestamp = 'webhook-timestamp' satisfies Names['webhookTimestamp'];
/** `v1,<base64>` over ID, timestamp and body. Source: Standard Webhooks. */
export const webhookSignature = 'webhook-signature' satisfies Names['webhookSignature'];

/** Where the event is: `sequence=1838339443200000, orderVersion=2`. */
export const positionName = 'tradepost-position' satisfies Lowercase<Names['position']>;
/** Hex HMAC-SHA256 over ID, timestamp, position and body, one for each secret. */
export const positionSignature = 'tradepost-position-signature' satisfies Lowercase<
  Names['positionSignature']
>;

/**
 * Returns the value of a header, case-insensitively; empty when it is missing. A repeated header is joined
 * with commas, as HTTP does.
 *
 * @param name in lower case
 */
export function getHeader(headers: DeliveryHeaders | undefined, name: string): string {
  if (!headers) return '';
  if (hasGet(headers)) return String(headers.get(name) ?? '');
  // Node's own names are in lower case; others are searched.
  let value = headers[name];
  if (!value) {
    for (const key in headers) {
      if (key.length === name.length && key.toLowerCase() === name) value ||= headers[key];
    }
  }
  return value ? String(value) : '';
}

function hasGet(
  headers: DeliveryHeaders,
): headers is Extract<DeliveryHeaders, { get(name: string): unknown }> {
  return typeof headers.get === 'function';
}

/** The check whether `signature` is the HMAC-SHA256 of `head` and `body`, keyed with a secret. */
export interface HmacCheck {
  /** The signing secret, including `whsec_`. */
  secret: string;
  /** What is signed before the body; usually empty. */
  head: string;
  /** The body; a text stands for its UTF-8 bytes. */
  body: string | Uint8Array;
  /**
   * The encoding of `signature`, which also determines the key: with `hex` (`Service-Signature`), the whole
   * text of the secret; with `base64` (`webhook-signature`), the bytes that follow `whsec_`.
   */
  encoding: 'hex' | 'base64';
  /** The signature in the header. */
  signature: string;
}

/** Checks a signature, in constant time. */
export type HmacVerifier = (check: HmacCheck) => boolean;

export const optionNames: OptionNames<VerifyWebhookOptions> = {
  payload: true,
  headers: true,
  signature: true,
  secret: true,
  secrets: true,
  requireTimestamp: true,
  tolerance: true,
  maxEventAge: true,
  maxBytes: true,
  diagnose: true,
  now: true,
};

/** Whether an option does not exist: a misspelt one must not weaken the verification. */
export function hasUnknownOption(options: object): boolean {
  for (const name in options) if (!(name in optionNames)) return true;
  return false;
}

/** The default of `maxBytes`. */
export const defaultMaxBytes = 1_048_576;

/** How many signatures of `webhook-signature` are checked. There are two while a new secret is staged. */
export const maxSignatures = 8;

/** A delivery to check, with its raw body as text or bytes. */
export interface CheckedDelivery extends DeliveryOptions {
  payload: string | Uint8Array;
}

/** Lists the secrets of a receiver. Invalid values are kept, so that the checks reject them. */
export function listSecrets({
  secret,
  secrets,
}: {
  readonly secret?: string | undefined;
  readonly secrets?: string | readonly string[] | undefined;
}): string[] {
  // The usual case of one secret, because joining lists costs as much as all other checks together.
  return typeof secret === 'string' && secrets === undefined
    ? [secret]
    : ([] as string[]).concat(secret ?? [], secrets ?? []);
}

/** What a missing secret becomes in a template, or as a text. Anyone could sign with it. */
export const guessableSecret = /^\s*(whsec_)?(undefined|null|\[object \w+\])?\s*$/;

/** Whether the payload is already text or bytes. */
export function isChecked(options: { payload: unknown }): options is CheckedDelivery {
  return typeof options.payload === 'string' || options.payload instanceof Uint8Array;
}

/** Parses a signed position. What is not in it is null, and so is all in a form that this version does not know. */
function readPosition(position: string): Pick<VerifiedDelivery, 'sequence' | 'orderVersion'> {
  const parts =
    position &&
    /^sequence=([1-9]\d{0,15})(?:, orderVersion=([1-9]\d{0,15}))?(?:, \w+=\w+)*$/.exec(position);
  if (!parts) return { sequence: null, orderVersion: null };
  const [, sequence, orderVersion] = parts;
  return {
    sequence: sequence ? +sequence : null,
    orderVersion: orderVersion ? +orderVersion : null,
  };
}

/**
 * Runs the checks of a delivery in order, and stops at the first that fails. It also checks the receiver's
 * options, so that a mistake there never weakens the verification. It is deterministic: with the same
 * options and results it requests the same HMAC checks in the same order.
 */
export function runChecks(
  options: CheckedDelivery,
  verifyHmac: HmacVerifier,
): VerifiedDelivery | VerificationFailure {
  const { payload: body, headers, requireTimestamp, maxEventAge } = options;
  const { tolerance = 300, maxBytes = defaultMaxBytes, now = Date.now() } = options;
  const all = listSecrets(options);
  const seconds = +now / 1_000;
  const isConfigured =
    all[0] &&
    all.every((one) => typeof one === 'string' && !guessableSecret.test(one)) &&
    tolerance > 0 &&
    maxBytes > 0 &&
    (maxEventAge === undefined || maxEventAge > 0) &&
    // Neither is infinite or NaN.
    seconds + tolerance < 1e12;
  if (!isConfigured) return fail('INVALID_CONFIGURATION');
  if (body.length > maxBytes) return fail('BODY_TOO_LARGE');
  const signature = options.signature || getHeader(headers, serviceSignature);
  if (!signature) return fail('MISSING_SIGNATURE');

  const signatures = getHeader(headers, webhookSignature);
  const timestamp = getHeader(headers, webhookTimestamp);
  const isStandard = requireTimestamp || signatures || timestamp;
  const id = isStandard ? getHeader(headers, webhookId) : '';
  const position = isStandard ? getHeader(headers, positionName) : '';
  if (isStandard && !(signatures && timestamp && id)) return fail('MISSING_HEADER');

  const secretIndex = all.findIndex((secret) =>
    verifyHmac({ secret, head: '', body, encoding: 'hex', signature }),
  );
  if (secretIndex < 0) return fail('SIGNATURE_MISMATCH', serviceSignature);

  if (isStandard) {
    const head = `${id}.${timestamp}.`;
    const isSigned = (
      list: string,
      start: string,
      encoding: HmacCheck['encoding'],
      prefix: string,
      length: number,
    ) => {
      // A limited number, because a sender must not cause unlimited work. One is usual, and splitting is slow.
      const tags = list.includes(' ') ? list.split(' ', maxSignatures) : [list];
      return tags.some((tag) => {
        if (tag.length !== length || !tag.startsWith(prefix)) return false;
        const signature = tag.slice(prefix.length);
        return all.some((secret) => verifyHmac({ secret, head: start, body, encoding, signature }));
      });
    };
    // Other lengths are other versions.
    if (!isSigned(signatures, head, 'base64', 'v1,', 47)) {
      return fail('SIGNATURE_MISMATCH', webhookSignature);
    }
    // A position that no signature covers must not reach a handler.
    if (
      position &&
      !isSigned(getHeader(headers, positionSignature), `${head}${position}.`, 'hex', '', 64)
    ) {
      return fail('SIGNATURE_MISMATCH', positionSignature);
    }
    // After the signature, because an unsigned timestamp proves nothing.
    const age = seconds - +timestamp;
    if (!(Math.abs(age) <= tolerance)) return fail('TIMESTAMP_TOO_OLD', age);
  }
  const event = readEvent(body);
  if (!event) return fail('MALFORMED_BODY');
  if (
    maxEventAge !== undefined &&
    !(seconds - Date.parse(event.createdAt) / 1_000 <= maxEventAge)
  ) {
    return fail('EVENT_TOO_OLD');
  }
  return {
    event,
    id: id || null,
    sentAt: id ? new Date(+timestamp * 1_000) : null,
    signature,
    secretIndex,
    test: isTestEvent(event),
    ...readPosition(position),
  };
}
