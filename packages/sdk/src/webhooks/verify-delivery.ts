import { examine, isExamined } from './examine';
import { holdsSync } from './holds-sync';
import { nodeCrypto } from './node-crypto';
import type { VerifiedDelivery } from './verified-delivery';
import type { VerifyWebhookOptions } from './verify-webhook-options';
import { WebhookVerificationError } from './webhook-verification-error';

/**
 * Verifies a delivery as `verifyWebhook` does, and tells besides the event what was learned: the id
 * that the signature covers, when it was signed, and which of several secrets matched.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 */
export async function verifyDelivery(options: VerifyWebhookOptions): Promise<VerifiedDelivery> {
  const crypto = nodeCrypto();
  const isRaw = isExamined(options);
  // Before the first wait: afterwards nobody knows who called.
  let { stack } = isRaw ? ({} as Error) : new Error();
  // What few receivers need is loaded when it is needed: here and below.
  const examined = isRaw ? options : await (await import('./read-payload')).readPayload(options);
  const outcome =
    'refused' in examined
      ? examined
      : crypto
        ? examine(examined, holdsSync(crypto))
        : await (await import('./check-on-the-web')).checkOnTheWeb(examined);
  if (!('refused' in outcome)) return outcome;
  stack ??= new Error().stack;
  const { explain } = await import('./explain');
  const attempted = isRaw ? options : { ...options, ...examined };
  const explanation = await explain(outcome, attempted, stack);
  throw new WebhookVerificationError(...explanation);
}
