import { hasUnknownOption, isChecked, runChecks } from './checks';
import type { WebhookEvent } from './event';
import { explainSync } from './explain-failure';
import { type NodeCrypto, nodeCrypto, verifyHmacWithNode } from './hmac-node';
import type { VerifiedDelivery, VerifyWebhookOptions, VerifyWebhookSyncOptions } from './options';
import { rawBytes } from './raw-body';
import { fail, type VerificationFailure, WebhookVerificationError } from './verification-error';

/**
 * Verifies a delivery and returns its event, a union discriminated by `event`. It runs in every runtime with
 * WebCrypto: Node, browsers, edge runtimes, Deno, Bun.
 *
 * The bytes of the body must match `Service-Signature`. If the service also sends a signed
 * `webhook-timestamp`, it must be within `tolerance` of the current time; `requireTimestamp` makes it
 * mandatory. Signatures are compared in constant time.
 * Source: API specification, "Signature"; Standard Webhooks.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 * @example
 * const event = await verifyWebhook({ payload: request, secret, requireTimestamp: true });
 * if (event.event === 'order.status_changed') console.log(event.data.status);
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  return (await verifyDelivery(options)).event;
}

/**
 * Verifies a delivery like `verifyWebhook`, and also returns the signed ID, when it was signed, and which
 * secret matched.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 */
export async function verifyDelivery(options: VerifyWebhookOptions): Promise<VerifiedDelivery> {
  const crypto = nodeCrypto();
  const isRaw = isChecked(options);
  // Before the first `await`, because the stack of the caller is lost afterwards.
  let { stack } = isRaw ? ({} as Error) : new Error();
  // Rarely needed code is loaded on demand, here and below.
  const checked = isRaw ? options : await (await import('./raw-body')).readPayload(options);
  const outcome = hasUnknownOption(options)
    ? fail('INVALID_CONFIGURATION')
    : 'failure' in checked
      ? checked
      : crypto
        ? runChecks(checked, verifyHmacWithNode(crypto))
        : await (await import('./hmac-webcrypto')).checkWithWebCrypto(checked);
  if (!('failure' in outcome)) return outcome;
  stack ??= new Error().stack;
  const { explain } = await import('./explain-failure');
  const attempted = isRaw || 'failure' in checked ? options : { ...options, ...checked };
  const explanation = await explain(outcome, attempted, stack);
  throw new WebhookVerificationError(...explanation);
}

/**
 * Verifies a delivery like `verifyWebhook`, synchronously. It needs Node's own crypto, in Node 20.16 and
 * later; elsewhere use `verifyWebhook`.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 */
export function verifyWebhookSync(options: VerifyWebhookSyncOptions): WebhookEvent {
  return verifyDeliverySync(options).event;
}

/**
 * Verifies a delivery like `verifyDelivery`, synchronously. It needs Node's own crypto, in Node 20.16 and
 * later; elsewhere use `verifyDelivery`.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 */
export function verifyDeliverySync(options: VerifyWebhookSyncOptions): VerifiedDelivery {
  const crypto = nodeCrypto();
  if (!crypto) {
    throw new WebhookVerificationError(
      'INVALID_CONFIGURATION',
      'Synchronous verification needs Node 20.16 or later: use await verifyWebhook.',
    );
  }
  const outcome = hasUnknownOption(options)
    ? fail('INVALID_CONFIGURATION')
    : isChecked(options)
      ? runChecks(options, verifyHmacWithNode(crypto))
      : checkOtherPayload(options, crypto);
  if ('failure' in outcome) {
    const explanation = explainSync(outcome, options, new Error().stack, crypto);
    throw new WebhookVerificationError(...explanation);
  }
  return outcome;
}

/** Checks a payload that is neither a text nor a `Uint8Array`, such as another view of bytes. */
function checkOtherPayload(
  options: VerifyWebhookSyncOptions,
  crypto: NodeCrypto,
): VerifiedDelivery | VerificationFailure {
  const payload = rawBytes(options.payload);
  return payload === null
    ? fail('BODY_ALREADY_PARSED')
    : runChecks({ ...options, payload }, verifyHmacWithNode(crypto));
}
