import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { describeMissingKeys, keyIdEnd, readKeyId, secretPlaces } from '../encryption';
import { idempotencyKeys, webhooks } from '../records/tables';
import type { RotatedSecrets, SecretStore } from '../store';
import type { SqliteDatabase } from './database';

/** The start of each text that may be encrypted, up to the ID of its key. Empty texts were erased. */
const starts = ['secret', 'staged_secret']
  .map(
    (column) =>
      `SELECT substr(${column}, 1, ${keyIdEnd}) AS start FROM webhooks WHERE ${column} <> ''`,
  )
  .concat(
    `SELECT substr(response, 1, ${keyIdEnd}) AS start FROM idempotency_keys
     WHERE webhook_id IS NOT NULL AND response <> ''`,
  )
  .join(' UNION ');

/** Returns the IDs of the keys in use; null for plain text. Call inside a read. */
function selectKeyIds(db: SqliteDatabase): (string | null)[] {
  const ids = db.all<{ start: string }>(starts).map(({ start }) => readKeyId(start));
  return [...new Set(ids)];
}

/**
 * Checks that all secrets can be decrypted, as far as their keys show.
 *
 * @throws StoreUnavailableError if a key is missing. The message names it.
 */
export function requireSecretKeys(db: SqliteDatabase, file: string): void {
  const isMissing = (id: string | null): id is string => id !== null && !db.secrets.hasKey(id);
  const missing = selectKeyIds(db).filter(isMissing);
  if (missing.length === 0) return;
  throw new StoreUnavailableError(
    `The database ${file} has secrets that are ${describeMissingKeys(missing)}`,
  );
}

/** A secret that is not encrypted with the first key, and how to replace it. */
interface OutdatedSecret {
  webhookId: string;
  place: string;
  stored: string;
  replace: (encrypted: string) => void;
}

function selectOutdated(
  db: SqliteDatabase,
  { id, secret, stagedSecret }: Pick<Webhook, 'id' | 'secret' | 'stagedSecret'>,
): OutdatedSecret[] {
  const found: OutdatedSecret[] = [
    {
      webhookId: id,
      place: secretPlaces.current(id),
      stored: secret,
      replace: (encrypted) => db.run('UPDATE webhooks SET secret = ? WHERE id = ?', encrypted, id),
    },
    {
      webhookId: id,
      place: secretPlaces.staged(id),
      stored: stagedSecret ?? '',
      replace: (encrypted) =>
        db.run('UPDATE webhooks SET staged_secret = ? WHERE id = ?', encrypted, id),
    },
  ];
  const responses = db.list(idempotencyKeys, 'FROM idempotency_keys WHERE webhook_id = ?', id);
  for (const { accountId, operation, key, response } of responses) {
    found.push({
      webhookId: id,
      place: secretPlaces.response({ accountId, operation, key }, id),
      stored: response,
      replace: (encrypted) =>
        db.run(
          'UPDATE idempotency_keys SET response = ? WHERE account_id = ? AND operation = ? AND key = ?',
          encrypted,
          accountId,
          operation,
          key,
        ),
    });
  }
  return found.filter(({ stored }) => stored !== '' && readKeyId(stored) !== db.secrets.keyId);
}

/** Encrypts the secrets of the webhooks after `after`. Call inside a write. */
function rotate(db: SqliteDatabase, after: string, limit: number): RotatedSecrets {
  const found = db.list(webhooks, 'FROM webhooks WHERE id > ? ORDER BY id LIMIT ?', after, limit);
  const unreadable = new Set<string>();
  let rotated = 0;
  for (const { webhookId, place, stored, replace } of found.flatMap((row) =>
    selectOutdated(db, row),
  )) {
    try {
      replace(db.secrets.encrypt(place, db.secrets.decrypt(place, stored)));
      rotated += 1;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      unreadable.add(webhookId);
    }
  }
  const next = found.length === limit ? (found.at(-1)?.id ?? null) : null;
  return { rotated, unreadable: [...unreadable], next };
}

/** Creates the store that re-encrypts secrets. */
export function createSqliteSecretStore(db: SqliteDatabase): SecretStore {
  return {
    listKeyIds: () => db.read(() => selectKeyIds(db)),
    rotate: ({ after, limit }) => db.write(() => rotate(db, after ?? '', limit)),
  };
}
