import { auditAccount } from '@tradepost/domain/accounts/account-audit';
import { resumeAccount, suspendAccount } from '@tradepost/domain/accounts/suspension';
import { aContext, aWebhook, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { leaseDue, leaseOne, rejectedResult } from '../../helpers/leasing';
import { addWebhook, Trade } from '../../helpers/trade';
import { changeAccount } from '../change-account';
import { changeWebhook } from '../change-webhook';
import type { StoreUnderTest } from './store-under-test';

/** Accounts that are suspended and resumed. */
export function describeSuspensions(underTest: StoreUnderTest): void {
  describe('when an account is suspended', () => {
    const suspend = (store: Store, id: string, now = noon) =>
      changeAccount(store, id, (found) => suspendAccount(found, 'fraud', now), now);
    const resume = (store: Store, id: string, now = noon) =>
      changeAccount(store, id, resumeAccount, now);

    async function open() {
      const trade = await Trade.open(underTest.current);
      const { store, buyer, seller } = trade;
      const webhook = await trade.subscribe(buyer, ['order.created']);
      return { trade, store, webhook, id: buyer.accountId, other: seller };
    }

    test('its state is stored with its audit entry, and its keys show it', async () => {
      const { store, id } = await open();
      const [key] = await store.accounts.listKeys(id);
      const context = aContext();
      const operator = { type: 'operator', id: 'ops@host-1' } as const;
      const changed = await store.accounts.changeAccount({ id, context }, (found) => {
        if (found === null) throw new Error('there is an account');
        const account = suspendAccount(found, 'fraud', noon);
        const audit = auditAccount(operator, 'account.suspended', account, {}, context);
        return { account, audit };
      });
      expect(changed).toMatchObject({ id, suspendedAt: noon, suspensionReason: 'fraud' });
      expect(await store.accounts.findAccount(id)).toEqual(changed);
      expect(await store.accounts.findKeyByHash(key?.hash ?? '')).toMatchObject({
        suspendedAt: noon,
      });
      expect(await store.audit.listEntries({}, { before: null, limit: 9 })).toMatchObject([
        { action: 'account.suspended', subjectId: id },
      ]);
      expect(await resume(store, id)).toMatchObject({ suspendedAt: null, suspensionReason: null });
      expect(await store.accounts.findKeyByHash(key?.hash ?? '')).toMatchObject({
        suspendedAt: null,
      });
    });

    test('an account that does not exist is not changed, and a rejection changes nothing', async () => {
      const { store, id } = await open();
      await expect(suspend(store, 'usr_unknown')).rejects.toThrow('usr_unknown');
      const reject = () => {
        throw new Error('no');
      };
      await expect(changeAccount(store, id, reject)).rejects.toThrow('no');
      expect(await store.accounts.findAccount(id)).toMatchObject({ suspendedAt: null });
    });

    test('its deliveries wait and those of others do not, until it is resumed', async () => {
      const { trade, store, id, other } = await open();
      const others = await trade.subscribe(other, ['order.created']);
      await trade.place();
      await suspend(store, id);
      await trade.place({ now: noon + 1 });
      const leased = await leaseDue(store, noon + 1_000);
      expect(leased.map(({ webhookId }) => webhookId)).toEqual([others.id, others.id]);
      let heard = 0;
      store.onDeliveriesQueued(() => {
        heard += 1;
      });
      await resume(store, id, noon + 2_000);
      expect(heard).toBe(1);
      expect(await leaseDue(store, noon + 2_000)).toHaveLength(2);
    });

    test('a webhook that is added or changed stays held, and one that is paused stays paused afterwards', async () => {
      const { trade, store, webhook, id } = await open();
      await suspend(store, id);
      await addWebhook(store, aWebhook({ accountId: id, events: ['order.created'] }));
      await changeWebhook(store, webhook, { url: 'https://mended.example/' });
      const paused = await trade.subscribe(trade.buyer, ['order.created']);
      await changeWebhook(store, paused, { status: 'paused' });
      await trade.place();
      expect(await leaseDue(store, noon + 1_000)).toEqual([]);
      await resume(store, id, noon + 2_000);
      expect(await leaseDue(store, noon + 2_000)).toHaveLength(2);
      await changeWebhook(store, paused, { status: 'active' }, { now: noon + 3_000 });
      expect(await leaseDue(store, noon + 3_000)).toHaveLength(1);
    });

    test('the result of an attempt in flight is recorded, and the end of the suspension ends the backoff', async () => {
      const { trade, store, webhook, id } = await open();
      await trade.place();
      for (let round = 0; round < 5; round += 1) {
        const now = noon + round * 1_000;
        const delivery = await leaseOne(store, now);
        if (round === 4) await suspend(store, id, now);
        await store.deliveries.recordAttempts([rejectedResult(delivery, now)], now + 10);
      }
      const find = () => store.webhooks.findWebhook(id, webhook.id);
      expect((await find())?.health).toMatchObject({ pending: 1, failures: 5 });
      expect(await leaseDue(store, noon + 60_000)).toEqual([]);
      await resume(store, id, noon + 4_020);
      expect((await find())?.health).toMatchObject({ failures: 5, backoffUntil: 0 });
      expect(await leaseDue(store, noon + 4_020)).toHaveLength(1);
    });

    test('it may be suspended again, and stays suspended since the first time', async () => {
      const { trade, store, id } = await open();
      await trade.place();
      await suspend(store, id);
      expect(await suspend(store, id, noon + 5)).toMatchObject({ suspendedAt: noon });
      expect(await leaseDue(store, noon + 1_000)).toEqual([]);
    });
  });
}
