import { deliveryHeaderNames, type WebhookEvent } from '@tradepost/contract/wire';
import { checkOptions } from './check-options';
import type { Claim } from './claim';
import { headerOf, missing } from './delivery-headers';
import { parseEvent } from './parse-event';
import { rawBody } from './raw-body';
import { hexSignature } from './signature-encoding';
import { checkAge, readSignedTimestamp } from './signed-timestamp';
import { bytesOf } from './text-bytes';
import type { VerifyWebhookOptions } from './verify-webhook-options';
import { WebhookVerificationError } from './webhook-verification-error';

const { signature: serviceSignature, webhookSignature } = deliveryHeaderNames;

/**
 * Goes through the checks of a delivery in order. It hands out each claim that needs cryptography
 * and takes back whether it holds: so the same checks serve WebCrypto and `node:crypto`.
 *
 * @throws {WebhookVerificationError} at the first check that fails.
 */
export function* examineDelivery(
  options: VerifyWebhookOptions,
): Generator<Claim, WebhookEvent, boolean> {
  const checked = checkOptions(options);
  const { secrets } = checked;
  const message = rawBody(options.payload);
  const text = options.signature || headerOf(options.headers, serviceSignature);
  if (!text) throw missing('MISSING_SIGNATURE', serviceSignature);
  const signature = hexSignature(text);
  if (!signature) {
    throw new WebhookVerificationError(
      'MALFORMED_SIGNATURE',
      `${serviceSignature} must be 64 lowercase hex digits`,
    );
  }
  const timestamp = readSignedTimestamp(options, message, secrets);

  yield* oneMustHold(
    serviceSignature,
    secrets.map((secret) => ({ key: bytesOf(secret), message, signature })),
  );
  if (timestamp) {
    // Only a signed timestamp says anything, so its age comes second.
    yield* oneMustHold(webhookSignature, timestamp.claims);
    checkAge(timestamp.sentAt, checked);
  }
  return parseEvent(message);
}

function* oneMustHold(header: string, claims: Claim[]): Generator<Claim, void, boolean> {
  for (const claim of claims) if (yield claim) return;
  throw new WebhookVerificationError(
    'SIGNATURE_MISMATCH',
    `${header} does not match: pass the body's bytes as they arrived, never parsed and stringified, and the whole secret of this webhook, whsec_ included`,
  );
}
