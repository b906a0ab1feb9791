import type { WebhookEvent } from '@tradepost/contract/wire';
import { textOf } from './text-bytes';
import { WebhookVerificationError } from './webhook-verification-error';

/**
 * Reads the envelope out of a body whose signature is good. An event kind that this version does
 * not know passes through. Source: the interface, "Payload envelope".
 *
 * @throws {WebhookVerificationError} `MALFORMED_BODY` or `MISSING_EVENT`.
 */
export function parseEvent(body: Uint8Array): WebhookEvent {
  let envelope: unknown;
  try {
    envelope = JSON.parse(textOf(body));
  } catch {
    throw lacking('MALFORMED_BODY', 'JSON');
  }
  if (typeof envelope !== 'object' || !envelope || Array.isArray(envelope)) {
    throw lacking('MALFORMED_BODY', 'JSON object');
  }
  const { event, type, createdAt, data } = envelope as Record<string, unknown>;
  if (typeof event !== 'string' || !event) {
    throw lacking(
      'MISSING_EVENT',
      `field "event"${type ? ' (it has "type", but this service names the kind in "event")' : ''}`,
    );
  }
  if (typeof createdAt !== 'string') throw lacking('MALFORMED_BODY', 'field "createdAt"');
  if (typeof data !== 'object' || !data) throw lacking('MALFORMED_BODY', 'field "data"');
  return envelope as WebhookEvent;
}

function lacking(code: 'MALFORMED_BODY' | 'MISSING_EVENT', what: string): WebhookVerificationError {
  return new WebhookVerificationError(
    code,
    `The signed body has no ${what}: check which service sent it`,
  );
}
