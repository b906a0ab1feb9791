import { examine, isExamined } from './examine';
import { explainSync } from './explain';
import { holdsSync } from './holds-sync';
import { type NodeCrypto, nodeCrypto } from './node-crypto';
import { rawBytes } from './raw-bytes';
import { type Refusal, refuse } from './refusal';
import type { VerifiedDelivery } from './verified-delivery';
import type { VerifyWebhookSyncOptions } from './verify-webhook-options';
import { WebhookVerificationError } from './webhook-verification-error';

/**
 * Verifies a delivery like `verifyDelivery`, without a promise. It needs Node's own crypto, as Node
 * 20.16 and later hand it out; elsewhere use `verifyDelivery`.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 */
export function verifyDeliverySync(options: VerifyWebhookSyncOptions): VerifiedDelivery {
  const crypto = nodeCrypto();
  if (!crypto) {
    throw new WebhookVerificationError(
      'INVALID_CONFIGURATION',
      'The check without a promise needs Node 20.16 or later: use await verifyWebhook.',
    );
  }
  const outcome = isExamined(options)
    ? examine(options, holdsSync(crypto))
    : examineOther(options, crypto);
  if ('refused' in outcome) {
    const explanation = explainSync(outcome, options, new Error().stack, crypto);
    throw new WebhookVerificationError(...explanation);
  }
  return outcome;
}

/** Examines what is no text and no `Uint8Array`: another view of bytes perhaps. */
function examineOther(
  options: VerifyWebhookSyncOptions,
  crypto: NodeCrypto,
): VerifiedDelivery | Refusal {
  const payload = rawBytes(options.payload);
  return payload === null
    ? refuse('BODY_PARSED')
    : examine({ ...options, payload }, holdsSync(crypto));
}
