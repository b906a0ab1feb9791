import { DomainError } from '@tradepost/domain/kernel/errors';
import {
  type IdempotencyKey,
  type IdempotentResult,
  idempotencyKeyReused,
  responseErased,
  type StoredResponse,
} from '@tradepost/domain/kernel/idempotency';
import { secretPlaces } from '../encryption';
import { idempotencyKeys } from '../records/tables';
import { Conflict, type PostgresDatabase, type Transaction, type WriteOptions } from './database';

const storedFields = idempotencyKeys.without('accountId', 'operation', 'key', 'expiresAt');

/** The row of a key that is reserved, as far as it is read. */
type StoredRow = ReturnType<typeof storedFields.read>;

/** Erases stored responses that show a webhook, because they may contain its secret. Their keys stay reserved. */
export function eraseResponsesAbout(tx: Transaction, webhookId: string): void {
  tx.send("UPDATE idempotency_keys SET response = '' WHERE webhook_id = $1", webhookId);
}

function readStored<Response extends StoredResponse>(
  { secrets }: PostgresDatabase,
  key: IdempotencyKey,
  { fingerprint, response, webhookId }: StoredRow,
): IdempotentResult<Response> {
  if (fingerprint !== key.fingerprint) throw idempotencyKeyReused();
  if (response === '') throw responseErased();
  const text = secrets.decrypt(secretPlaces.response(key, webhookId ?? ''), response);
  return { response: JSON.parse(text) as Response, replayed: true };
}

/**
 * Runs a change once per idempotency key. The response is stored in the same transaction. Of two requests with one key that run
 * at once, the second one waits for the first at the key's row; then it starts again and finds the stored response. A response
 * that shows a webhook is encrypted, because it may contain its secret.
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
      const { accountId, operation, key, fingerprint, expiresAt } = idempotencyKey;
      const findStored = () =>
        tx.row<StoredRow>(
          `SELECT ${storedFields.select} FROM idempotency_keys
         WHERE account_id = $1 AND operation = $2 AND key = $3 AND expires_at > $4`,
          accountId,
          operation,
          key,
          now,
        );
      const stored = await findStored();
      if (stored !== undefined) return readStored(db, idempotencyKey, stored);
      const change = await work(tx).catch(async (error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
        // The first request with this key may have been committed meanwhile, and be the reason of the rejection.
        const first = await findStored();
        if (first === undefined) throw error;
        return first;
      });
      if ('fingerprint' in change) return readStored(db, idempotencyKey, change);
      const { response, webhookId } = change;
      const text = JSON.stringify(response);
      const isStored = await tx.run(
        `INSERT INTO idempotency_keys
         (account_id, operation, key, fingerprint, response, expires_at, webhook_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (account_id, operation, key) DO UPDATE
         SET fingerprint = excluded.fingerprint, response = excluded.response,
           expires_at = excluded.expires_at, webhook_id = excluded.webhook_id
         WHERE idempotency_keys.expires_at <= $8`,
        accountId,
        operation,
        key,
        fingerprint,
        webhookId === undefined
          ? text
          : db.secrets.encrypt(secretPlaces.response(idempotencyKey, webhookId), text),
        expiresAt,
        webhookId ?? null,
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
