import {
  type IdempotencyKey,
  type IdempotentResult,
  idempotencyKeyReused,
  responseErased,
  type StoredResponse,
} from '@tradepost/domain/kernel/idempotency';
import { type SecretCipher, secretPlaces } from './encryption';
import { idempotencyKeys } from './records/tables';

/** What is read of a key that is reserved. */
export const storedFields = idempotencyKeys.without('accountId', 'operation', 'key', 'expiresAt');

type StoredRow = ReturnType<typeof storedFields.read>;

/**
 * Returns the stored response of a key.
 *
 * @throws DomainError `idempotency_key_reused` if the key belongs to another request, `webhook_deleted` if its response was
 *   erased.
 */
export function readStored<Response extends StoredResponse>(
  secrets: SecretCipher,
  key: IdempotencyKey,
  { fingerprint, response, webhookId }: StoredRow,
): IdempotentResult<Response> {
  if (fingerprint !== key.fingerprint) throw idempotencyKeyReused();
  if (response === '') throw responseErased();
  const text = secrets.decrypt(secretPlaces.response(key, webhookId ?? ''), response);
  return { response: JSON.parse(text) as Response, replayed: true };
}

/** Returns the row of a response. One that shows a webhook is encrypted, because it may contain its secret. */
export function toStored(
  secrets: SecretCipher,
  key: IdempotencyKey,
  response: StoredResponse,
  webhookId: string | null,
): IdempotencyKey & { response: string; webhookId: string | null } {
  const text = JSON.stringify(response);
  const stored =
    webhookId === null ? text : secrets.encrypt(secretPlaces.response(key, webhookId), text);
  return { response: stored, webhookId, ...key };
}
