import type {
  IdempotencyKey,
  IdempotentResult,
  StoredResponse,
} from '@tradepost/domain/kernel/idempotency';
import { idempotencyKeys } from '../records/tables';
import { readStored, storedFields, toStored } from '../stored-responses';
import type { SqliteDatabase } from './database';

/**
 * Erases stored responses that show a webhook, because they may contain its secret. Their keys stay reserved. Call inside a
 * write.
 */
export function eraseResponsesAbout(db: SqliteDatabase, webhookId: string): void {
  db.run("UPDATE idempotency_keys SET response = '' WHERE webhook_id = ?", webhookId);
}

/**
 * Runs work once per idempotency key. The response is stored in the same transaction as the change. Call inside a write: writes
 * run one after another, so the second of two requests with one key finds the first one's response.
 *
 * @param webhookId Returns the webhook that the response shows, if any.
 * @throws DomainError `idempotency_key_reused` if the key belongs to another request, `webhook_deleted` if its response was
 *   erased.
 */
export function runIdempotent<Response extends StoredResponse>(
  db: SqliteDatabase,
  idempotencyKey: IdempotencyKey | null,
  now: number,
  work: () => Response,
  webhookId: () => string | null = () => null,
): IdempotentResult<Response> {
  if (idempotencyKey === null) return { response: work(), replayed: false };
  const { accountId, operation, key } = idempotencyKey;
  const stored = db.find(
    storedFields,
    'FROM idempotency_keys WHERE account_id = ? AND operation = ? AND key = ? AND expires_at > ?',
    accountId,
    operation,
    key,
    now,
  );
  if (stored !== null) return readStored(db.secrets, idempotencyKey, stored);
  const response = work();
  // There may be one that has expired.
  db.run(
    idempotencyKeys.insert.replace('INSERT', 'REPLACE'),
    ...idempotencyKeys.write(toStored(db.secrets, idempotencyKey, response, webhookId())),
  );
  return { response, replayed: false };
}
