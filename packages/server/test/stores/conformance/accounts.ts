import { anAccount, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { hashApiKey } from '../../../src/kernel/api-key';
import { aKey } from '../../helpers/a-key';
import type { StoreUnderTest } from './store-under-test';

/** Accounts and their keys. */
export function describeAccounts(underTest: StoreUnderTest): void {
  describe('in the store of accounts', () => {
    test('an account is found as it was added', async () => {
      const { accounts } = underTest.current;
      const account = anAccount({ kind: 'agent', name: 'Quay “7” — 港' });
      await accounts.addAccount(account, aKey({ accountId: account.id }).record);
      expect(await accounts.findAccount(account.id)).toEqual(account);
    });

    test('an account that was never added is not found', async () => {
      expect(await underTest.current.accounts.findAccount('usr_unknown')).toBeNull();
    });

    test("a key is found by its hash, together with its account's kind", async () => {
      const { accounts } = underTest.current;
      const account = anAccount({ kind: 'seller' });
      const { record, apiKey } = aKey({
        accountId: account.id,
        readOnly: true,
        expiresAt: noon + 60_000,
      });
      await accounts.addAccount(account, record);
      const found = await accounts.findKeyByHash(hashApiKey(apiKey));
      expect(found).toEqual({
        ...record,
        kind: 'seller',
        suspendedAt: null,
        requestsPerMinute: null,
      });
    });

    test('a key is not found by anything but its whole hash', async () => {
      const { accounts } = underTest.current;
      const account = anAccount();
      const { record, apiKey } = aKey({ accountId: account.id });
      await accounts.addAccount(account, record);
      for (const other of [apiKey, record.id, record.hash.toUpperCase(), `${record.hash} `, '']) {
        expect(await accounts.findKeyByHash(other), other).toBeNull();
      }
    });

    test('the owner of a key is found by the ID of that key, and no other key of theirs is returned', async () => {
      const { accounts } = underTest.current;
      const [account, other] = [anAccount({ kind: 'agent' }), anAccount()];
      const first = aKey({ accountId: account.id }).record;
      const second = aKey({ accountId: account.id, readOnly: true, expiresAt: noon + 1 }).record;
      await accounts.addAccount(other, aKey({ accountId: other.id }).record);
      await accounts.addAccount(account, first);
      await accounts.addKey(second);
      expect(await accounts.findKeyOwner(first.id)).toEqual({ account, key: first });
      expect(await accounts.findKeyOwner(second.id)).toEqual({ account, key: second });
    });

    test('the owner of a revoked key is found, and the key has its revocation time', async () => {
      const { accounts } = underTest.current;
      const account = anAccount();
      const { record } = aKey({ accountId: account.id });
      await accounts.addAccount(account, record);
      const key = await accounts.revokeKey(record.id, noon);
      expect(await accounts.findKeyOwner(record.id)).toEqual({ account, key });
    });

    test('a key is found only under its ID', async () => {
      const { accounts } = underTest.current;
      const account = anAccount();
      const { record, apiKey } = aKey({ accountId: account.id });
      await accounts.addAccount(account, record);
      for (const other of ['key_unknown', record.hash, apiKey, account.id, '']) {
        expect(await accounts.findKeyOwner(other), other).toBeNull();
      }
    });

    test('an expired key is found, with its expiry', async () => {
      const { accounts } = underTest.current;
      const account = anAccount();
      const { record } = aKey({ accountId: account.id, expiresAt: 1 });
      await accounts.addAccount(account, record);
      expect(await accounts.findKeyByHash(record.hash)).toMatchObject({ expiresAt: 1 });
    });

    test('a revoked key is found, with the time of its first revocation', async () => {
      const { accounts } = underTest.current;
      const account = anAccount();
      const { record } = aKey({ accountId: account.id });
      await accounts.addAccount(account, record);
      const revoked = { ...record, revokedAt: noon + 1 };
      expect(await accounts.revokeKey(record.id, noon + 1)).toEqual(revoked);
      expect(await accounts.revokeKey(record.id, noon + 2)).toEqual(revoked);
      expect(await accounts.findKeyByHash(record.hash)).toEqual({
        ...revoked,
        kind: 'buyer',
        suspendedAt: null,
        requestsPerMinute: null,
      });
    });

    test('revoking one key leaves the others of the account as they are', async () => {
      const { accounts } = underTest.current;
      const account = anAccount();
      const first = aKey({ accountId: account.id }).record;
      const second = aKey({ accountId: account.id }).record;
      await accounts.addAccount(account, first);
      await accounts.addKey(second);
      await accounts.revokeKey(first.id, noon);
      expect(await accounts.findKeyByHash(second.hash)).toMatchObject({ revokedAt: null });
    });

    test('the last use of a key is the latest that any process recorded', async () => {
      const { accounts } = underTest.current;
      const account = anAccount();
      const [first, second] = [
        aKey({ accountId: account.id }).record,
        aKey({ accountId: account.id }).record,
      ];
      await accounts.addAccount(account, first);
      await accounts.addKey(second);
      const readUses = async () =>
        (await accounts.listKeys(account.id)).map(({ lastUsedAt }) => lastUsedAt);
      expect(await readUses()).toEqual([null, null]);
      await accounts.recordKeyUses(new Map([[first.id, noon + 60_000]]));
      await accounts.recordKeyUses(
        new Map([
          [first.id, noon],
          [second.id, noon],
          ['key_unknown', noon],
        ]),
      );
      expect(await readUses()).toEqual([noon, noon + 60_000]);
      await accounts.recordKeyUses(new Map());
      expect(await readUses()).toEqual([noon, noon + 60_000]);
    });

    test('a revocation of an unknown ID has no effect', async () => {
      expect(await underTest.current.accounts.revokeKey('key_unknown', noon)).toBeNull();
    });

    test('keys are listed newest first, of one account or of all', async () => {
      const { accounts } = underTest.current;
      const [one, other] = [anAccount(), anAccount()];
      const keys = [one, other, one].map(({ id }) => aKey({ accountId: id }).record);
      const [first, second, third] = keys;
      if (!(first && second && third)) throw new Error('three keys were made');
      await accounts.addAccount(one, first);
      await accounts.addAccount(other, second);
      await accounts.addKey(third);
      expect(await accounts.listKeys(one.id)).toEqual([third, first]);
      expect(await accounts.listKeys()).toEqual([third, second, first]);
      expect(await accounts.listKeys('usr_unknown')).toEqual([]);
    });

    test('an account is not added when its first key is rejected', async () => {
      const { accounts } = underTest.current;
      const [one, other] = [anAccount(), anAccount()];
      const { record } = aKey({ accountId: one.id });
      await accounts.addAccount(one, record);
      const sameText = { ...aKey({ accountId: other.id }).record, hash: record.hash };
      await expect(accounts.addAccount(other, sameText)).rejects.toThrow();
      expect(await accounts.findAccount(other.id)).toBeNull();
      expect(await accounts.findKeyByHash(record.hash)).toMatchObject({ accountId: one.id });
    });

    test('a key of a missing account is rejected', async () => {
      const { accounts } = underTest.current;
      const { record } = aKey({ accountId: 'usr_unknown' });
      await expect(accounts.addKey(record)).rejects.toThrow();
      expect(await accounts.findKeyByHash(record.hash)).toBeNull();
    });

    test('all accounts are listed, newest first', async () => {
      const { accounts } = underTest.current;
      const added = [anAccount({ kind: 'agent' }), anAccount({ kind: 'seller' }), anAccount()];
      for (const account of added) {
        await accounts.addAccount(account, aKey({ accountId: account.id }).record);
      }
      expect(await accounts.listAccounts()).toEqual(added.reverse());
    });
  });
}
