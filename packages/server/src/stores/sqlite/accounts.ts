import type {
  AccountStore,
  ApiKeyOwner,
  ApiKeyWithAccount,
} from '@tradepost/domain/accounts/account';
import type { Announcements } from '@tradepost/domain/events/announcements';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import { Conditions } from '../conditions';
import { mergeBounds } from '../page-bounds';
import {
  accounts,
  accountUpdate,
  apiKeys,
  apiKeysWithAccount,
  keyFields,
  keysWithParents,
} from '../records/tables';
import { insertAudit } from './audit';
import type { SqliteDatabase } from './database';
import { runIdempotent } from './idempotency';
import { holdQueues } from './queues';

/** Returns a key and its account. Call inside a read or a write. */
export function selectKeyOwner(db: SqliteDatabase, keyId: string): ApiKeyOwner | null {
  const key = db.find(keyFields, `FROM ${keysWithParents} WHERE api_keys.id = ?`, keyId);
  if (key === null) return null;
  const account = db.find(accounts, 'FROM accounts WHERE id = ?', key.accountId);
  return account && { account, key };
}

/** Counts the valid keys of an account, without sessions. Call inside a write. */
function countValidKeys(db: SqliteDatabase, accountId: string, now: number): number {
  const row = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM api_keys
     WHERE account_id = ? AND session = 0 AND revoked_at IS NULL AND coalesce(expires_at > ?, 1)`,
    accountId,
    now,
  );
  return row?.count ?? 0;
}

/** Creates the store of accounts and API keys. Deliveries of an account that is resumed are announced after the commit. */
export function createSqliteAccountStore(
  db: SqliteDatabase,
  announcements: Announcements,
): AccountStore {
  const selectAccount = (id: string) => db.find(accounts, 'FROM accounts WHERE id = ?', id);
  const selectKey = (hash: string) =>
    db.find(
      apiKeysWithAccount,
      `FROM ${keysWithParents} JOIN accounts ON accounts.id = api_keys.account_id
       WHERE api_keys.hash = ?`,
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

    createKey: ({ caller: { accountId, keyId }, idempotencyKey, context }, decide) =>
      db.write(() =>
        runIdempotent(db, idempotencyKey, context.now, () => {
          const { key, response, audit } = decide({
            maker: selectKeyOwner(db, keyId)?.key ?? null,
            validCount: countValidKeys(db, accountId, context.now),
          });
          db.insert(apiKeys, key);
          insertAudit(db, audit);
          return response;
        }),
      ),

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

    findKeyOwner: (keyId) => db.view(() => selectKeyOwner(db, keyId)),

    listKeys: (accountId) =>
      db.read(() =>
        accountId === undefined
          ? db.list(keyFields, `FROM ${keysWithParents} ORDER BY api_keys.id DESC`)
          : db.list(
              keyFields,
              `FROM ${keysWithParents} WHERE api_keys.account_id = ? ORDER BY api_keys.id DESC`,
              accountId,
            ),
      ),

    listKeyPage: (accountId, { after, limit }) =>
      db.read(() => {
        const { sql, values } = new Conditions()
          .add('account_id = ?', accountId)
          .addRange(mergeBounds({ after }));
        const page = `(SELECT * FROM api_keys WHERE ${sql} ORDER BY created_at DESC, id DESC LIMIT ?)`;
        const rest = `FROM ${page} AS ${keysWithParents} ORDER BY api_keys.created_at DESC, api_keys.id DESC`;
        return db.list(keyFields, rest, ...values, limit);
      }),

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
        const found = selectKeyOwner(db, id)?.key ?? null;
        // That of a session that ended with its key, too.
        if (found === null || found.revokedAt !== null) return found;
        db.run('UPDATE api_keys SET revoked_at = ? WHERE id = ?', now, id);
        const key = { ...found, revokedAt: now };
        insertAudit(db, audit?.(key));
        return key;
      }),
  };
}
