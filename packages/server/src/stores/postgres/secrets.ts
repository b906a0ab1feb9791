import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { IdempotencyKey } from '@tradepost/domain/kernel/idempotency';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { describeDatabase } from '../database-url';
import { describeMissingKeys, keyIdEnd, readKeyId, secretPlaces } from '../encryption';
import { idempotencyKeys, webhooks } from '../records/tables';
import type { RotatedSecrets, SecretStore } from '../store';
import type { PostgresDatabase, Queries, Transaction } from './database';

/** The start of each text that may be encrypted, up to the ID of its key. Empty texts were erased. */
const starts = `
  SELECT substr(secret, 1, ${keyIdEnd}) AS start FROM webhooks WHERE secret <> ''
  UNION SELECT substr(staged_secret, 1, ${keyIdEnd}) FROM webhooks WHERE staged_secret <> ''
  UNION SELECT substr(response, 1, ${keyIdEnd}) FROM idempotency_keys
    WHERE webhook_id IS NOT NULL AND response <> ''`;

/** Returns the IDs of the keys in use; null for plain text. */
async function selectKeyIds(db: Queries): Promise<(string | null)[]> {
  const rows = await db.rows<{ start: string }>(starts);
  return [...new Set(rows.map(({ start }) => readKeyId(start)))];
}

/**
 * Checks that all secrets can be decrypted, as far as their keys show.
 *
 * @throws StoreUnavailableError if a key is missing. The message names it.
 */
export async function requireSecretKeys(db: PostgresDatabase): Promise<void> {
  const missing = (await selectKeyIds(db)).filter(
    (id): id is string => id !== null && !db.secrets.hasKey(id),
  );
  if (missing.length === 0) return;
  throw new StoreUnavailableError(
    `The database ${describeDatabase(db.url)} has secrets that are ${describeMissingKeys(missing)}`,
  );
}

/** A secret that is not encrypted with the first key, and how to replace it. */
interface OutdatedSecret {
  webhookId: string;
  place: string;
  stored: string;
  replace: (encrypted: string) => void;
}

async function listOutdated(
  db: PostgresDatabase,
  tx: Transaction,
  { id, secret, stagedSecret }: Omit<Webhook, 'events'>,
): Promise<OutdatedSecret[]> {
  const responses = await tx.rows<IdempotencyKey & { response: string }>(
    `SELECT ${idempotencyKeys.select} FROM idempotency_keys WHERE webhook_id = $1 FOR UPDATE`,
    id,
  );
  const found: OutdatedSecret[] = [
    {
      webhookId: id,
      place: secretPlaces.current(id),
      stored: secret,
      replace: (encrypted) =>
        tx.send('UPDATE webhooks SET secret = $2 WHERE id = $1', id, encrypted),
    },
    {
      webhookId: id,
      place: secretPlaces.staged(id),
      stored: stagedSecret ?? '',
      replace: (encrypted) =>
        tx.send('UPDATE webhooks SET staged_secret = $2 WHERE id = $1', id, encrypted),
    },
    ...responses.map(({ response, ...key }) => ({
      webhookId: id,
      place: secretPlaces.response(key, id),
      stored: response,
      replace: (encrypted: string) =>
        tx.send(
          `UPDATE idempotency_keys SET response = $4
           WHERE account_id = $1 AND operation = $2 AND key = $3`,
          key.accountId,
          key.operation,
          key.key,
          encrypted,
        ),
    })),
  ];
  return found.filter(({ stored }) => stored !== '' && readKeyId(stored) !== db.secrets.keyId);
}

/** Encrypts the secrets of the webhooks after `after`. */
async function rotate(
  db: PostgresDatabase,
  tx: Transaction,
  after: string,
  limit: number,
): Promise<RotatedSecrets> {
  const found = await tx.rows<Omit<Webhook, 'events'>>(
    `SELECT ${webhooks.select} FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2 FOR NO KEY UPDATE`,
    after,
    limit,
  );
  const unreadable = new Set<string>();
  let rotated = 0;
  for (const webhook of found) {
    for (const { webhookId, place, stored, replace } of await listOutdated(db, tx, webhook)) {
      try {
        replace(db.secrets.encrypt(place, db.secrets.decrypt(place, stored)));
        rotated += 1;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        unreadable.add(webhookId);
      }
    }
  }
  const next = found.length === limit ? (found.at(-1)?.id ?? null) : null;
  return { rotated, unreadable: [...unreadable], next };
}

/** Creates the store that re-encrypts secrets. */
export function createPostgresSecretStore(db: PostgresDatabase): SecretStore {
  return {
    listKeyIds: () => selectKeyIds(db),
    rotate: ({ after, limit }) => db.write((tx) => rotate(db, tx, after ?? '', limit)),
  };
}
