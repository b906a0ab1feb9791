import { createSession, Tradepost } from '@tradepost/sdk';
import { expect, it } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { runCli } from '../../helpers/run-cli';
import { startSeededServer } from '../../helpers/start-seeded-server';

it('the link of open signs in once, with the rights of its key, until that is revoked', async () => {
  const seeded = await forTest(startSeededServer());
  const env = seeded.createEnvironment(seeded.buyer);
  const created = await runCli(['keys', 'create', '--read-only', '--json'], env);
  const { id, key: apiKey } = JSON.parse(created.stdout) as { id: string; key: string };
  const { stdout } = await runCli(['open'], { ...env, TRADEPOST_API_KEY: apiKey });
  const link = new URL(stdout.trim());
  expect(`${link.origin}${link.pathname}${link.search}`).toBe(
    `${seeded.server.url}/console/sign-in`,
  );
  const code = link.hash.slice(1);
  const { url: baseUrl } = seeded.server;
  const { key, account } = await createSession(code, { baseUrl });
  expect(account).toMatchObject({ id: seeded.buyer.id, key: { readOnly: true } });
  await expect(createSession(code, { baseUrl })).rejects.toMatchObject({
    code: 'invalid_sign_in_code',
  });
  const session = new Tradepost({ baseUrl, apiKey: key });
  expect(await session.account.get()).toEqual(account);
  const { stdout: listed } = await runCli(['keys', 'list', '--json'], env);
  expect(JSON.parse(listed)).toMatchObject([
    { id: account.key.id, kind: 'session', createdBy: id },
    { id },
    { current: true },
  ]);
  expect((await runCli(['keys', 'revoke', id, '--yes'], env)).code).toBe(0);
  await expect(session.account.get()).rejects.toMatchObject({ code: 'invalid_api_key' });
});
