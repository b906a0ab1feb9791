import { Tradepost } from '@tradepost/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { registerWebhook } from '../../helpers/register-webhook';
import { type Arrival, startReceiver } from '../../helpers/start-receiver';
import { startSeededServer } from '../../helpers/start-seeded-server';
import { startExample } from './start-example';

describe('the Express receiver', () => {
  let secret: string;
  let orderId: string;
  /** Genuine deliveries of the real server, to be sent again: of the order's creation and its change. */
  let created: Arrival;
  let changed: Arrival;

  beforeAll(async () => {
    const { server, seed, buyer, seller, close } = await startSeededServer();
    const receiver = await startReceiver();
    async function arrival(number: number): Promise<Arrival> {
      const [last] = (await receiver.until(({ length }) => length === number)).slice(-1);
      if (last === undefined) throw new Error('Nothing has arrived.');
      return last;
    }
    const createClient = ({ apiKey }: { apiKey: string }) =>
      new Tradepost({ baseUrl: server.url, apiKey });
    const asBuyer = createClient(buyer);
    const webhook = await registerWebhook(asBuyer, {
      url: receiver.url,
      events: ['order.created', 'order.status_changed'],
    });
    secret = webhook.secret;
    const listingId = seed.listings[0]?.id ?? '';
    const order = await asBuyer.orders.create({ listingId, quantity: 4 });
    orderId = order.id;
    created = await arrival(1);
    await createClient(seller).orders.update(order.id, { status: 'confirmed' });
    changed = await arrival(2);
    await receiver.close();
    await close();
  });

  async function startExpress() {
    const env = { PORT: '0', TRADEPOST_WEBHOOK_SECRET: secret };
    const receiver = forTest(startExample('express-receiver/receiver.ts', [], { env }));
    const [, url = ''] = await receiver.writes(/^listening on (\S+)$/m);

    async function send({ headers, body }: Arrival): Promise<number> {
      const sent = new Headers();
      for (const [name, value] of Object.entries(headers)) {
        if (/^(content-type|service-signature|webhook-.*)$/.test(name))
          sent.set(name, String(value));
      }
      return (await fetch(url, { method: 'POST', headers: sent, body: new Uint8Array(body) }))
        .status;
    }
    return { ...receiver, send };
  }

  test('acknowledges signed deliveries and handles each event type', async () => {
    const receiver = await startExpress();
    expect(await receiver.send(created)).toBe(204);
    expect(await receiver.send(changed)).toBe(204);
    await receiver.writes(new RegExp(`^order ${orderId} was placed for 4$`, 'm'));
    await receiver.writes(new RegExp(`^order ${orderId} went from pending to confirmed$`, 'm'));
  });

  test('acknowledges a duplicate and handles it once', async () => {
    const receiver = await startExpress();
    expect(await receiver.send(changed)).toBe(204);
    expect(await receiver.send(changed)).toBe(204);
    // Output is in order: this line comes after any line of the duplicate.
    expect(await receiver.send(created)).toBe(204);
    await receiver.writes(new RegExp(`^order ${orderId} was placed`, 'm'));
    expect(receiver.stdout().match(/went from pending/g)).toHaveLength(1);
  });

  test('rejects a captured delivery without its webhook headers or with a forged id', async () => {
    const receiver = await startExpress();
    const { 'content-type': type, 'service-signature': signature } = changed.headers;
    const bare = { 'content-type': type, 'service-signature': signature };
    const forged = { 'webhook-id': 'evt_forged' };
    for (const headers of [bare, { ...bare, ...forged }, { ...changed.headers, ...forged }]) {
      expect(await receiver.send({ ...changed, headers })).toBe(400);
    }
    const { stdout, stderr } = await receiver.stop();
    expect(stdout).not.toContain(orderId);
    expect(stderr.match(/^rejected: .* requireTimestamp requires/gm)).toHaveLength(2);
    expect(stderr.match(/^rejected: .* webhook-signature does not: /gm)).toHaveLength(1);
  });

  test('rejects deliveries with a wrong signature or none, and handles none of them', async () => {
    const receiver = await startExpress();
    const forged = Buffer.from(changed.body.toString('utf8').replace('confirmed', 'cancelled'));
    expect(await receiver.send({ ...changed, body: forged })).toBe(400);
    expect(
      await receiver.send({ ...changed, headers: { 'content-type': 'application/json' } }),
    ).toBe(400);
    const { stdout, stderr } = await receiver.stop();
    expect(stdout).not.toContain(orderId);
    expect(stderr.match(/^rejected: /gm)).toHaveLength(2);
  });

  test('accepts a signed delivery whose content type a proxy changed', async () => {
    const receiver = await startExpress();
    const headers = { ...changed.headers, 'content-type': 'text/plain' };
    expect(await receiver.send({ ...changed, headers })).toBe(204);
    await receiver.writes(new RegExp(`^order ${orderId} went from pending`, 'm'));
  });

  test('stops cleanly on SIGTERM', async () => {
    const receiver = await startExpress();
    expect((await receiver.stop('SIGTERM')).code).toBe(0);
  });

  test('does not start without a secret', async () => {
    const { code, stderr } = await startExample('express-receiver/receiver.ts').exit;
    expect(code).toBe(2);
    expect(stderr).toContain('Set TRADEPOST_WEBHOOK_SECRET');
  });
});
