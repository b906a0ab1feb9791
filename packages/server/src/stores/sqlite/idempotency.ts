import { DomainError } from '../../domain-error';
import type { Answer, Answered, IdempotencyClaim } from '../../idempotency-claim';
import type { SqliteDatabase } from './database';

interface KeptRow {
  fingerprint: string;
  /** JSON; blank once it was erased with the webhook that it showed. */
  answer: string;
}

const isErased = (answer: string) => answer === '';

/**
 * Erases the responses that show a webhook: they may show its secret. Their keys still belong to their requests.
 * For use inside of a write.
 */
export function eraseResponsesAbout(db: SqliteDatabase, webhookId: string): void {
  db.run("UPDATE idempotency_keys SET answer = '' WHERE webhook_id = ?", webhookId);
}

/**
 * Does work once per claim: the answer is kept in the same transaction as the effect. For use inside
 * of a write, where claims follow one another: of two requests with one key, the second finds the
 * first one's answer.
 *
 * @param webhookId The webhook that a response shows, if it shows one.
 * @throws DomainError `idempotency_key_reused` when the key belongs to another request, `webhook_deleted` when its
 *   response was erased.
 */
export function answerOnce<Given extends Answer>(
  db: SqliteDatabase,
  claim: IdempotencyClaim | null,
  now: number,
  work: () => Given,
  webhookId: () => string | null = () => null,
): Answered<Given> {
  if (claim === null) return { answer: work(), replayed: false };
  const { accountId, operation, key, fingerprint, expiresAt } = claim;
  const kept = db.get<KeptRow>(
    `SELECT fingerprint, answer FROM idempotency_keys
     WHERE account_id = ? AND operation = ? AND key = ? AND expires_at > ?`,
    accountId,
    operation,
    key,
    now,
  );
  if (kept !== undefined) {
    if (kept.fingerprint !== fingerprint) {
      throw new DomainError(
        'idempotency_key_reused',
        'This Idempotency-Key was sent before with another request: the path or the body differs. Use a new key for a new request, and the same path and body to repeat one.',
        [{ path: 'Idempotency-Key', message: 'belongs to another request' }],
      );
    }
    if (isErased(kept.answer)) {
      throw new DomainError(
        'webhook_deleted',
        'The webhook that the first request with this Idempotency-Key was about has been deleted, and its secret erased. Use a new key to register another webhook.',
      );
    }
    return { answer: JSON.parse(kept.answer) as Given, replayed: true };
  }
  const answer = work();
  db.run(
    `INSERT OR REPLACE INTO idempotency_keys
       (account_id, operation, key, fingerprint, answer, expires_at, webhook_id)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    accountId,
    operation,
    key,
    fingerprint,
    JSON.stringify(answer),
    expiresAt,
    webhookId(),
  );
  return { answer, replayed: false };
}
