import { DomainError } from '@tradepost/domain/kernel/errors';
import type {
  IdempotencyKey,
  IdempotentResult,
  StoredResponse,
} from '@tradepost/domain/kernel/idempotency';
import { idempotencyKeys } from '../records/tables';
import { readStored, storedFields, toStored } from '../stored-responses';
import { Conflict, type PostgresDatabase, type Transaction, type WriteOptions } from './database';

/** Erases stored responses that show a webhook, because they may contain its secret. Their keys stay reserved. */
export function eraseResponsesAbout(tx: Transaction, webhookId: string): void {
  tx.send("UPDATE idempotency_keys SET response = '' WHERE webhook_id = $1", webhookId);
}

/**
 * Runs a change once per idempotency key. The response is stored in the same transaction. Of two requests with one key that run
 * at once, the second one waits for the first at the key's row; then it starts again and finds the stored response.
 *
 * @param work May be called again. Returns the response, and the webhook that it shows, if any.
 * @throws DomainError `idempotency_key_reused` if the key belongs to another request, `webhook_deleted` if its response was
 *   erased.
 */
export function writeIdempotent<Response extends StoredResponse>(
  db: PostgresDatabase,
  idempotencyKey: IdempotencyKey | null,
  now: number,
  work: (tx: Transaction) => Promise<{ response: Response; webhookId?: string }>,
  { takesTime = false }: Pick<WriteOptions, 'takesTime'> = {},
): Promise<IdempotentResult<Response>> {
  return db.write(
    async (tx) => {
      if (idempotencyKey === null) return { response: (await work(tx)).response, replayed: false };
      const { accountId, operation, key } = idempotencyKey;
      const byKey = `FROM idempotency_keys
        WHERE account_id = $1 AND operation = $2 AND key = $3 AND expires_at > $4`;
      const findStored = () => tx.find(storedFields, byKey, accountId, operation, key, now);
      const stored = await findStored();
      if (stored !== null) return readStored(db.secrets, idempotencyKey, stored);
      const change = await work(tx).catch(async (error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        // The first request with this key may have been committed meanwhile, and be the reason of the rejection.
        const first = await findStored();
        if (first === null) throw error;
        return first;
      });
      if ('fingerprint' in change) return readStored(db.secrets, idempotencyKey, change);
      const { response, webhookId = null } = change;
      const row = toStored(db.secrets, idempotencyKey, response, webhookId);
      const isStored = await tx.run(
        `INSERT INTO idempotency_keys (${idempotencyKeys.names.join(', ')})
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (account_id, operation, key) DO UPDATE
           SET fingerprint = excluded.fingerprint, response = excluded.response,
             expires_at = excluded.expires_at, webhook_id = excluded.webhook_id
           WHERE idempotency_keys.expires_at <= $8`,
        ...idempotencyKeys.write(row),
        now,
      );
      if (isStored === 0)
        throw new Conflict('Another request with this idempotency key was first.');
      return { response, replayed: false };
      // A repetition finds the stored response.
    },
    { isRepeatable: idempotencyKey !== null, takesTime },
  );
}
