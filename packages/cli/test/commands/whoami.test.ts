import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aProblem, BareService, type StubResponse } from '../helpers/minimal-service';
import { loginFolder } from '../helpers/profile-folder';
import { runCli } from '../helpers/run-cli';

const apiKey = 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6';

function anAccount(fields: Record<string, unknown> = {}): StubResponse {
  const data = {
    id: 'usr_1',
    kind: 'agent',
    name: 'Quay & Co',
    createdAt: '2026-11-21T09:30:00.000Z',
    key: { id: 'key_1', hint: 'tpk_3fQx…', readOnly: true, expiresAt: '2027-01-01T00:00:00.000Z' },
    ...fields,
  };
  return { status: 200, body: { data } };
}

describe('whoami', () => {
  it('prints service, account, and where both settings come from', async () => {
    const service = await BareService.start();
    service.instead = () => anAccount();
    const { exitCode, stdout, stderr } = await service.cli(['whoami'], {
      env: { TRADEPOST_API_KEY: apiKey },
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'profile        -',
        `baseUrl        ${service.baseUrl}`,
        'baseUrlSource  environment',
        'apiKeyPrefix   tpk_3fQx…',
        'apiKeySource   environment',
        'accountId      usr_1',
        'accountKind    agent',
        'accountName    Quay & Co',
        'readOnly       true',
        'expiresAt      2027-01-01T00:00:00.000Z',
        '',
      ].join('\n'),
    );
  });

  it('prints the profile', async () => {
    const service = await BareService.start();
    service.instead = () => anAccount();
    const { env } = loginFolder({ staging: { baseUrl: service.baseUrl, apiKey } });
    const argv = [
      'whoami',
      '--profile',
      'staging',
      '--jq',
      '[.profile, .apiKeySource] | join(" ")',
    ];
    expect((await runCli(argv, { env })).stdout).toBe('staging profile\n');
  });

  it('saves the account of a profile, for the list of profiles', async () => {
    const service = await BareService.start();
    service.instead = () => anAccount();
    const other = { baseUrl: service.baseUrl, apiKey: 'tpk_9zYxW8vUtSrQpOnMlKjIhGfE' };
    const folder = loginFolder({ other, staging: { baseUrl: service.baseUrl, apiKey } }, 'other');
    const account = { id: 'usr_1', kind: 'agent', name: 'Quay & Co' };
    const argv = ['whoami', '--profile', 'staging'];
    expect((await runCli(argv, { env: folder.env })).exitCode).toBe(0);
    const profiles = { other, staging: { baseUrl: service.baseUrl, apiKey, account } };
    expect(folder.stored()).toEqual({ current: 'other', profiles });

    service.instead = () => anAccount({ name: 'Quay & Daughters' });
    await runCli(argv, { env: folder.env });
    expect(folder.stored().profiles.staging?.account?.name).toBe('Quay & Daughters');
  });

  it('saves no account of a key that is not from the profile', async () => {
    const service = await BareService.start();
    service.instead = () => anAccount();
    const folder = loginFolder({ default: { baseUrl: service.baseUrl, apiKey } });
    const env = { ...folder.env, TRADEPOST_API_KEY: 'tpk_of_the_environment' };
    expect((await runCli(['whoami'], { env })).exitCode).toBe(0);
    expect(folder.stored().profiles.default).not.toHaveProperty('account');
  });

  it('succeeds where the account cannot be saved', async () => {
    const service = await BareService.start();
    service.instead = () => anAccount();
    const folder = loginFolder({ default: { baseUrl: service.baseUrl, apiKey } });
    // Where a file has to be created there is a folder.
    mkdirSync(`${folder.file}.lock`);
    const { exitCode, stderr } = await runCli(['whoami'], { env: folder.env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(folder.stored().profiles.default).not.toHaveProperty('account');
  });

  it('checks the key with the list of orders without an account endpoint, and notes that', async () => {
    for (const status of [404, 405, 501]) {
      const service = await BareService.start();
      service.instead = ({ path }) =>
        path === '/v1/account' ? { status, body: '<html>' } : undefined;
      const { exitCode, stdout, stderr } = await service.cli(['whoami', '--output', 'json']);
      expect(exitCode).toBe(0);
      expect(stderr).toBe('The key is valid. The service does not report its account.\n');
      expect(JSON.parse(stdout)).toMatchObject({ accountId: null, readOnly: null });
      expect(service.seen.at(-1)).toMatchObject({ path: '/v1/orders', query: {} });
    }
  });

  it('accepts a service that returns the account without details of the key', async () => {
    const service = await BareService.start();
    service.instead = () => anAccount({ key: undefined });
    const { exitCode, stdout } = await service.cli(['whoami', '--output', 'json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ accountId: 'usr_1', readOnly: null });
  });

  it.each([
    ['a rejected key', aProblem(401, 'invalid_api_key'), 4],
    ['a service that is down', aProblem(503, 'unavailable'), 9],
    ['no such service', { status: 404, body: '<html>' }, 2],
  ])('ends with a specific exit code for %s', async (_, reply, exitCode) => {
    const service = await BareService.start();
    service.instead = () => ({ ...reply, headers: { ...reply.headers, 'retry-after': '0' } });
    const result = await service.cli(['whoami']);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain('hint: ');
  });

  it('sends no request when a field or a setting is wrong', async () => {
    const service = await BareService.start();
    expect((await service.cli(['whoami', '--fields', 'key'])).exitCode).toBe(2);
    expect((await service.cli(['whoami', '--profile', 'no-such-profile'])).exitCode).toBe(2);
    expect(service.seen).toEqual([]);
  });
});
