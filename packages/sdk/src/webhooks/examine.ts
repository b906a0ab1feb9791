import type { Checking } from './claim';
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

/** What is examined: a delivery with its raw body, a text or bytes. */
export interface Examined extends Omit<VerifyWebhookSyncOptions, 'payload'> {
  payload: string | Uint8Array;
}

/** Tells whether options can be examined as they are. */
export function isExamined(options: { payload: unknown }): options is Examined {
  return typeof options.payload === 'string' || options.payload instanceof Uint8Array;
}

/**
 * Goes through the checks of a delivery in order, and ends at the first that fails. What the receiver
 * configured is checked too: a mistake there must never make the check weaker.
 */
export function* examine(options: Examined): Checking<VerifiedDelivery | Refusal> {
  const { secrets = [], payload: body, headers, requireTimestamp } = options;
  const { tolerance = 300, maxBytes = defaultMaxBytes, now = Date.now() } = options;
  const all = options.secret === undefined ? secrets : [options.secret, ...secrets];
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
  if (isStandard) {
    if (!(signatures && timestamp && id)) return refuse('MISSING_HEADER');
    if (!/^\d{1,12}$/.test(timestamp)) return refuse('MALFORMED_TIMESTAMP');
  }

  let secretIndex = 0;
  for (const secret of all) {
    if (yield { secret, head: '', body, encoding: 'hex', signature }) break;
    secretIndex += 1;
  }
  if (secretIndex >= all.length) return refuse('SIGNATURE_MISMATCH', serviceSignature);

  if (isStandard) {
    const head = `${id}.${timestamp}.`;
    let holds = false;
    for (const tag of signatures.split(' ')) {
      // Others are no tags of HMAC-SHA256; and who sends thousands shall not be worked for.
      if (tag.length !== 47 || !tag.startsWith('v1,')) continue;
      for (const secret of all) {
        holds ||= yield { secret, head, body, encoding: 'base64', signature: tag.slice(3) };
      }
    }
    if (!holds) return refuse('SIGNATURE_MISMATCH', webhookSignature);
    // Only a signed timestamp says anything, so its age comes second.
    const age = seconds - +timestamp;
    if (age > tolerance) return refuse('TIMESTAMP_TOO_OLD', age);
    if (-age > tolerance) return refuse('TIMESTAMP_TOO_NEW', -age);
  }
  const event = readEvent(body);
  if (!event) return refuse('MALFORMED_BODY');
  return {
    event,
    id: id || null,
    sentAt: id ? new Date(+timestamp * 1_000) : null,
    signature,
    secretIndex,
  };
}
