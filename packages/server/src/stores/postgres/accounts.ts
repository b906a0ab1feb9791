import type { AccountStore, ApiKeyWithAccount } from '@tradepost/domain/accounts/account';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import { accounts, accountUpdate, apiKeys, apiKeysWithAccount } from '../records/tables';
import { insertAudit } from './audit';
import type { PostgresDatabase } from './database';
import { holdQueues } from './queues';
import { insert, update } from './write-set';

const ofOwner = accounts.as('account');
const ofKey = apiKeys.as('key');
const selectKeyOwner = `SELECT ${ofOwner.select}, ${ofKey.select}
  FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id WHERE api_keys.id = $1`;

/** Creates the store of accounts and API keys. `onQueued` is called after a commit that made deliveries due. */
export function createPostgresAccountStore(
  db: PostgresDatabase,
  onQueued: () => void,
): AccountStore {
  /** The look-ups in progress. Requests with one key that arrive together share one. */
  const lookups = new Map<string, Promise<ApiKeyWithAccount | null>>();

  /** Waits for the other requests of this turn of the event loop, so that the look-up comes after they arrived. */
  async function selectKey(hash: string): Promise<ApiKeyWithAccount | null> {
    await new Promise((resolve) => setImmediate(resolve));
    lookups.delete(hash);
    return await db.find(
      apiKeysWithAccount,
      'FROM api_keys JOIN accounts ON accounts.id = api_keys.account_id WHERE api_keys.hash = $1',
      hash,
    );
  }

  return {
    addAccount: (account, firstKey, audit = []) =>
      db.write(async (tx) => {
        insert(tx, accounts, [account]);
        insert(tx, apiKeys, [firstKey]);
        for (const entry of audit) insertAudit(tx, entry);
      }),

    findAccount: (id) => db.find(accounts, 'FROM accounts WHERE id = $1', id),

    listAccounts: () => db.list(accounts, 'FROM accounts ORDER BY id DESC'),

    async changeAccount({ id, context }, decide) {
      const changed = await db.write(async (tx) => {
        // It waits for webhooks that are added, and they for it.
        const before = await tx.find(accounts, 'FROM accounts WHERE id = $1 FOR NO KEY UPDATE', id);
        const { account, audit } = decide(before);
        if (before === null) throw missingRecord('Account', id);
        update(tx, accountUpdate, account);
        insertAudit(tx, audit);
        if ((before.suspendedAt === null) !== (account.suspendedAt === null))
          await holdQueues(tx, account, context.now);
        return account;
      });
      if (changed.suspendedAt === null) onQueued();
      return changed;
    },

    addKey: (key, audit) =>
      db.write(async (tx) => {
        insert(tx, apiKeys, [key]);
        insertAudit(tx, audit);
      }),

    findKeyByHash(hash) {
      const known = lookups.get(hash);
      if (known !== undefined) return known;
      const lookup = selectKey(hash);
      lookups.set(hash, lookup);
      return lookup;
    },

    async findKeyOwner(keyId) {
      const row = await db.row<object>(selectKeyOwner, keyId);
      return row === undefined ? null : { account: ofOwner.pick(row), key: ofKey.pick(row) };
    },

    listKeys: (accountId) =>
      accountId === undefined
        ? db.list(apiKeys, 'FROM api_keys ORDER BY id DESC')
        : db.list(apiKeys, 'FROM api_keys WHERE account_id = $1 ORDER BY id DESC', accountId),

    async recordKeyUses(uses) {
      // In the order of the IDs, so that two processes do not wait for each other.
      const sorted = [...uses].sort(([one], [other]) => (one < other ? -1 : 1));
      await db.write(async (tx) => {
        tx.send(
          `UPDATE api_keys SET last_used_at = used.at
           FROM (
             SELECT api_keys.id, u.at FROM unnest($1::text[], $2::bigint[]) AS u (id, at)
             JOIN api_keys ON api_keys.id = u.id
             WHERE coalesce(api_keys.last_used_at, 0) < u.at
             ORDER BY api_keys.id FOR UPDATE OF api_keys) AS used
           WHERE api_keys.id = used.id`,
          sorted.map(([id]) => id),
          sorted.map(([, at]) => at),
        );
      });
    },

    revokeKey: (id, now, audit) =>
      db.write(async (tx) => {
        const revoked = await tx.run(
          'UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL',
          now,
          id,
        );
        const key = await tx.find(apiKeys, 'FROM api_keys WHERE id = $1', id);
        if (revoked > 0 && key !== null) insertAudit(tx, audit?.(key));
        return key;
      }),
  };
}
