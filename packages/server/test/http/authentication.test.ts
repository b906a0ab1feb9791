import { noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../helpers/temp-folder';
import { type Actor, getProblem, type Service, startService } from './service';

let service: Service;
let buyer: Actor & { keyId: string };

beforeAll(async () => {
  service = await startService();
  buyer = await service.account('buyer');
});
afterAll(() => service.close());

describe('authentication', () => {
  it('rejects a request without a key', async () => {
    const got = await service.request('GET /v1/orders');
    expect(getProblem(got)).toMatchObject({ status: 401, code: 'missing_api_key' });
    expect(got.headers.get('www-authenticate')).toBe('Bearer realm="tradepost"');
  });

  it.each([
    ['is unknown', 'tpk_0000000000000000000000000000000000000000'],
    ['is nothing like a key', 'hunter2'],
  ])('rejects a key that %s', async (_why, key) => {
    const got = await service.request('GET /v1/orders', { as: key });
    expect(getProblem(got)).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(got.headers.get('www-authenticate')).toContain('invalid_token');
  });

  it('rejects schemes other than Bearer', async () => {
    const headers = { Authorization: `Basic ${buyer.key}` };
    expect(getProblem(await service.request('GET /v1/orders', { headers })).code).toBe(
      'invalid_api_key',
    );
  });

  it('reports that an expired key has expired', async () => {
    const late = await service.account('buyer', { expiresAt: Date.now() - 1000 });
    const problem = getProblem(await service.request('GET /v1/orders', { as: late }));
    expect(problem).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(problem.detail).toContain('expired');
  });

  it('rejects a revoked key at once', async () => {
    const actor = await service.account('buyer');
    expect((await service.request('GET /v1/orders', { as: actor })).status).toBe(200);
    await service.store.accounts.revokeKey(actor.keyId, Date.now());
    const problem = getProblem(await service.request('GET /v1/orders', { as: actor }));
    expect(problem.detail).toContain('revoked');
  });

  it('allows a read-only key only to read', async () => {
    const reader = await service.account('buyer', { readOnly: true });
    expect((await service.request('GET /v1/orders', { as: reader })).status).toBe(200);
    const body = { listingId: 'lst_1', quantity: 1 };
    const problem = getProblem(await service.request('POST /v1/orders', { as: reader, body }));
    expect(problem).toMatchObject({ status: 403, code: 'read_only_api_key' });
  });

  it('records the last use of a valid key, at the latest when the server stops', async () => {
    const file = tempFile();
    const clock = new FakeClock(noon + 59_999);
    const own = await startService({ store: openSqliteStore(file), clock });
    const used = await own.account('buyer');
    const unused = await own.account('buyer');
    const expired = await own.account('buyer', { expiresAt: noon });
    for (const as of [used, expired]) await own.request('GET /v1/orders', { as });
    await own.close();

    const store = openSqliteStore(file);
    const keys = await store.accounts.listKeys();
    await store.close();
    const lastUse = Object.fromEntries(keys.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    expect(lastUse).toEqual({
      [used.keyId]: noon,
      [unused.keyId]: null,
      [expired.keyId]: null,
    });
  });

  it('never shows the key that it rejects', async () => {
    const got = await service.request('GET /v1/orders', { as: 'tpk_secretlookingthing' });
    expect(got.text).not.toContain('secretlookingthing');
  });
});
