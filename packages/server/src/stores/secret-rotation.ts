import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { IdempotencyKey } from '@tradepost/domain/kernel/idempotency';
import {
  describeMissingKeys,
  keyIdEnd,
  readKeyId,
  type SecretCipher,
  secretPlaces,
} from './encryption';
import type { WebhookRecord } from './records/tables';
import type { RotatedSecrets } from './store';

/** Selects the start of each text that may be encrypted, up to the ID of its key. Empty texts were erased. */
export const selectStarts = `
  SELECT substr(secret, 1, ${keyIdEnd}) AS start FROM webhooks WHERE secret <> ''
  UNION SELECT substr(staged_secret, 1, ${keyIdEnd}) FROM webhooks WHERE staged_secret <> ''
  UNION SELECT substr(headers, 1, ${keyIdEnd}) FROM webhooks WHERE headers <> ''
  UNION SELECT substr(response, 1, ${keyIdEnd}) FROM idempotency_keys
    WHERE webhook_id IS NOT NULL AND response <> ''`;

/** Returns the IDs of the keys in use, by the rows of `selectStarts`; null for plain text. */
export function toKeyIds(rows: readonly { start: string }[]): (string | null)[] {
  return [...new Set(rows.map(({ start }) => readKeyId(start)))];
}

/**
 * Checks that all secrets can be decrypted, as far as their keys show.
 *
 * @param name What the message calls the database.
 * @throws StoreUnavailableError if a key is missing. The message names it.
 */
export function requireKeys(
  secrets: SecretCipher,
  keyIds: readonly (string | null)[],
  name: string,
): void {
  const missing = keyIds.filter((id): id is string => id !== null && !secrets.hasKey(id));
  if (missing.length === 0) return;
  throw new StoreUnavailableError(
    `The database ${name} has secrets that are ${describeMissingKeys(missing)}`,
  );
}

/** A webhook, and the stored responses that show it. */
export interface WebhookSecrets
  extends Pick<WebhookRecord, 'id' | 'secret' | 'stagedSecret' | 'headers'> {
  responses: readonly (IdempotencyKey & { response: string })[];
}

/** A column of webhooks with a secret. */
export type SecretColumn = 'secret' | 'staged_secret' | 'headers';

/** Writes what was encrypted again. */
export interface SecretWriter {
  writeSecret(webhookId: string, column: SecretColumn, encrypted: string): void;
  writeResponse(key: IdempotencyKey, encrypted: string): void;
}

/** Encrypts the secrets of some webhooks with the first key, those that are not yet. */
export function rotateSecrets(
  secrets: SecretCipher,
  webhooks: readonly WebhookSecrets[],
  limit: number,
  writer: SecretWriter,
): RotatedSecrets {
  const unreadable = new Set<string>();
  let rotated = 0;
  for (const { id, secret, stagedSecret, headers, responses } of webhooks) {
    const rotate = (place: string, stored: string, write: (encrypted: string) => void) => {
      if (stored === '' || readKeyId(stored) === secrets.keyId) return;
      try {
        write(secrets.encrypt(place, secrets.decrypt(place, stored)));
        rotated += 1;
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error;
        unreadable.add(id);
      }
    };
    rotate(secretPlaces.current(id), secret, (encrypted) =>
      writer.writeSecret(id, 'secret', encrypted),
    );
    rotate(secretPlaces.staged(id), stagedSecret ?? '', (encrypted) =>
      writer.writeSecret(id, 'staged_secret', encrypted),
    );
    rotate(secretPlaces.headers(id), headers, (encrypted) =>
      writer.writeSecret(id, 'headers', encrypted),
    );
    for (const { response, ...key } of responses) {
      rotate(secretPlaces.response(key, id), response, (encrypted) =>
        writer.writeResponse(key, encrypted),
      );
    }
  }
  const next = webhooks.length === limit ? (webhooks.at(-1)?.id ?? null) : null;
  return { rotated, unreadable: [...unreadable], next };
}
