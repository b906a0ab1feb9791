import type { RegisteredWebhook } from '@tradepost/sdk';
import type { DemoContext } from '../context';
import { shorten } from '../narrator';
import type { Receiver } from '../receiver';
import { runTradepost } from './run-tradepost';
import type { DemoService } from './start-service';

/** Registers the receiver as the buyer and configures its secret. */
export async function registerWebhook(
  context: DemoContext,
  service: DemoService,
  receiver: Receiver,
): Promise<void> {
  context.narrator.step('Register the receiver with the CLI, as the buyer');
  context.narrator.say(`Here and below, TRADEPOST_BASE_URL is ${service.url}.`);
  const register = ['webhooks', 'register', '--url', receiver.url];
  const options = ['--events', 'order.status_changed', '--output', 'json'];
  const output = await runTradepost(context, service, service.buyer, [...register, ...options]);
  const webhook = JSON.parse(output) as RegisteredWebhook;
  receiver.useSecret(webhook.secret);
  context.narrator.fields({
    id: webhook.id,
    events: webhook.events.join(', '),
    secret: `${shorten(webhook.secret)} (shown only once; the receiver is configured with it)`,
  });
}
