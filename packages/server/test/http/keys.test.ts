import type { ApiKey, CreatedApiKey, Page } from '@tradepost/contract';
import { noon } from '@tradepost/domain/test/builders';
import { FakeClock } from '@tradepost/domain/test/fake-clock';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../helpers/temp-folder';
import { type Actor, getData, getProblem, type Service, startService } from './service';

const hour = 3_600_000;
const now = noon + 1_000;

let file: string;
let service: Service;
let buyer: Actor & { keyId: string };

beforeEach(async () => {
  file = tempFile();
  const clock = new FakeClock();
  service = await startService({ clock, store: openSqliteStore(file) });
  buyer = await service.account('buyer');
  // Keys that others create are newer.
  await clock.advance(1_000);
});
afterEach(() => service.close());

const post = (as: Actor | string, body: unknown = {}, headers: Record<string, string> = {}) =>
  service.request('POST /v1/keys', { as, body, headers });

async function create(as: Actor | string, body: unknown = {}): Promise<CreatedApiKey> {
  const got = await post(as, body);
  expect(got.status, got.text).toBe(201);
  return getData<CreatedApiKey>(got);
}

async function list(as: Actor | string): Promise<ApiKey[]> {
  const got = await service.request('GET /v1/keys', { as });
  expect(got.headers.get('cache-control')).toBe('no-store');
  return (JSON.parse(got.text) as Page<ApiKey>).data;
}

const revoke = (as: Actor | string, id: string) => service.request(`DELETE /v1/keys/${id}`, { as });

const statusOf = async (as: string) => (await service.request('GET /v1/account', { as })).status;

describe('POST /v1/keys', () => {
  it('creates a key that works, and that only this response shows', async () => {
    const { key, ...shown } = await create(buyer, { name: 'export “7” — 港', expiresIn: 3_600 });
    expect(key).toMatch(/^tpk_[0-9A-Za-z]{38}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'export “7” — 港',
      kind: 'key',
      prefix: `${key.slice(0, 8)}…`,
      readOnly: false,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + hour).toISOString(),
      revokedAt: null,
      lastUsedAt: null,
      createdBy: buyer.keyId,
      current: false,
    });
    expect(await list(key)).toEqual([
      { ...shown, current: true },
      expect.objectContaining({ id: buyer.keyId, name: null, createdBy: null, current: false }),
    ]);
  });

  it('never creates more rights than those of the key of the request', async () => {
    const { key: reader } = await create(buyer, { readOnly: true });
    expect(getProblem(await post(reader))).toMatchObject({
      status: 403,
      code: 'read_only_api_key',
    });
    const { key: short } = await create(buyer, { expiresIn: 3_600 });
    expect(await create(short)).toMatchObject({ expiresAt: new Date(now + hour).toISOString() });
    await create(short, { expiresIn: 3_600 });
    const longer = getProblem(await post(short, { expiresIn: 3_601 }));
    expect(longer).toMatchObject({
      status: 422,
      code: 'validation_failed',
      errors: [{ path: 'expiresIn' }],
    });
    expect(longer.detail).toContain(new Date(now + hour).toISOString());
  });

  it('creates one key for an idempotency key, and shows it again only to the key that asked', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await post(buyer, { name: 'one' }, headers);
    const again = await post(buyer, { name: 'one' }, headers);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { key } = getData<CreatedApiKey>(first);
    const other = await post(key, { name: 'one' }, headers);
    expect(getProblem(other).code).toBe('idempotency_key_reused');
    expect(other.text).not.toContain(key);
    expect(await list(buyer)).toHaveLength(2);
    const database = new Database(file, { readonly: true });
    const stored = database.prepare<[], string>('SELECT response FROM idempotency_keys').pluck();
    const [response = ''] = stored.all();
    database.close();
    expect(response).toContain(getData<CreatedApiKey>(first).id);
    expect(response).not.toContain(key);
  });

  it('rejects a key beyond the limit, which revoked keys do not count towards', async () => {
    const { id } = await create(buyer);
    for (let count = 2; count < 100; count += 1) await create(buyer);
    expect(getProblem(await post(buyer))).toMatchObject({ status: 409, code: 'key_limit_reached' });
    await revoke(buyer, id);
    await create(buyer);
  });
});

describe('DELETE /v1/keys/{id}', () => {
  it('revokes a key at once and permanently, and may be repeated', async () => {
    const { id, key } = await create(buyer);
    expect(await statusOf(key)).toBe(200);
    expect(await revoke(buyer, id)).toMatchObject({ status: 204, text: '' });
    expect(await statusOf(key)).toBe(401);
    expect((await revoke(buyer, id)).status).toBe(204);
    const [shown] = await list(buyer);
    expect(shown).toMatchObject({ id, revokedAt: new Date(now).toISOString() });
  });

  it('revokes the key of the request, also a read-only one, which revokes no other', async () => {
    const { id, key } = await create(buyer, { readOnly: true });
    const other = getProblem(await revoke(key, buyer.keyId));
    expect(other).toMatchObject({ status: 403, code: 'read_only_api_key' });
    expect((await revoke(key, id)).status).toBe(204);
    expect(await statusOf(key)).toBe(401);
    expect((await revoke(buyer, buyer.keyId)).status).toBe(204);
    expect(await statusOf(buyer.key)).toBe(401);
  });

  it('is a 404 for the key of another account, as for one that does not exist', async () => {
    const seller = await service.account('seller');
    for (const id of [seller.keyId, 'key_unknown', '%', seller.key]) {
      const got = getProblem(await revoke(buyer, encodeURIComponent(id)));
      expect(got).toMatchObject({ status: 404, code: 'key_not_found' });
      expect(got.detail).not.toContain(seller.key);
    }
    expect(await statusOf(seller.key)).toBe(200);
  });

  it('leaves the keys that the key created', async () => {
    const { id, key } = await create(buyer);
    const { key: child } = await create(key);
    await revoke(buyer, id);
    expect(await statusOf(child)).toBe(200);
  });
});

it('GET /v1/keys has pages, newest first', async () => {
  const { id } = await create(buyer);
  const first = await service.request('GET /v1/keys?limit=1', { as: buyer });
  const { data, nextCursor } = JSON.parse(first.text) as Page<ApiKey>;
  expect(data.map((key) => key.id)).toEqual([id]);
  const second = await service.request(`GET /v1/keys?limit=1&cursor=${nextCursor}`, { as: buyer });
  expect(JSON.parse(second.text)).toMatchObject({ data: [{ id: buyer.keyId }], nextCursor: null });
});
