import { expect, test } from 'vitest';
import { createSession, Tradepost } from '../../../src/index';
import { mockTradepost } from '../../../src/testing/index';

test('keys are listed, created and revoked', async () => {
  const { client, clientOptions } = mockTradepost();
  const { key, ...created } = await client.keys.create({ name: 'export', readOnly: true });
  const { data } = await client.keys.list();
  expect(data).toEqual([created, expect.objectContaining({ current: true, createdBy: null })]);
  const reader = new Tradepost({ ...clientOptions('buyer'), apiKey: key });
  expect((await reader.account.get()).key).toMatchObject({ id: created.id, readOnly: true });
  await client.keys.revoke(created.id);
  await expect(reader.account.get()).rejects.toMatchObject({ code: 'invalid_api_key' });
  await expect(client.keys.revoke('key_unknown')).rejects.toMatchObject({ code: 'key_not_found' });
});

test('a code signs in once, within a minute, and the session ends with its key', async () => {
  const { client, clientOptions, advance } = mockTradepost();
  const { baseUrl, fetch } = clientOptions('buyer');
  const { code } = await client.signIn.createCode();
  const { key, account } = await createSession(code, { baseUrl, fetch });
  const session = new Tradepost({ baseUrl, fetch, apiKey: key });
  expect(await session.account.get()).toEqual(account);
  const rejected = { code: 'invalid_sign_in_code', status: 401 };
  await expect(createSession(code, { baseUrl, fetch })).rejects.toMatchObject(rejected);
  const { code: late } = await client.signIn.createCode();
  advance(60_000);
  await expect(createSession(late, { baseUrl, fetch })).rejects.toMatchObject(rejected);
  await client.keys.revoke((await client.account.get()).key.id);
  await expect(session.account.get()).rejects.toMatchObject({ code: 'invalid_api_key' });
});
