import { verifyDelivery } from './verify-delivery';
import type { VerifyWebhookOptions } from './verify-webhook-options';
import type { WebhookEvent } from './webhook-event';

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
 * const event = await verifyWebhook({ payload: request, secret, requireTimestamp: true });
 * if (event.event === 'order.status_changed') console.log(event.data.status);
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  return (await verifyDelivery(options)).event;
}
