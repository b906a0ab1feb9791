import { aContext, anIdempotencyKey, aWebhook, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { failedResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { addCaller, addWebhook, Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';
import type { StoreUnderTest } from './store-under-test';

const page = { after: null, limit: 100 };

/** Deleted webhooks: nothing of them is visible. */
export function describeDeletedWebhooks(underTest: StoreUnderTest): void {
  describe('after a webhook is deleted', () => {
    async function open() {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const { accountId } = buyer;
      const webhook = await trade.subscribe(buyer, ['order.created']);
      const find = () => store.webhooks.findWebhook(accountId, webhook.id);
      const list = () => store.webhooks.listWebhooks(accountId, page);
      const remove = () => store.webhooks.deleteWebhook(accountId, webhook.id, noon);
      return { trade, store, accountId, webhook, find, list, remove };
    }

    test('the webhook is neither found nor listed nor counted, and cannot be deleted again', async () => {
      const { store, accountId, find, list, remove } = await open();
      expect(await remove()).toBe(true);
      expect([await find(), await list(), await remove()]).toEqual([null, [], false]);
      const lengths: number[] = [];
      const webhook = aWebhook({ accountId });
      const request = { accountId, idempotencyKey: null, context: aContext() };
      await store.webhooks.addWebhook(request, (registered) => {
        lengths.push(registered);
        return { webhook, response: { status: 201, headers: {}, body: null } };
      });
      expect(lengths).toEqual([0]);
    });

    test('it stays deleted after a restart', async () => {
      const { trade, webhook, remove } = await open();
      await trade.place();
      await remove();
      const reopened = await underTest.reopen();
      const { accountId, id } = webhook;
      expect(await reopened.webhooks.findWebhook(accountId, id)).toBeNull();
      expect(await leaseDue(reopened, noon)).toEqual([]);
    });

    test('neither pending nor new deliveries are sent to it', async () => {
      const { trade, store, remove } = await open();
      const other = await trade.subscribe(trade.seller, ['order.created']);
      await trade.place();
      await remove();
      await trade.place();
      const due = await leaseDue(store, noon);
      expect(due.map(({ webhookId }) => webhookId)).toEqual([other.id, other.id]);
    });

    test('none of its deliveries is found or listed', async () => {
      const { trade, store, accountId, remove } = await open();
      await trade.place();
      const { deliveryLog } = store;
      const [delivery] = await deliveryLog.listDeliveries(accountId, {}, page);
      await remove();
      expect(await deliveryLog.listDeliveries(accountId, {}, page)).toEqual([]);
      expect(await deliveryLog.findDelivery(accountId, String(delivery?.id))).toBeNull();
    });

    test('the result of an attempt in flight has no effect', async () => {
      const { trade, store, remove } = await open();
      await trade.place();
      const delivery = await leaseOne(store, noon);
      await remove();
      await store.deliveries.recordAttempts([failedResult(delivery, noon + 5_000)], noon + 20);
      expect(await store.deliveries.nextDueAt()).toBeNull();
      expect(await leaseDue(store, noon + 60_000)).toEqual([]);
    });

    test('responses that showed it are not replayed, and their keys stay taken', async () => {
      const { store, accountId, remove, webhook } = await open();
      const registered = anIdempotencyKey({ accountId, key: 'register' });
      const other = await addWebhook(store, aWebhook({ accountId }), registered);
      const staged = anIdempotencyKey({ accountId, key: 'stage' });
      await changeWebhook(
        store,
        webhook,
        { stagedSecret: 'whsec_next' },
        { idempotencyKey: staged },
      );
      await remove();
      await store.webhooks.deleteWebhook(accountId, other.id, noon);
      const gone = { code: 'webhook_deleted' };
      await expect(addWebhook(store, aWebhook({ accountId }), registered)).rejects.toMatchObject(
        gone,
      );
      await expect(
        changeWebhook(store, webhook, {}, { idempotencyKey: staged }),
      ).rejects.toMatchObject(gone);
      const reused = { ...registered, fingerprint: 'another' };
      await expect(addWebhook(store, aWebhook({ accountId }), reused)).rejects.toMatchObject({
        code: 'idempotency_key_reused',
      });
      expect(await store.webhooks.listWebhooks(accountId, page)).toEqual([]);
    });

    test('responses that showed another webhook are replayed as before', async () => {
      const { store, accountId, remove } = await open();
      const idempotencyKey = anIdempotencyKey({ accountId });
      const kept = await addWebhook(store, aWebhook({ accountId }), idempotencyKey);
      await remove();
      expect(await addWebhook(store, aWebhook({ accountId }), idempotencyKey)).toEqual(kept);
    });

    test('steps at once that remove what is left do not take each other for the last one', async () => {
      const { trade, store, remove } = await open();
      await remove();
      for (let count = 0; count < 5; count += 1) {
        const { accountId, id } = await trade.subscribe(trade.buyer, ['order.created']);
        await store.webhooks.deleteWebhook(accountId, id, noon);
      }
      const prune = async () => (await store.retention.pruneRemovedWebhooks({ limit: 1 })).removed;
      const steps = Array.from({ length: 4 }, prune);
      expect(await Promise.all(steps)).toEqual([1, 1, 1, 1]);
      while ((await prune()) > 0);
    });

    test('a deletion by another account has no effect', async () => {
      const { store, webhook, find } = await open();
      const stranger = await addCaller(store, 'buyer');
      const { deleteWebhook } = store.webhooks;
      expect(await deleteWebhook(stranger.accountId, webhook.id, noon)).toBe(false);
      expect(await find()).not.toBeNull();
    });
  });
}
