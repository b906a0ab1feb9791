import { defaultMaxBytes } from '../webhooks/examine';
import type { VerifiedDelivery } from '../webhooks/verified-delivery';
import { verifyDelivery } from '../webhooks/verify-delivery';
import { type Answer, answer } from './answer';
import { answerRefusal } from './answer-refusal';
import { deliveryHandler } from './delivery-handler';
import type { Incoming } from './incoming';
import type { WebhookReceiverOptions } from './receiver-options';

/** Takes a request and says what to answer. The promise never rejects. */
export type Receive = (incoming: Incoming) => Promise<Answer>;

/** Makes the part of a receiver that all its adapters share. */
export function createReceive(options: WebhookReceiverOptions): Receive {
  const { on, onUnknown, dedupe, after, onError, onRefused, now, ...verification } = options;
  const handle = deliveryHandler(options);
  const { maxBytes = defaultMaxBytes } = verification;
  // One that can't be right must not mean "no limit": verification refuses it, after the reading.
  const limit = maxBytes > 0 ? maxBytes : defaultMaxBytes;

  return async (incoming) => {
    const { method, headers } = incoming;
    if (method !== 'POST') {
      return answer(405, 'METHOD_NOT_ALLOWED: deliveries come as POST', { Allow: 'POST' });
    }
    let delivery: VerifiedDelivery;
    try {
      const body = await incoming.readBody(limit);
      // Nobody is there to read this.
      if (body === null) return answer(400, 'BODY_INCOMPLETE');
      // A host may have made a text of it: the limit is one of bytes.
      const payload = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      delivery = await verifyDelivery({ ...verification, now: now?.(), payload, headers });
    } catch (error) {
      return answerRefusal(error, onRefused);
    }
    return handle(delivery, incoming);
  };
}
