import { verifyWebhook } from '@tradepost/sdk/webhooks';
import { expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { runServerCommand } from '../helpers/run-server-command';
import { type Arrival, startHttpReceiver } from '../helpers/start-receiver';
import { describeOnBothStores } from './open-console';

/** How many deliveries arrive in each phase before the next one begins. */
const perPhase = 20;

/** Returns whether a delivery is signed with one of some secrets. */
function isSignedWith({ headers, body: payload }: Arrival, secrets: string[]): Promise<boolean> {
  return verifyWebhook({ payload, headers, secrets }).then(
    () => true,
    () => false,
  );
}

describeOnBothStores(
  (site) => {
    test('no delivery is rejected while a secret is replaced under load', async () => {
      const client = site.client('seller');
      let accepted: string[] = [];
      /** IDs of events. */
      const rejected: string[] = [];
      const receiver = await forTest(
        startHttpReceiver(async (response, number) => {
          const arrival = receiver.arrivals[number - 1] as Arrival;
          const isAccepted = await isSignedWith(arrival, accepted);
          if (!isAccepted) rejected.push(String(arrival.headers['webhook-id']));
          response.writeHead(isAccepted ? 204 : 401).end();
        }),
      );
      const webhook = await client.webhooks.create({
        url: receiver.url,
        events: ['order.created'],
      });
      const { id = '', secret: old = '' } = webhook;
      accepted = [old];
      /** Waits until deliveries have arrived, or one was rejected. */
      const until = (count: () => number) =>
        receiver.until(({ length }) => length >= count() || rejected.length > 0);
      const untilMore = async () => {
        const enough = receiver.arrivals.length + perPhase;
        await until(() => enough);
      };

      const page = await site.signIn('seller', `webhooks/${id}/rotate`);
      // On a busy machine the service sheds load, and the page sends its request again.
      site.expectStatus(503);

      const { orders } = site.client('buyer');
      const { id: listingId } = await runServerCommand<{ id: string }>(
        ['listings', 'create', '--seller', site.seeded.seller.id, '--quantity', '1000000'],
        site.server.database,
      );
      const placed: string[] = [];
      let isLoaded = true;
      const load = Array.from({ length: 2 }, async () => {
        while (isLoaded && rejected.length === 0) {
          placed.push((await orders.create({ listingId, quantity: 1 })).id);
          // As fast as they are delivered.
          await until(() => placed.length - 2);
        }
      });
      await untilMore();

      await page.getByRole('button', { name: 'Create a new secret' }).click();
      const next = (await page.getByText(/^whsec_/).textContent()) ?? '';
      expect(next).not.toBe(old);
      accepted = [next, old];
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await untilMore();

      await page.getByLabel('All receivers accept both').check();
      await page.getByRole('button', { name: 'Use the new secret' }).click();
      await page.getByText('The new secret is in use.').waitFor();
      await untilMore();
      isLoaded = false;
      await Promise.all(load);
      await until(() => placed.length);

      expect(rejected).toEqual([]);
      const list = () =>
        client.deliveries.list({ webhookId: id, limit: 100 }).toArray({ limit: 10_000 });
      await expect
        .poll(async () => new Set((await list()).map(({ state }) => state)), { timeout: 60_000 })
        .toEqual(new Set(['delivered']));
      const deliveries = await list();
      expect(deliveries).toHaveLength(placed.length);
      expect(deliveries.filter(({ attemptCount }) => attemptCount !== 1)).toEqual([]);

      // The new secret is the only one from now on: a receiver may forget the old one.
      accepted = [next];
      await client.webhooks.test(id, { event: 'order.created' });
      await receiver.until((arrivals) => arrivals.length > placed.length);
      const last = receiver.arrivals.at(-1) as Arrival;
      expect([await isSignedWith(last, [next]), await isSignedWith(last, [old])]).toEqual([
        true,
        false,
      ]);
    });
  },
  ['--rate-limit', '100000'],
);
