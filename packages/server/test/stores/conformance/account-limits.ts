import { auditAccount } from '@tradepost/domain/accounts/account-audit';
import { changeLimits } from '@tradepost/domain/accounts/limits';
import { aContext, anAccount, aWebhook } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { aKey } from '../../helpers/a-key';
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
