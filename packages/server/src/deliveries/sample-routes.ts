import type { contract } from '@tradepost/contract';
import type { Clock } from '../clock';
import { DomainError } from '../domain-error';
import { sampleEvent } from '../events/sample-event';
import type { FeatureRoutes } from '../feature-routes';
import { markReplayed } from '../idempotency-claim';
import type { NewId } from '../ids';
import { present } from '../moment';
import { webhookNotFound } from '../webhooks/webhook';
import { newDelivery } from './delivery';
import type { DeliveryLogStore } from './delivery-log-store';
import { logged, presentDelivery } from './logged-delivery';

/** The endpoint that sends a sample of an event to a webhook. */
export function sampleRoutes(
  deliveries: DeliveryLogStore,
  clock: Clock,
  newId: NewId,
): Pick<FeatureRoutes<typeof contract.webhooks>, 'test'> {
  return {
    async test({ caller, params, body, claim }) {
      const moment = present(clock, newId);
      const request = { accountId: caller.accountId, webhookId: params.id, claim, moment };
      const { answer, replayed } = await deliveries.addSample(request, (webhook) => {
        if (webhook === null) throw webhookNotFound(params.id);
        if (webhook.status === 'paused') {
          throw new DomainError(
            'webhook_paused',
            `Webhook ${webhook.id} is paused and is sent nothing. Resume it first, with PATCH /v1/webhooks/${webhook.id} and status active.`,
          );
        }
        const event = sampleEvent(body.event, moment);
        const delivery = { ...newDelivery(event, webhook.id, moment), test: true };
        const headers = { Location: `/v1/deliveries/${delivery.id}` };
        const data = presentDelivery(logged(delivery), moment.now);
        return { event, delivery, answer: { status: 202 as const, headers, body: { data } } };
      });
      return replayed ? markReplayed(answer) : answer;
    },
  };
}
