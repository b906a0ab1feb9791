import { maxSessionsPerKey } from '@tradepost/contract/wire';
import { maxOpenCodes, type SignInStore } from '../accounts/sign-in';
import { byId, readKey } from './memory-accounts';
import { type MemoryData, requireReference, requireUnused } from './memory-data';

/** Creates the store of sign-in codes. */
export function createMemorySignInStore(data: MemoryData): SignInStore {
  const { accounts, keys, signInCodes } = data;
  return {
    async addCode(code) {
      requireReference(keys, code.keyId);
      requireUnused(signInCodes, code.hash);
      signInCodes.set(code.hash, code);
      const own = [...signInCodes.values()].filter(({ keyId }) => keyId === code.keyId);
      for (const { hash } of own.slice(0, -maxOpenCodes)) signInCodes.delete(hash);
    },

    async exchangeCode(hash, now, createSession) {
      const code = signInCodes.get(hash);
      const key = keys.get(code?.keyId ?? '');
      const account = accounts.get(key?.accountId ?? '');
      if (!code || !key || !account || code.expiresAt <= now) return null;
      const { session, audit } = createSession({ account, key: readKey(data, key) });
      requireUnused(keys, session.id);
      signInCodes.delete(hash);
      keys.set(session.id, session);
      data.addAudit(audit);
      const valid = [...keys.values()].filter(
        ({ isSession, parentId, revokedAt }) =>
          isSession && parentId === key.id && revokedAt === null,
      );
      for (const { id } of valid.sort(byId).slice(maxSessionsPerKey))
        keys.set(id, { ...(keys.get(id) ?? session), revokedAt: now });
      return { account, key: session };
    },
  };
}
