import { leaseMs } from '@tradepost/domain/deliveries/delivery';
import { createEndpointSecret } from '@tradepost/domain/webhooks/webhook';
import { beforeEach, describe, expect, test } from 'vitest';
import { signBody } from '../../src/engine/attempt/delivery-headers';
import { generateSecretKey, parseSecretKeys } from '../../src/stores/encryption';
import { respond } from '../helpers/receiver';
import type { Trade } from '../helpers/trade';
import { DeliveryHarness } from './delivery-harness';

let harness: DeliveryHarness;
/** The trade of a process that has a secret key, which the process of the harness does not have. */
let keyed: Trade;

beforeEach(async () => {
  harness = await DeliveryHarness.open();
  keyed = harness.beside({ secretKeys: parseSecretKeys(generateSecretKey()) });
});

async function addEncryptedWebhook() {
  const { receiver } = await harness.receiver(respond(200), ['order.status_changed']);
  const url = `${receiver.origin}/encrypted`;
  const secret = createEndpointSecret();
  const webhook = await keyed.subscribe(keyed.buyer, ['order.created'], { url, secret });
  return { receiver, webhook };
}

describe('a worker without the key of an endpoint secret', () => {
  test('makes no attempt, logs an error, counts no failure of the endpoint, and delivers to others', async () => {
    const { receiver, webhook } = await addEncryptedWebhook();
    const other = await harness.receiver(respond(200));
    await harness.place();
    harness.start();
    const line = await harness.logs.next('attempt could not be made');
    expect(line).toMatchObject({ level: 50, webhookId: webhook.id });
    expect((line.err as Error).message).toContain(
      `webhooks.secret of ${webhook.id} is encrypted with the secret key`,
    );
    expect(await harness.recorded()).toMatchObject({
      webhookId: other.webhook.id,
      state: 'delivered',
    });
    expect(receiver.count).toBe(0);
    const { accountId } = harness.trade.buyer;
    expect(await harness.store.webhooks.findWebhook(accountId, webhook.id)).toMatchObject({
      health: { pending: 1, failures: 0, backoffUntil: 0 },
    });
    const page = { after: null, limit: 9 };
    const filter = { webhookId: webhook.id };
    expect(await harness.store.deliveryLog.listDeliveries(accountId, filter, page)).toMatchObject([
      { state: 'pending', attemptCount: 0 },
    ]);
  });

  test('tries again when the lease ends, and loses nothing: a worker with the key delivers', async () => {
    const { receiver, webhook } = await addEncryptedWebhook();
    await harness.place();
    const keyless = harness.start();
    await harness.logs.next('attempt could not be made');
    await harness.clock.advance(leaseMs);
    await harness.logs.next('attempt could not be made');
    await harness.stop(keyless);
    harness.start({ deliveries: keyed.store.deliveries });
    await harness.clock.advance(leaseMs);
    expect(await harness.recorded()).toMatchObject({ state: 'delivered', number: 1 });
    const { headers, body } = await receiver.next();
    expect(headers['service-signature']).toBe(signBody(webhook.secret, body.toString()));
  });
});
