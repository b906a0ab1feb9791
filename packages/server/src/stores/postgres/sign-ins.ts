import { maxSessionsPerKey } from '@tradepost/contract/wire';
import { maxOpenCodes, type SignInStore } from '@tradepost/domain/accounts/sign-in';
import { apiKeys, signInCodes } from '../records/tables';
import { lockKey, selectKeyOwner } from './accounts';
import { insertAudit } from './audit';
import type { PostgresDatabase } from './database';
import { insert } from './write-set';

/** Creates the store of sign-in codes. */
export function createPostgresSignInStore(db: PostgresDatabase): SignInStore {
  return {
    addCode: (code) =>
      db.write(async (tx) => {
        lockKey(tx, code.keyId);
        tx.send(
          `DELETE FROM sign_in_codes WHERE hash IN (
             SELECT hash FROM sign_in_codes WHERE key_id = $1 ORDER BY created_at DESC OFFSET $2)`,
          code.keyId,
          maxOpenCodes - 1,
        );
        insert(tx, signInCodes, [code]);
      }),

    exchangeCode: (hash, now, createSession) =>
      db.write(async (tx) => {
        const code = await tx.row<{ keyId: string }>(
          'DELETE FROM sign_in_codes WHERE hash = $1 AND expires_at > $2 RETURNING key_id AS "keyId"',
          hash,
          now,
        );
        if (code === undefined) return null;
        lockKey(tx, code.keyId);
        const maker = await selectKeyOwner(tx, code.keyId);
        if (maker === null) return null;
        const { session, audit } = createSession(maker);
        insert(tx, apiKeys, [session]);
        insertAudit(tx, audit);
        tx.send(
          `UPDATE api_keys SET revoked_at = $1 WHERE id IN (
             SELECT id FROM api_keys
             WHERE account_id = $2 AND parent_id = $3 AND session AND revoked_at IS NULL
             ORDER BY id DESC OFFSET $4)`,
          now,
          session.accountId,
          session.parentId,
          maxSessionsPerKey,
        );
        return { account: maker.account, key: session };
      }),
  };
}
