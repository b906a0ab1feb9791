import { maxKeysPerAccount } from '@tradepost/contract';
import type { ApiKey, Caller } from '@tradepost/domain/accounts/account';
import { createKey } from '@tradepost/domain/accounts/key';
import type { IdempotencyKey } from '@tradepost/domain/kernel/idempotency';
import {
  aCaller,
  aContext,
  anAccount,
  anIdempotencyKey,
  noon,
} from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { tokens } from '../../../src/kernel/api-key';
import type { Store } from '../../../src/stores/store';
import { aKey } from '../../helpers/a-key';
import type { StoreUnderTest } from './store-under-test';

/** Adds an account, and returns the caller with its first key. */
export async function addCaller(
  { accounts }: Store,
  key: { readOnly?: boolean; expiresAt?: number | null } = {},
): Promise<Caller> {
  const account = anAccount();
  const { record } = aKey({ accountId: account.id, ...key });
  await accounts.addAccount(account, record);
  const { id: keyId, readOnly, expiresAt } = record;
  return aCaller({ accountId: account.id, kind: account.kind, keyId, readOnly, expiresAt });
}

async function create(
  { accounts }: Store,
  caller: Caller,
  {
    now = noon,
    idempotencyKey = null,
  }: { now?: number; idempotencyKey?: IdempotencyKey | null } = {},
): Promise<ApiKey & { replayed: boolean }> {
  const context = aContext(now);
  const { response, replayed } = await accounts.createKey(
    { caller, idempotencyKey, context },
    (creation) => {
      const key = createKey(caller, {}, tokens.create('tpk'), tokens, creation, context);
      return { key, response: { status: 201, headers: {}, body: key } };
    },
  );
  return { ...response.body, replayed };
}

/** Keys that keys create. */
export function describeCreatedKeys(underTest: StoreUnderTest): void {
  describe('keys that a key creates', () => {
    test('a key is added with its maker and found, and a repeated request adds no other', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      const idempotencyKey = anIdempotencyKey({ accountId: caller.accountId });
      const { replayed, ...key } = await create(store, caller, { idempotencyKey });
      expect(replayed).toBe(false);
      expect(key.parentId).toBe(caller.keyId);
      expect(await create(store, caller, { idempotencyKey })).toEqual({ ...key, replayed: true });
      const account = { kind: caller.kind, suspendedAt: null, requestsPerMinute: null };
      expect(await store.accounts.findKeyByHash(key.hash)).toEqual({ ...key, ...account });
      expect(await store.accounts.listKeys(caller.accountId)).toHaveLength(2);
    });

    test('a key that was revoked or has expired meanwhile creates none', async () => {
      const store = underTest.current;
      const revoked = await addCaller(store);
      await store.accounts.revokeKey(revoked.keyId, noon);
      await expect(create(store, revoked)).rejects.toMatchObject({ code: 'invalid_api_key' });
      const expired = await addCaller(store, { expiresAt: noon + 1 });
      await expect(create(store, expired, { now: noon + 1 })).rejects.toMatchObject({
        code: 'invalid_api_key',
      });
      expect(await store.accounts.listKeys(revoked.accountId)).toHaveLength(1);
    });

    test('of many requests at once, no more succeed than the account may have keys', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      for (let count = 1; count < maxKeysPerAccount - 1; count += 1) {
        await store.accounts.addKey(aKey({ accountId: caller.accountId }).record);
      }
      // Neither counts.
      const ended = aKey({ accountId: caller.accountId, expiresAt: noon }).record;
      await store.accounts.addKey(ended);
      const results = await Promise.allSettled([1, 2, 3].map(() => create(store, caller)));
      const [, ...rejected] = results.sort((one) => (one.status === 'fulfilled' ? -1 : 1));
      expect(rejected).toMatchObject([
        { reason: { code: 'key_limit_reached' } },
        { reason: { code: 'key_limit_reached' } },
      ]);
    });

    test('pages have the keys of one account, newest first, each once', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      await addCaller(store);
      for (const now of [noon + 1, noon + 2, noon + 2]) await create(store, caller, { now });
      const all = await store.accounts.listKeyPage(caller.accountId, { after: null, limit: 10 });
      expect(all.map(({ createdAt }) => createdAt - noon)).toEqual([2, 2, 1, 0]);
      const paged: ApiKey[] = [];
      for (let after: ApiKey | null = null; paged.length < all.length; after = paged.at(-1) ?? null)
        paged.push(...(await store.accounts.listKeyPage(caller.accountId, { after, limit: 1 })));
      expect(paged).toEqual(all);
    });
  });
}
