import { maxSessionsPerKey } from '@tradepost/contract';
import type { ApiKeyOwner, Caller } from '@tradepost/domain/accounts/account';
import { createSession, createSignInCode, maxOpenCodes } from '@tradepost/domain/accounts/sign-in';
import { aContext, noon } from '@tradepost/domain/test/builders';
import { describe, expect, test } from 'vitest';
import { tokens } from '../../../src/kernel/api-key';
import type { Store } from '../../../src/stores/store';
import { addCaller } from './created-keys';
import type { StoreUnderTest } from './store-under-test';

const minute = 60_000;
const day = 86_400_000;

async function addCode({ signIns }: Store, caller: Caller, now = noon): Promise<string> {
  const code = tokens.create('tpc');
  await signIns.addCode(createSignInCode(caller, code, tokens, aContext(now)));
  return code;
}

function exchange({ signIns }: Store, code: string, now = noon): Promise<ApiKeyOwner | null> {
  return signIns.exchangeCode(tokens.hash(code), now, (maker) =>
    createSession(maker, tokens.create('tpk'), tokens, aContext(now)),
  );
}

async function signIn(store: Store, caller: Caller, now = noon) {
  const session = await exchange(store, await addCode(store, caller, now), now);
  if (session === null) throw new Error('the code is valid');
  return session.key;
}

/** Sign-in codes and the sessions that they are exchanged for. */
export function describeSignIns(underTest: StoreUnderTest): void {
  describe('sign-in codes and sessions', () => {
    test('a code gets a session with the rights of its key, as the store finds it then', async () => {
      const store = underTest.current;
      const caller = await addCaller(store, { readOnly: true });
      const session = await exchange(store, await addCode(store, caller));
      expect(session?.key).toMatchObject({
        isSession: true,
        readOnly: true,
        parentId: caller.keyId,
        expiresAt: noon + 12 * 60 * minute,
      });
      expect(session?.account).toEqual(await store.accounts.findAccount(caller.accountId));
      const { hash } = session?.key ?? { hash: '' };
      expect(await store.accounts.findKeyByHash(hash)).toEqual({
        ...session?.key,
        kind: caller.kind,
        suspendedAt: null,
        requestsPerMinute: null,
      });
    });

    test('of many who use a code at once, one gets a session', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      const code = await addCode(store, caller);
      const results = await Promise.all([1, 2, 3, 4].map(() => exchange(store, code)));
      expect(results.filter((session) => session !== null)).toHaveLength(1);
      expect(await exchange(store, code)).toBeNull();
      expect(await store.accounts.listKeys(caller.accountId)).toHaveLength(2);
    });

    test('a code is valid for a minute, and not after the end of its key', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      const codes = [await addCode(store, caller), await addCode(store, caller)];
      expect(await exchange(store, codes[0] ?? '', noon + minute)).toBeNull();
      expect(await exchange(store, codes[1] ?? '', noon + minute - 1)).not.toBeNull();
      const short = await addCaller(store, { expiresAt: noon + 10 });
      expect(await exchange(store, await addCode(store, short), noon + 10)).toBeNull();
      const session = await signIn(store, short);
      expect(session.expiresAt).toBe(noon + 10);
    });

    test('nothing but the whole code is exchanged', async () => {
      const store = underTest.current;
      const code = await addCode(store, await addCaller(store));
      for (const other of [`${code} `, code.toUpperCase(), tokens.hash(code), '', '%'])
        expect(await exchange(store, other), other).toBeNull();
      expect(await exchange(store, code)).not.toBeNull();
    });

    test('a code of a revoked key is rejected, and stays unused', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      const code = await addCode(store, caller);
      await store.accounts.revokeKey(caller.keyId, noon);
      await expect(exchange(store, code)).rejects.toMatchObject({ code: 'invalid_sign_in_code' });
      expect(await store.accounts.listKeys(caller.accountId)).toHaveLength(1);
    });

    test('a session is revoked with its key, wherever it is read, and alone without it', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      const [first, second] = [await signIn(store, caller), await signIn(store, caller)];
      await store.accounts.revokeKey(first.id, noon + 1);
      const read = async () => [
        (await store.accounts.findKeyByHash(second.hash))?.revokedAt,
        (await store.accounts.findKeyOwner(second.id))?.key.revokedAt,
        (await store.accounts.listKeys()).find(({ id }) => id === second.id)?.revokedAt,
        (await store.accounts.listKeyPage(caller.accountId, { after: null, limit: 9 })).find(
          ({ id }) => id === second.id,
        )?.revokedAt,
      ];
      expect(await read()).toEqual([null, null, null, null]);
      await store.accounts.revokeKey(caller.keyId, noon + 2);
      expect(await read()).toEqual(Array(4).fill(noon + 2));
      const found = await store.accounts.findKeyByHash(first.hash);
      expect(found?.revokedAt).toBe(noon + 1);
    });

    test('a key that another key created is not revoked with that one', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      const { key } = (await exchange(store, await addCode(store, caller))) as ApiKeyOwner;
      const child = { ...key, id: 'key_child', hash: 'child', isSession: false };
      await store.accounts.addKey(child);
      await store.accounts.revokeKey(caller.keyId, noon);
      expect(await store.accounts.findKeyByHash('child')).toMatchObject({ revokedAt: null });
    });

    test('revoking a session that ended with its key changes nothing', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      const { id } = await signIn(store, caller);
      const ended = await store.accounts.revokeKey(caller.keyId, noon + 1);
      const audit = () => {
        throw new Error('It was not revoked now.');
      };
      const session = await store.accounts.revokeKey(id, noon + 2, audit);
      expect(session).toMatchObject({ id, revokedAt: ended?.revokedAt });
      expect((await store.accounts.findKeyOwner(id))?.key).toEqual(session);
    });

    test('a key keeps its newest codes and sessions', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      const codes: string[] = [];
      for (let count = 0; count <= maxOpenCodes; count += 1)
        codes.push(await addCode(store, caller, noon + count));
      expect(await exchange(store, codes[0] ?? '', noon)).toBeNull();
      expect(await exchange(store, codes[1] ?? '', noon)).not.toBeNull();
      const other = await addCaller(store);
      const sessions = [await signIn(store, other)];
      for (let count = 0; count < maxSessionsPerKey; count += 1)
        sessions.push(await signIn(store, other, noon + count));
      const valid = (await store.accounts.listKeys(other.accountId)).filter(
        ({ isSession, revokedAt }) => isSession && revokedAt === null,
      );
      expect(valid.map(({ id }) => id).sort()).toEqual(
        sessions
          .slice(1)
          .map(({ id }) => id)
          .sort(),
      );
    });

    test('expired codes and sessions are removed, and nothing else', async () => {
      const store = underTest.current;
      const caller = await addCaller(store);
      await signIn(store, caller);
      const kept = await signIn(store, caller, noon + 1);
      const open = await addCode(store, caller, noon + day);
      await addCode(store, caller);
      const times = {
        codesBefore: noon + day,
        sessionsBefore: noon + 12 * 60 * minute,
        limit: 100,
      };
      const { removed } = await store.retention.pruneSignIns(times);
      expect(removed).toBe(2);
      expect((await store.retention.pruneSignIns(times)).removed).toBe(0);
      const left = await store.accounts.listKeys(caller.accountId);
      expect(left.map(({ id }) => id).sort()).toEqual([caller.keyId, kept.id].sort());
      expect(await exchange(store, open, noon + day)).not.toBeNull();
    });
  });
}
