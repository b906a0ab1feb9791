/**
 * Explains what became of a delivery and how a webhook fares, and what to do about it: from what the client
 * returned, without a request of its own. It does not load the client, and runs in browsers too.
 *
 * @example
 * import { explainDelivery } from '@tradepost/sdk/explain';
 * const delivery = await client.deliveries.get(id);
 * const webhook = await client.webhooks.get(delivery.webhookId);
 * const { verdict, reason, actions } = explainDelivery(delivery, { webhook });
 */
export type { AttemptError } from '@tradepost/contract/attempt-errors';
export type { Action } from './action';
export {
  type DeliveryRequest,
  deliveryRequest,
  type SignAgainOptions,
  toCurl,
  wasSignedWith,
} from './delivery-request';
export {
  type DeliveryExplanation,
  type DeliveryVerdict,
  type ExplainDeliveryOptions,
  explainDelivery,
} from './explain-delivery';
export {
  type AttemptOutcome,
  explainFailure,
  type FailureCause,
  type FailureExplanation,
} from './explain-failure';
export { explainWebhook, type WebhookExplanation, type WebhookVerdict } from './explain-webhook';
export { hiddenCharacters, toCommand } from './shell-command';
