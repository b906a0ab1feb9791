import type { CreatedWebhook } from '@tradepost/sdk';
import { shorten } from '../narrate';
import type { Receiver } from '../receiver';
import type { Stage } from '../stage';
import type { Shop } from './open-shop';
import { runTradepost } from './run-tradepost';

/** Registers the receiver as the buyer and hands it the secret. */
export async function registerWebhook(stage: Stage, shop: Shop, receiver: Receiver): Promise<void> {
  stage.narrator.step('Register the receiver with the CLI, as the buyer');
  stage.narrator.say(`(TRADEPOST_BASE_URL is ${shop.url} here and below.)`);
  const register = ['webhooks', 'register', '--url', receiver.url];
  const chosen = ['--events', 'order.status_changed', '--output', 'json'];
  const answer = await runTradepost(stage, shop, shop.buyer, [...register, ...chosen]);
  const webhook = JSON.parse(answer) as CreatedWebhook;
  receiver.useSecret(webhook.secret);
  stage.narrator.fields({
    id: webhook.id,
    events: webhook.events.join(', '),
    secret: `${shorten(webhook.secret)} (shown this once, and given to the receiver)`,
  });
}
