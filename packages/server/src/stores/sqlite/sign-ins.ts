import { maxSessionsPerKey } from '@tradepost/contract/wire';
import { maxOpenCodes, type SignInStore } from '@tradepost/domain/accounts/sign-in';
import { apiKeys, signInCodes } from '../records/tables';
import { selectKeyOwner } from './accounts';
import { insertAudit } from './audit';
import type { SqliteDatabase } from './database';

/** Creates the store of sign-in codes. */
export function createSqliteSignInStore(db: SqliteDatabase): SignInStore {
  return {
    addCode: (code) =>
      db.write(() => {
        db.run(
          `DELETE FROM sign_in_codes WHERE hash IN (
             SELECT hash FROM sign_in_codes WHERE key_id = ?
             ORDER BY created_at DESC LIMIT -1 OFFSET ?)`,
          code.keyId,
          maxOpenCodes - 1,
        );
        db.insert(signInCodes, code);
      }),

    exchangeCode: (hash, now, createSession) =>
      db.write(() => {
        const code = db.get<{ keyId: string }>(
          'DELETE FROM sign_in_codes WHERE hash = ? AND expires_at > ? RETURNING key_id AS keyId',
          hash,
          now,
        );
        const maker = code === undefined ? null : selectKeyOwner(db, code.keyId);
        if (maker === null) return null;
        const { session, audit } = createSession(maker);
        db.insert(apiKeys, session);
        insertAudit(db, audit);
        db.run(
          `UPDATE api_keys SET revoked_at = ? WHERE id IN (
             SELECT id FROM api_keys
             WHERE account_id = ? AND parent_id = ? AND session = 1 AND revoked_at IS NULL
             ORDER BY id DESC LIMIT -1 OFFSET ?)`,
          now,
          session.accountId,
          session.parentId,
          maxSessionsPerKey,
        );
        return { account: maker.account, key: session };
      }),
  };
}
