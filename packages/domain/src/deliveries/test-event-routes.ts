import type { contract } from '@tradepost/contract';
import { createTestEvent } from '../events/test-event';
import { type Clock, createContext, type IdGenerator } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import { withReplayedHeader } from '../kernel/idempotency';
import type { RouteHandlers } from '../route-handlers';
import { webhookNotFound } from '../webhooks/webhook';
import { newDelivery } from './delivery';
import type { DeliveryLogStore } from './delivery-store';
import { toDeliveryResponse, toLoggedDelivery } from './logged-delivery';

/** Creates the handler of the endpoint that sends a test event to a webhook. */
export function testEventRoutes(
  deliveries: DeliveryLogStore,
  clock: Clock,
  newId: IdGenerator,
): Pick<RouteHandlers<typeof contract.webhooks>, 'test'> {
  return {
    async test({ caller, params, body, idempotencyKey }) {
      const context = createContext(clock, newId);
      const request = {
        accountId: caller.accountId,
        webhookId: params.id,
        idempotencyKey,
        context,
      };
      const { response, replayed } = await deliveries.enqueueTestDelivery(request, (webhook) => {
        if (webhook === null) throw webhookNotFound(params.id);
        if (webhook.status === 'paused') {
          throw new DomainError(
            'webhook_paused',
            `Webhook ${webhook.id} is paused and receives no deliveries. Resume it with PATCH /v1/webhooks/${webhook.id} and status active.`,
          );
        }
        const event = createTestEvent(body.event, context);
        const delivery = { ...newDelivery(event, webhook.id, context), test: true };
        const headers = { Location: `/v1/deliveries/${delivery.id}` };
        const data = toDeliveryResponse(toLoggedDelivery(delivery), context.now);
        return { event, delivery, response: { status: 202 as const, headers, body: { data } } };
      });
      return replayed ? withReplayedHeader(response) : response;
    },
  };
}
