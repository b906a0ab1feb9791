import type {
  AccountStore,
  ApiKeyOwner,
  ApiKeyWithAccount,
} from '@tradepost/domain/accounts/account';
import { missingRecord } from '@tradepost/domain/kernel/errors';
import { NumberedConditions } from '../conditions';
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
import type { PostgresDatabase, Queries, Transaction } from './database';
import { writeIdempotent } from './idempotency';
import { holdQueues } from './queues';
import { insert, update } from './write-set';

const ofOwner = accounts.as('account');
const ofKey = keyFields.as('key');
const selectOwner = `SELECT ${ofOwner.select}, ${ofKey.select}
  FROM ${keysWithParents} JOIN accounts ON accounts.id = api_keys.account_id WHERE api_keys.id = $1`;

/** Returns a key and its account. */
export async function selectKeyOwner(
  queries: Pick<Queries, 'row'>,
  keyId: string,
): Promise<ApiKeyOwner | null> {
  const row = await queries.row<object>(selectOwner, keyId);
  return row === undefined ? null : { account: ofOwner.pick(row), key: ofKey.pick(row) };
}

/** Locks a key, so that it is not revoked before the end of the transaction, and what it creates is created one after another. */
export function lockKey(tx: Transaction, keyId: string): void {
  tx.send('SELECT 1 FROM api_keys WHERE id = $1 FOR NO KEY UPDATE', keyId);
}

/** Locks an account, so that its keys are created one after another, and returns how many valid ones it has, without sessions. */
async function countValidKeys(tx: Transaction, accountId: string, now: number): Promise<number> {
  tx.send('SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', accountId);
  const row = await tx.row<{ count: number }>(
    `SELECT count(*) AS count FROM api_keys
     WHERE account_id = $1 AND NOT session AND revoked_at IS NULL AND coalesce(expires_at > $2, TRUE)`,
    accountId,
    now,
  );
  return row?.count ?? 0;
}

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
      `FROM ${keysWithParents} JOIN accounts ON accounts.id = api_keys.account_id
       WHERE api_keys.hash = $1`,
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

    createKey: ({ caller: { accountId, keyId }, idempotencyKey, context }, decide) =>
      writeIdempotent(db, idempotencyKey, context.now, async (tx) => {
        const validCount = await countValidKeys(tx, accountId, context.now);
        lockKey(tx, keyId);
        const maker = (await selectKeyOwner(tx, keyId))?.key ?? null;
        const { key, response, audit } = decide({ maker, validCount });
        insert(tx, apiKeys, [key]);
        insertAudit(tx, audit);
        return { response };
      }),

    findKeyByHash(hash) {
      const known = lookups.get(hash);
      if (known !== undefined) return known;
      const lookup = selectKey(hash);
      lookups.set(hash, lookup);
      return lookup;
    },

    findKeyOwner: (keyId) => selectKeyOwner(db, keyId),

    listKeys: (accountId) =>
      accountId === undefined
        ? db.list(keyFields, `FROM ${keysWithParents} ORDER BY api_keys.id DESC`)
        : db.list(
            keyFields,
            `FROM ${keysWithParents} WHERE api_keys.account_id = $1 ORDER BY api_keys.id DESC`,
            accountId,
          ),

    listKeyPage(accountId, { after, limit }) {
      const conditions = new NumberedConditions()
        .add('account_id = ?', accountId)
        .addRange(mergeBounds({ after }));
      const { sql } = conditions;
      const page = `(SELECT * FROM api_keys WHERE ${sql}
        ORDER BY created_at DESC, id DESC LIMIT ${conditions.bind(limit)})`;
      const rest = `FROM ${page} AS ${keysWithParents} ORDER BY api_keys.created_at DESC, api_keys.id DESC`;
      return db.list(keyFields, rest, ...conditions.values);
    },

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
        lockKey(tx, id);
        const found = (await selectKeyOwner(tx, id))?.key ?? null;
        // That of a session that ended with its key, too.
        if (found === null || found.revokedAt !== null) return found;
        tx.send('UPDATE api_keys SET revoked_at = $1 WHERE id = $2', now, id);
        const key = { ...found, revokedAt: now };
        insertAudit(tx, audit?.(key));
        return key;
      }),
  };
}
