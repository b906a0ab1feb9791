import type {
  AccountStore,
  ApiKeyOwner,
  ApiKeyWithAccount,
} from '@tradepost/domain/accounts/account';
import type { Announcements } from '@tradepost/domain/events/announcements';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import { accounts, accountUpdate, apiKeys, apiKeysWithAccount } from '../records/tables';
import { insertAudit } from './audit';
import type { SqliteDatabase } from './database';
import { holdQueues } from './queues';

/** Creates the store of accounts and API keys. Deliveries of an account that is resumed are announced after the commit. */
export function createSqliteAccountStore(
  db: SqliteDatabase,
  announcements: Announcements,
): AccountStore {
  const selectAccount = (id: string) => db.find(accounts, 'FROM accounts WHERE id = ?', id);
  const selectKey = (hash: string) =>
    db.find(
      apiKeysWithAccount,
      'FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id WHERE api_keys.hash = ?',
      hash,
    );

  /** The look-ups of this turn of the event loop. All of its requests with one key share one, which runs after they arrived. */
  const lookups = new Map<string, Promise<ApiKeyWithAccount | null>>();

  return {
    addAccount: (account, firstKey, audit = []) =>
      db.write(() => {
        db.insert(accounts, account);
        db.insert(apiKeys, firstKey);
        for (const entry of audit) insertAudit(db, entry);
      }),

    findAccount: (id) => db.read(() => selectAccount(id)),

    listAccounts: () => db.read(() => db.list(accounts, 'FROM accounts ORDER BY id DESC')),

    async changeAccount({ id, context }, decide) {
      const changed = await db.write(() => {
        const before = selectAccount(id);
        const { account, audit } = decide(before);
        if (before === null) throw missingRecord('Account', id);
        db.update(accountUpdate, account);
        insertAudit(db, audit);
        if ((before.suspendedAt === null) !== (account.suspendedAt === null))
          holdQueues(db, account, context.now);
        return account;
      });
      if (changed.suspendedAt === null) announcements.notifyDeliveriesQueued();
      return changed;
    },

    addKey: (key, audit) =>
      db.write(() => {
        db.insert(apiKeys, key);
        insertAudit(db, audit);
      }),

    findKeyByHash(hash) {
      const known = lookups.get(hash);
      if (known !== undefined) return known;
      const lookup = db.readTogether(() => {
        lookups.delete(hash);
        return selectKey(hash);
      });
      lookups.set(hash, lookup);
      lookup.catch(() => lookups.delete(hash));
      return lookup;
    },

    findKeyOwner: (keyId) =>
      db.view((): ApiKeyOwner | null => {
        const key = db.find(apiKeys, 'FROM api_keys WHERE id = ?', keyId);
        if (key === null) return null;
        const account = selectAccount(key.accountId);
        return account && { account, key };
      }),

    listKeys: (accountId) =>
      db.read(() =>
        accountId === undefined
          ? db.list(apiKeys, 'FROM api_keys ORDER BY id DESC')
          : db.list(apiKeys, 'FROM api_keys WHERE account_id = ? ORDER BY id DESC', accountId),
      ),

    recordKeyUses: (uses) =>
      db.writeRelaxed(() => {
        for (const [id, usedAt] of uses) {
          db.run(
            'UPDATE api_keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?',
            usedAt,
            id,
            usedAt,
          );
        }
      }),

    revokeKey: (id, now, audit) =>
      db.write(() => {
        const revoked = db.run(
          'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
          now,
          id,
        );
        const key = db.find(apiKeys, 'FROM api_keys WHERE id = ?', id);
        if (revoked > 0 && key !== null) insertAudit(db, audit?.(key));
        return key;
      }),
  };
}
