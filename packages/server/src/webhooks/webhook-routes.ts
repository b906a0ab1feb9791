import type { contract } from '@tradepost/contract';
import type { Clock } from '../clock';
import type { FeatureRoutes } from '../feature-routes';
import { markReplayed } from '../idempotency-claim';
import type { NewId } from '../ids';
import { present } from '../moment';
import { newEndpointSecret, presentCreatedWebhook, registerWebhook, requireRoom } from './webhook';
import type { WebhookPolicy } from './webhook-policy';
import type { WebhookStore } from './webhook-store';

/** The webhook endpoint. */
export function webhookRoutes(
  webhooks: WebhookStore,
  policy: WebhookPolicy,
  clock: Clock,
  newId: NewId,
): FeatureRoutes<typeof contract.webhooks> {
  return {
    async create({ caller, body, claim }) {
      const moment = present(clock, newId);
      const request = { accountId: caller.accountId, claim, moment };
      const { answer, replayed } = await webhooks.addWebhook(request, (registered) => {
        requireRoom(registered);
        const webhook = registerWebhook(caller, body, policy, newEndpointSecret(), moment);
        return {
          webhook,
          answer: {
            status: 201 as const,
            headers: { Location: `/v1/webhooks/${webhook.id}` },
            body: { data: presentCreatedWebhook(webhook) },
          },
        };
      });
      return replayed ? markReplayed(answer) : answer;
    },
  };
}
