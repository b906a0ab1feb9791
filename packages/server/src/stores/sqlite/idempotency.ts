import { DomainError } from '../../domain-error';
import type { Answer, Answered, IdempotencyClaim } from '../../idempotency-claim';
import type { SqliteDatabase } from './database';

interface KeptRow {
  fingerprint: string;
  answer: string;
}

/**
 * Does work once per claim: the answer is kept in the same transaction as the effect. For use inside
 * of a write, where claims follow one another: of two requests with one key, the second finds the
 * first one's answer.
 *
 * @throws DomainError `idempotency_key_reused` when the key belongs to another request.
 */
export function answerOnce<Given extends Answer>(
  db: SqliteDatabase,
  claim: IdempotencyClaim | null,
  now: number,
  work: () => Given,
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
    return { answer: JSON.parse(kept.answer) as Given, replayed: true };
  }
  const answer = work();
  db.run(
    `INSERT OR REPLACE INTO idempotency_keys
       (account_id, operation, key, fingerprint, answer, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    accountId,
    operation,
    key,
    fingerprint,
    JSON.stringify(answer),
    expiresAt,
  );
  return { answer, replayed: false };
}
