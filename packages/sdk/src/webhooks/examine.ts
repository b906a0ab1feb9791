import type { Holds } from './claim';
import {
  serviceSignature,
  webhookId,
  webhookSignature,
  webhookTimestamp,
} from './delivery-header-names';
import { headerOf } from './header-of';
import { readEvent } from './read-event';
import { type Refusal, refuse } from './refusal';
import type { VerifiedDelivery } from './verified-delivery';
import type { VerifyWebhookSyncOptions } from './verify-webhook-options';

/** The largest body that is looked at unless told, in bytes. */
export const defaultMaxBytes = 1_048_576;

/** How many signatures of `webhook-signature` are looked at: two, while a new secret is staged. */
export const mostTags = 8;

/** What is examined: a delivery with its raw body, a text or bytes. */
export interface Examined extends Omit<VerifyWebhookSyncOptions, 'payload'> {
  payload: string | Uint8Array;
}

/** The secrets of a receiver, any of which may match. What is no secret stays, to be refused. */
export function secretsOf({ secret, secrets }: Pick<Examined, 'secret' | 'secrets'>): string[] {
  // One alone is the rule, and joining lists costs as much as the rest of the examination.
  return typeof secret === 'string' && secrets === undefined
    ? [secret]
    : ([] as string[]).concat(secret ?? [], secrets ?? []);
}

/** Tells whether options can be examined as they are. */
export function isExamined(options: { payload: unknown }): options is Examined {
  return typeof options.payload === 'string' || options.payload instanceof Uint8Array;
}

/**
 * Goes through the checks of a delivery in order, and ends at the first that fails. What the receiver
 * configured is checked too: a mistake there must never make the check weaker. With the same options
 * and answers it asks the same claims in the same order.
 */
export function examine(options: Examined, holds: Holds): VerifiedDelivery | Refusal {
  const { payload: body, headers, requireTimestamp, maxEventAge } = options;
  const { tolerance = 300, maxBytes = defaultMaxBytes, now = Date.now() } = options;
  const all = secretsOf(options);
  const seconds = +now / 1_000;
  const isConfigured =
    all[0] &&
    all.every((one) => one?.trim?.()) &&
    tolerance > 0 &&
    maxBytes > 0 &&
    // Neither is infinite, nor no number at all.
    seconds + tolerance < 1e12;
  if (!isConfigured) return refuse('INVALID_CONFIGURATION');
  if (body.length > maxBytes) return refuse('BODY_TOO_LARGE');
  const signature = options.signature || headerOf(headers, serviceSignature);
  if (!signature) return refuse('MISSING_SIGNATURE');

  const signatures = headerOf(headers, webhookSignature);
  const timestamp = headerOf(headers, webhookTimestamp);
  const isStandard = requireTimestamp || signatures || timestamp;
  const id = isStandard ? headerOf(headers, webhookId) : '';
  if (isStandard && !(signatures && timestamp && id)) return refuse('MISSING_HEADER');

  const secretIndex = all.findIndex((secret) =>
    holds({ secret, head: '', body, encoding: 'hex', signature }),
  );
  if (secretIndex < 0) return refuse('SIGNATURE_MISMATCH', serviceSignature);

  if (isStandard) {
    const head = `${id}.${timestamp}.`;
    // A few: for who sends thousands nobody shall work. Those of another length are of another kind.
    const isSigned = signatures
      .split(' ', mostTags)
      .some(
        (tag) =>
          /^v1,.{44}$/.test(tag) &&
          all.some((secret) =>
            holds({ secret, head, body, encoding: 'base64', signature: tag.slice(3) }),
          ),
      );
    if (!isSigned) return refuse('SIGNATURE_MISMATCH', webhookSignature);
    // Only a signed timestamp says anything, so its age comes second.
    const age = seconds - +timestamp;
    if (!(Math.abs(age) <= tolerance)) return refuse('TIMESTAMP_TOO_OLD', age);
  }
  const event = readEvent(body);
  if (!event) return refuse('MALFORMED_BODY');
  if (
    maxEventAge !== undefined &&
    !(seconds - Date.parse(event.createdAt) / 1_000 <= maxEventAge)
  ) {
    return refuse('EVENT_TOO_OLD');
  }
  return {
    event,
    id: id || null,
    sentAt: id ? new Date(+timestamp * 1_000) : null,
    signature,
    secretIndex,
  };
}
