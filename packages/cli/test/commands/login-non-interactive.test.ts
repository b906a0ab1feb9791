import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { account, key, startAccountService } from '../helpers/account-service';
import { BareService } from '../helpers/minimal-service';
import { loginFolder } from '../helpers/profile-folder';
import { runCli } from '../helpers/run-cli';

describe('login without a terminal', () => {
  it('reads the key from stdin', async () => {
    const service = await startAccountService();
    const folder = loginFolder();
    const { exitCode, stdout, stderr } = await runCli(
      ['login', '--key-stdin', '--base-url', service.baseUrl, '--profile', 'ci'],
      { env: folder.env, input: `${key}\n` },
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('apiKeyPrefix   tpk_3fQx…\n');
    expect(stdout + stderr).not.toContain(key);
    const { baseUrl } = service;
    expect(folder.stored().profiles).toEqual({ ci: { baseUrl, apiKey: key, account } });
  });

  it('reads the key of a file in UTF-16, and profiles that an editor saved with a byte order mark', async () => {
    const service = await startAccountService();
    const folder = loginFolder();
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl];
    const input = Buffer.from(`\ufeff${key}\r\n`, 'utf16le');
    expect((await runCli(argv, { env: folder.env, input })).exitCode).toBe(0);
    writeFileSync(folder.file, `\ufeff${readFileSync(folder.file, 'utf8')}`);
    const { stdout } = await runCli(['profiles', 'list', '--jq', '.[].name'], { env: folder.env });
    expect(stdout).toBe('default\n');
  });

  it('exits 2 immediately without --key-stdin, with a hint', async () => {
    const { exitCode, stdout, stderr } = await runCli(
      ['login', '--base-url', 'https://a.example'],
      {
        env: loginFolder().env,
      },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: Cannot prompt for the API key.*\nhint: Pass the key on stdin: .*--key-stdin/,
    );
  });

  it.each([
    ['no base URL', [], key, 2, 'Pass --base-url'],
    ['an empty stdin', ['--base-url', 'https://a.example'], ' \n', 4, 'No API key on stdin'],
    ['two lines', ['--base-url', 'https://a.example'], `${key}\n${key}`, 4, 'the key alone'],
    ['no URL', ['--base-url', 'a.example'], key, 2, 'https://trade.example'],
    ['a name with a slash', ['--profile', '../x'], key, 2, '64 at most'],
    ['an unknown field', ['--fields', 'key'], key, 2, 'Unknown field'],
  ])(
    'exits with a code and a hint for %s, without a request',
    async (_, options, input, code, hint) => {
      const folder = loginFolder();
      const { exitCode, stdout, stderr } = await runCli(['login', '--key-stdin', ...options], {
        env: folder.env,
        input,
      });
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
      expect(stderr).toContain(hint);
      expect(stderr).not.toContain(key);
      expect(existsSync(folder.file)).toBe(false);
    },
  );

  it('does not store a key that the service rejects', async () => {
    const service = await startAccountService();
    const folder = loginFolder({ default: { baseUrl: 'https://a.example', apiKey: 'tpk_before' } });
    const { exitCode, stdout, stderr } = await runCli(
      ['login', '--key-stdin', '--base-url', service.baseUrl],
      { env: folder.env, input: 'tpk_mistyped' },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toContain('rejected this API key (request req_1): Detail of invalid_api_key.');
    expect(stderr).toContain('hint: Nothing was saved.');
    expect(folder.stored().profiles.default?.apiKey).toBe('tpk_before');
  });

  it('says in its own words that a service without problem documents rejects the key', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 401, body: { error: 'Unauthorized' } });
    const { exitCode, stdout, stderr } = await runCli(
      ['login', '--key-stdin', '--base-url', service.baseUrl],
      { env: loginFolder().env, input: key },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toContain(`${service.baseUrl} rejected this API key: GET /v1/account failed`);
    expect(stderr).toContain('or for another service. Check the service URL too.\n');
    expect(stderr).not.toMatch(/apiKey|baseUrl/);
  });

  it('checks the key with the list of orders if the service has no account endpoint', async () => {
    const service = await BareService.start();
    const folder = loginFolder();
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl];
    const { exitCode, stderr } = await runCli(argv, { env: folder.env, input: key });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`Logged in to ${service.baseUrl}.`);
    expect(service.seen.map(({ path }) => path)).toEqual(['/v1/account', '/v1/orders']);
    service.instead = ({ path }) => (path === '/v1/orders' ? { status: 401, body: '' } : undefined);
    expect((await runCli(argv, { env: folder.env, input: key })).exitCode).toBe(4);
  });

  it.each([[{}], [{ id: 'usr_1' }], [{ id: 7, kind: 'buyer' }], [{ id: '', kind: 'buyer' }]])(
    'stores nothing if the service returns %j for the account',
    async (data) => {
      const service = await BareService.start();
      service.instead = ({ path }) =>
        path === '/v1/account' ? { status: 200, body: { data } } : undefined;
      const folder = loginFolder();
      const argv = ['login', '--key-stdin', '--base-url', service.baseUrl, '--output', 'json'];
      const { exitCode, stdout, stderr } = await runCli(argv, { env: folder.env, input: key });
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code).toBe(
        'invalid_response',
      );
      expect(existsSync(folder.file)).toBe(false);
    },
  );

  it('reports which environment variables override the profile', async () => {
    const service = await startAccountService();
    const env = {
      ...loginFolder().env,
      TRADEPOST_API_KEY: 'tpk_of_the_environment',
      TRADEPOST_BASE_URL: 'https://elsewhere.example',
      TRADEPOST_PROFILE: 'other',
    };
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl, '--profile', 'mine'];
    const { exitCode, stderr } = await runCli(argv, { env, input: key });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("TRADEPOST_PROFILE is set: 'other' is used");
    expect(stderr).toContain('TRADEPOST_API_KEY is set and takes precedence');
    expect(stderr).toContain('TRADEPOST_BASE_URL is set to https://elsewhere.example');
  });
});
