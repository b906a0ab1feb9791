import { describeDatabase } from '../database-url';
import { idempotencyKeys, webhooks } from '../records/tables';
import {
  requireKeys,
  rotateSecrets,
  selectStarts,
  toKeyIds,
  type WebhookSecrets,
} from '../secret-rotation';
import type { RotatedSecrets, SecretStore } from '../store';
import type { PostgresDatabase, Transaction } from './database';

/** Returns the IDs of the keys in use; null for plain text. */
async function selectKeyIds(db: PostgresDatabase): Promise<(string | null)[]> {
  return toKeyIds(await db.rows<{ start: string }>(selectStarts));
}

/** Checks that all secrets can be decrypted, like `requireKeys`. */
export async function requireSecretKeys(db: PostgresDatabase): Promise<void> {
  requireKeys(db.secrets, await selectKeyIds(db), describeDatabase(db.url));
}

/** Encrypts the secrets of the webhooks after `after`. */
async function rotate(
  db: PostgresDatabase,
  tx: Transaction,
  after: string,
  limit: number,
): Promise<RotatedSecrets> {
  const locked = 'FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2 FOR NO KEY UPDATE';
  const found: WebhookSecrets[] = [];
  for (const webhook of await tx.list(webhooks, locked, after, limit)) {
    const ofWebhook = 'FROM idempotency_keys WHERE webhook_id = $1 FOR UPDATE';
    found.push({ ...webhook, responses: await tx.list(idempotencyKeys, ofWebhook, webhook.id) });
  }
  return rotateSecrets(db.secrets, found, limit, {
    writeSecret(id, column, encrypted) {
      tx.send(`UPDATE webhooks SET ${column} = $2 WHERE id = $1`, id, encrypted);
    },
    writeResponse({ accountId, operation, key }, encrypted) {
      tx.send(
        `UPDATE idempotency_keys SET response = $4
         WHERE account_id = $1 AND operation = $2 AND key = $3`,
        accountId,
        operation,
        key,
        encrypted,
      );
    },
  });
}

/** Creates the store that re-encrypts secrets. */
export function createPostgresSecretStore(db: PostgresDatabase): SecretStore {
  return {
    listKeyIds: () => selectKeyIds(db),
    rotate: ({ after, limit }) => db.write((tx) => rotate(db, tx, after ?? '', limit)),
  };
}
