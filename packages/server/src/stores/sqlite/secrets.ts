import { idempotencyKeys, webhooks } from '../records/tables';
import { requireKeys, rotateSecrets, selectStarts, toKeyIds } from '../secret-rotation';
import type { RotatedSecrets, SecretStore } from '../store';
import type { SqliteDatabase } from './database';

/** Returns the IDs of the keys in use; null for plain text. Call inside a read. */
const selectKeyIds = (db: SqliteDatabase) => toKeyIds(db.all<{ start: string }>(selectStarts));

/** Checks that all secrets can be decrypted, like `requireKeys`. */
export function requireSecretKeys(db: SqliteDatabase, file: string): void {
  requireKeys(db.secrets, selectKeyIds(db), file);
}

/** Encrypts the secrets of the webhooks after `after`. Call inside a write. */
function rotate(db: SqliteDatabase, after: string, limit: number): RotatedSecrets {
  const found = db
    .list(webhooks, 'FROM webhooks WHERE id > ? ORDER BY id LIMIT ?', after, limit)
    .map((webhook) => ({
      ...webhook,
      responses: db.list(idempotencyKeys, 'FROM idempotency_keys WHERE webhook_id = ?', webhook.id),
    }));
  return rotateSecrets(db.secrets, found, limit, {
    writeSecret(id, column, encrypted) {
      db.run(`UPDATE webhooks SET ${column} = ? WHERE id = ?`, encrypted, id);
    },
    writeResponse({ accountId, operation, key }, encrypted) {
      db.run(
        'UPDATE idempotency_keys SET response = ? WHERE account_id = ? AND operation = ? AND key = ?',
        encrypted,
        accountId,
        operation,
        key,
      );
    },
  });
}

/** Creates the store that re-encrypts secrets. */
export function createSqliteSecretStore(db: SqliteDatabase): SecretStore {
  return {
    listKeyIds: () => db.read(() => selectKeyIds(db)),
    rotate: ({ after, limit }) => db.write(() => rotate(db, after ?? '', limit)),
  };
}
