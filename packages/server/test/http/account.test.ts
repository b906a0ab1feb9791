import { type Account, accountKinds } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../src/kernel/api-key';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { aKey } from '../helpers/a-key';
import { type Actor, getData, getProblem, type Service, startService } from './service';

let service: Service;

beforeAll(async () => {
  service = await startService({ clock: new FakeClock() });
});
afterAll(() => service.close());

async function getAccount(actor: Actor): Promise<Account> {
  const got = await service.request('GET /v1/account', { as: actor });
  expect(got.status, got.text).toBe(200);
  return getData<Account>(got);
}

describe('GET /v1/account', () => {
  it.each(accountKinds)('returns the account of a key of kind %s', async (kind) => {
    const actor = await service.account(kind);
    expect(await getAccount(actor)).toEqual({
      id: actor.id,
      kind,
      name: kind,
      createdAt: new Date(noon).toISOString(),
      key: {
        id: actor.keyId,
        prefix: `${actor.key.slice(0, 8)}…`,
        readOnly: false,
        expiresAt: null,
      },
    });
  });

  it('returns whether a key is read-only, and when it expires', async () => {
    const reader = await service.account('seller', { readOnly: true, expiresAt: noon + 60_000 });
    expect((await getAccount(reader)).key).toMatchObject({
      id: reader.keyId,
      readOnly: true,
      expiresAt: new Date(noon + 60_000).toISOString(),
    });
  });

  it('returns the key of the request and not another one of the account', async () => {
    const first = await service.account('agent');
    const { record, apiKey } = aKey({ accountId: first.id, readOnly: true });
    await service.store.accounts.addKey(record);
    const ofSecond = await getAccount({ id: first.id, key: apiKey });
    expect(ofSecond.id).toBe(first.id);
    expect(ofSecond.key).toMatchObject({ id: record.id, readOnly: true });
    expect((await getAccount(first)).key).toMatchObject({ id: first.keyId, readOnly: false });
  });

  it('never returns the key or its hash', async () => {
    const actor = await service.account('buyer');
    const { text } = await service.request('GET /v1/account', { as: actor });
    expect(text).not.toContain(actor.key);
    expect(text).not.toContain(actor.key.slice(8));
    expect(text).not.toContain(hashApiKey(actor.key));
  });

  it('requires a valid key', async () => {
    expect(getProblem(await service.request('GET /v1/account')).code).toBe('missing_api_key');
    const late = await service.account('buyer', { expiresAt: noon });
    const revoked = await service.account('buyer');
    await service.store.accounts.revokeKey(revoked.keyId, noon);
    for (const as of [late, revoked, 'tpk_unknown']) {
      const got = await service.request('GET /v1/account', { as });
      expect(getProblem(got)).toMatchObject({ status: 401, code: 'invalid_api_key' });
      expect(got.headers.get('www-authenticate')).toContain('invalid_token');
    }
  });

  it('takes no parameters', async () => {
    const as = await service.account('buyer');
    const problem = getProblem(await service.request('GET /v1/account?id=usr_1', { as }));
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
  });

  it('rejects a key that was deleted during the request', async () => {
    const store = openSqliteStore(':memory:');
    const accounts = { ...store.accounts, findKeyOwner: async () => null };
    const losing = await startService({ store: { ...store, accounts } });
    try {
      const as = await losing.account('buyer');
      const got = await losing.request('GET /v1/account', { as });
      expect(getProblem(got)).toMatchObject({ status: 401, code: 'invalid_api_key' });
    } finally {
      await losing.close();
    }
  });
});
