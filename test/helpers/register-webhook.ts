import type {
  RegisteredWebhook,
  RequestOptions,
  Tradepost,
  WebhookCreateParams,
} from '@tradepost/sdk';

/** Registers a webhook with the reference server, which sends the whole webhook with its secret. */
export async function registerWebhook(
  { webhooks }: Pick<Tradepost, 'webhooks'>,
  params: WebhookCreateParams,
  options?: RequestOptions,
): Promise<RegisteredWebhook> {
  const webhook = await webhooks.create(params, options);
  if (!(webhook.id && webhook.secret)) throw new Error('The response has no webhook.');
  return webhook as RegisteredWebhook;
}
