import { noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { enqueueDelivery } from '../../helpers/enqueue';
import { aResult, leaseDue } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';
import type { StoreUnderTest } from './store-under-test';

/** What an account may set of a webhook: a description, headers, and a limit of attempts. */
export function describeEndpointSettings(underTest: StoreUnderTest): void {
  describe('with settings of a webhook', () => {
    const headers = { Authorization: 'Bearer 1', 'X-Tenant': '7' };
    const settings = {
      description: 'Warehouse',
      headers,
      headerNames: Object.keys(headers),
      attemptsPerMinute: 120,
    };

    test('they are stored, changed, sent and erased', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const webhook = await trade.subscribe(buyer, ['order.created'], settings);
      const find = () => store.webhooks.findWebhook(buyer.accountId, webhook.id);
      expect(await find()).toMatchObject(settings);
      await trade.place();
      const [leased] = await leaseDue(store, noon);
      expect(leased?.headers).toEqual(headers);
      const none = { description: null, headers: {}, headerNames: [], attemptsPerMinute: null };
      await changeWebhook(store, webhook, none);
      expect(await find()).toMatchObject(none);
      await changeWebhook(store, webhook, settings);
      await store.webhooks.deleteWebhook(buyer.accountId, webhook.id, noon);
      expect(await find()).toBeNull();
    });

    test('a limit of attempts is kept, and what waits for it is due when it allows more', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const { accountId } = buyer;
      const webhook = await trade.subscribe(buyer, ['order.created'], { attemptsPerMinute: 6 });
      await enqueueDelivery(trade, { accountId, count: 4 });
      const deliver = async (now: number): Promise<number> => {
        const leased = await leaseDue(store, now);
        const results = leased.map((delivery) => aResult(delivery));
        await store.deliveries.recordAttempts(results, now);
        return leased.length;
      };
      expect(await deliver(noon)).toBe(1);
      expect(await store.deliveries.nextDueAt()).toBe(noon + 10_000);
      const [waiting] = await store.deliveryLog.listDeliveries(
        accountId,
        { state: 'pending' },
        { after: null, limit: 1 },
      );
      expect(waiting?.rateUntil).toBe(noon + 10_000);
      expect(await deliver(noon + 9_999)).toBe(0);
      expect(await deliver(noon + 10_000)).toBe(1);
      // A new delivery does not go ahead of the limit, and the queue is not late.
      await enqueueDelivery(trade, { accountId, now: noon + 11_000 });
      expect(await store.deliveries.nextDueAt()).toBe(noon + 20_000);
      expect(await deliver(noon + 11_000)).toBe(0);
      expect((await store.deliveries.queueStatus(noon + 11_000)).oldestDueAt).toBeNull();
      expect(await deliver(noon + 20_000)).toBe(1);
      await changeWebhook(store, webhook, { attemptsPerMinute: null }, { now: noon + 20_000 });
      // The last wait is not shortened.
      expect(await deliver(noon + 30_000)).toBe(2);
    });

    test('a limit of one endpoint does not delay others', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer, seller } = trade;
      await trade.subscribe(buyer, ['order.created'], { attemptsPerMinute: 1 });
      const other = await trade.subscribe(seller, ['order.created']);
      for (const later of [0, 1, 2]) await trade.place({ now: noon + later });
      const leased = await leaseDue(store, noon + 10);
      expect(leased.filter(({ webhookId }) => webhookId === other.id)).toHaveLength(3);
      expect(leased).toHaveLength(4);
    });
  });
}
