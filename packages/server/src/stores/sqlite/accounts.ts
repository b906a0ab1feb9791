import type { AccountKind } from '@tradepost/contract/wire';
import type {
  Account,
  AccountStore,
  ApiKey,
  ApiKeyOwner,
  ApiKeyWithAccount,
} from '@tradepost/domain/accounts/account';
import type { SqliteDatabase } from './database';

interface AccountRow {
  id: string;
  kind: AccountKind;
  name: string;
  created_at: number;
}

interface KeyRow {
  id: string;
  account_id: string;
  hash: string;
  prefix: string;
  read_only: number;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

function readKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    hash: row.hash,
    prefix: row.prefix,
    readOnly: row.read_only === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

function readAccount(row: AccountRow): Account {
  return { id: row.id, kind: row.kind, name: row.name, createdAt: row.created_at };
}

/** Creates the store of accounts and API keys. */
export function createSqliteAccountStore(db: SqliteDatabase): AccountStore {
  function insertKey(key: ApiKey): void {
    db.run(
      `INSERT INTO api_keys (id, account_id, hash, prefix, read_only, created_at, expires_at, revoked_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      key.id,
      key.accountId,
      key.hash,
      key.prefix,
      Number(key.readOnly),
      key.createdAt,
      key.expiresAt,
      key.revokedAt,
    );
  }

  function selectKey(hash: string): ApiKeyWithAccount | null {
    const row = db.get<KeyRow & { kind: AccountKind }>(
      `SELECT api_keys.*, accounts.kind FROM api_keys
       JOIN accounts ON accounts.id = api_keys.account_id WHERE api_keys.hash = ?`,
      hash,
    );
    return row === undefined ? null : { ...readKey(row), kind: row.kind };
  }

  /** The look-ups of this turn of the event loop. All of its requests with one key share one, which runs after they arrived. */
  const lookups = new Map<string, Promise<ApiKeyWithAccount | null>>();

  return {
    addAccount: (account, firstKey) =>
      db.write(() => {
        db.run(
          'INSERT INTO accounts (id, kind, name, created_at) VALUES (?, ?, ?, ?)',
          account.id,
          account.kind,
          account.name,
          account.createdAt,
        );
        insertKey(firstKey);
      }),

    findAccount: (id) =>
      db.read((): Account | null => {
        const row = db.get<AccountRow>('SELECT * FROM accounts WHERE id = ?', id);
        return row === undefined ? null : readAccount(row);
      }),

    listAccounts: () =>
      db.read(() => db.all<AccountRow>('SELECT * FROM accounts ORDER BY id DESC').map(readAccount)),

    addKey: (key) => db.write(() => insertKey(key)),

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
        const key = db.get<KeyRow>('SELECT * FROM api_keys WHERE id = ?', keyId);
        if (key === undefined) return null;
        const account = db.get<AccountRow>('SELECT * FROM accounts WHERE id = ?', key.account_id);
        return account === undefined ? null : { account: readAccount(account), key: readKey(key) };
      }),

    listKeys: (accountId) =>
      db.read(() => {
        const rows =
          accountId === undefined
            ? db.all<KeyRow>('SELECT * FROM api_keys ORDER BY id DESC')
            : db.all<KeyRow>(
                'SELECT * FROM api_keys WHERE account_id = ? ORDER BY id DESC',
                accountId,
              );
        return rows.map(readKey);
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

    revokeKey: (id, now) =>
      db.write(() => {
        db.run('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', now, id);
        const row = db.get<KeyRow>('SELECT * FROM api_keys WHERE id = ?', id);
        return row === undefined ? null : readKey(row);
      }),
  };
}
