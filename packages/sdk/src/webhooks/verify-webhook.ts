import type { WebhookEvent } from '@tradepost/contract/wire';
import { invalid } from './check-options';
import { examineDelivery } from './examine-delivery';
import type { VerifyWebhookOptions } from './verify-webhook-options';

/**
 * Verifies a delivery and returns its event, told apart by its `event` field. Runs everywhere that
 * has WebCrypto: Node, browsers, edge runtimes, Deno, Bun.
 *
 * The body's bytes must match `Service-Signature`. Where the service also sends a signed
 * `webhook-timestamp`, it must lie within `tolerance` of now; `requireTimestamp` makes sure that
 * there is one. Both comparisons take constant time.
 * Source: the interface, "Signature"; Standard Webhooks.
 *
 * @throws {WebhookVerificationError} when the delivery must not be trusted; `code` says why.
 * @example
 * const event = await verifyWebhook({
 *   payload: await request.text(),
 *   headers: request.headers,
 *   secret,
 *   requireTimestamp: true,
 * });
 * if (event.event === 'order.status_changed') console.log(event.data.status);
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle)
    throw invalid('verifyWebhook needs WebCrypto, which browsers have on https pages only');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const examination = examineDelivery(options);
  let step = examination.next();
  while (!step.done) {
    const { key, message, signature } = step.value;
    const imported = await subtle.importKey('raw', key, algorithm, false, ['verify']);
    step = examination.next(await subtle.verify(algorithm, imported, signature, message));
  }
  return step.value;
}
