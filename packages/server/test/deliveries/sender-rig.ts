import { onTestFinished } from 'vitest';
import type { Attempt, ClaimedDelivery } from '../../src/deliveries/delivery';
import { createSender, type Sender } from '../../src/deliveries/send';
import { insecureWebhookPolicy, type WebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aClaimedDelivery } from '../builders';
import { FakeClock } from '../fake-clock';
import { Receiver, type Respond } from '../receiver';

/** A sender that lasts as long as the running test; under the insecure policy unless told, since receivers are local. */
export function openSender(
  policy: WebhookPolicy = insecureWebhookPolicy,
  timeout?: number,
): Sender {
  const sender = createSender(policy, new FakeClock(), timeout);
  onTestFinished(() => sender.close());
  return sender;
}

/** Sends one delivery to a receiver that responds so. */
export async function sendTo(
  respond: Respond,
  timeout?: number,
): Promise<{ attempt: Attempt; receiver: Receiver; delivery: ClaimedDelivery }> {
  const receiver = await Receiver.open(respond);
  const delivery = aClaimedDelivery({ url: `${receiver.origin}/hook` });
  const attempt = await openSender(insecureWebhookPolicy, timeout).send(delivery);
  return { attempt, receiver, delivery };
}
