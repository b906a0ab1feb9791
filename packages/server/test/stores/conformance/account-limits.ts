import { auditAccount } from '@tradepost/domain/accounts/account-audit';
import { changeLimits } from '@tradepost/domain/accounts/limits';
import { countedMs } from '@tradepost/domain/deliveries/open-deliveries';
import { aContext, anAccount, aWebhook, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { aKey } from '../../helpers/a-key';
import { aResult, leaseDue } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import { changeAccount } from '../change-account';
import type { StoreUnderTest } from './store-under-test';

/** Limits of single accounts. */
export function describeAccountLimits(underTest: StoreUnderTest): void {
  describe('the limits of an account', () => {
    async function addAccount(store: Store) {
      const account = anAccount();
      const { record } = aKey({ accountId: account.id });
      await store.accounts.addAccount(account, record);
      return { account, record };
    }

    test('are stored with their audit entry, and its keys show how many requests it may make', async () => {
      const store = underTest.current;
      const { account, record } = await addAccount(store);
      const context = aContext();
      const operator = { type: 'operator', id: 'ops@host-1' } as const;
      const limits = { requestsPerMinute: 100, maxWebhooks: 0, maxOpenDeliveries: 1_000_000_000 };
      await store.accounts.changeAccount({ id: account.id, context }, (found) => {
        const changed = changeLimits(found ?? account, limits);
        const action = 'account.limits_changed';
        const audit = auditAccount(operator, action, account, changed.changes, context);
        return { account: changed.account, audit };
      });
      expect(await store.accounts.findAccount(account.id)).toEqual({ ...account, ...limits });
      const find = () => store.accounts.findKeyByHash(record.hash);
      expect(await find()).toMatchObject({ requestsPerMinute: 100 });
      const page = { before: null, limit: 9 };
      expect(await store.audit.listEntries({ accountId: account.id }, page)).toMatchObject([
        {
          action: 'account.limits_changed',
          details: { requestsPerMinute: { from: null, to: 100 }, maxWebhooks: { to: 0 } },
        },
      ]);
      const reset = { requestsPerMinute: null };
      await changeAccount(store, account.id, (found) => changeLimits(found, reset).account);
      expect(await find()).toMatchObject({ requestsPerMinute: null });
    });

    test('let as many deliveries wait as it may have, and fail those beyond, which can be replayed', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer, seller } = trade;
      const { accountId } = buyer;
      const limited = { maxOpenDeliveries: 2 };
      await changeAccount(store, accountId, (found) => ({ ...found, ...limited }));
      const own = await trade.subscribe(buyer, ['order.created']);
      const other = await trade.subscribe(seller, ['order.created']);
      for (let count = 0; count < 4; count += 1) await trade.place({ now: noon + count });
      const page = { after: null, limit: 9 };
      const list = (id: string) => store.deliveryLog.listDeliveries(id, {}, page);
      const [last, third, second, first] = await list(accountId);
      const failed = { state: 'failed', lastError: 'queue_limit_reached' };
      expect([last, third]).toMatchObject([failed, failed]);
      expect([second, first]).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);
      const states = (await list(seller.accountId)).map(({ state }) => state);
      expect(states).toEqual(['pending', 'pending', 'pending', 'pending']);
      // What happened is complete.
      const events = await store.events.readEvents(accountId, 0, 9);
      expect(events.filter(({ eventType }) => eventType === 'order.created')).toHaveLength(4);
      const notified = await store.notifications.listNotifications(accountId, {}, page);
      expect(notified.filter(({ type }) => type === 'order_created')).toHaveLength(4);

      const leased = await leaseDue(store, noon + 10);
      const results = leased.map((delivery) => aResult(delivery));
      await store.deliveries.recordAttempts(results, noon + 10);
      await trade.place({ now: noon + countedMs });
      expect((await list(accountId))[0]).toMatchObject({ state: 'pending' });
      const ids = [last?.id ?? ''];
      const context = aContext(noon + countedMs);
      const request = { accountId, ids, idempotencyKey: null, context };
      await store.deliveryLog.replayDeliveries(request, (found) => ({
        deliveries: found,
        response: { status: 200, headers: {}, body: {} },
      }));
      const again = await leaseDue(store, noon + countedMs);
      expect(again.map(({ webhookId }) => webhookId).toSorted()).toEqual(
        [own.id, own.id, other.id].toSorted(),
      );
    });

    test('leave out what waited for a deleted webhook', async () => {
      const trade = await Trade.open(underTest.current);
      const { store, buyer } = trade;
      const { accountId } = buyer;
      const limited = { maxOpenDeliveries: 1 };
      await changeAccount(store, accountId, (found) => ({ ...found, ...limited }));
      const { id } = await trade.subscribe(buyer, ['order.created']);
      await trade.place({ now: noon });
      await store.webhooks.deleteWebhook(accountId, id, noon);
      await trade.subscribe(buyer, ['order.created']);
      await trade.place({ now: noon + countedMs });
      const page = { after: null, limit: 9 };
      const deliveries = await store.deliveryLog.listDeliveries(accountId, {}, page);
      expect(deliveries).toMatchObject([{ state: 'pending' }]);
    });

    test('are what a new webhook is decided on', async () => {
      const store = underTest.current;
      const { account } = await addAccount(store);
      const seen: unknown[] = [];
      const add = () => {
        const context = aContext();
        const webhook = aWebhook({ accountId: account.id });
        const request = { accountId: account.id, idempotencyKey: null, context };
        return store.webhooks.addWebhook(request, (...existing) => {
          seen.push(existing);
          return { webhook, response: { status: 201, headers: {}, body: {} } };
        });
      };
      await add();
      await changeAccount(store, account.id, (found) => ({ ...found, maxWebhooks: 7 }));
      await add();
      expect(seen).toEqual([
        [0, null],
        [1, 7],
      ]);
    });
  });
}
