import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { account, key, startAccountService } from '../helpers/account-service';
import { loginFolder } from '../helpers/profile-folder';
import { runAtKeyboard } from '../helpers/run-at-keyboard';
import { runCli } from '../helpers/run-cli';

describe('login at a keyboard', () => {
  it('prompts for base URL and key, checks and stores them, and prints the account', async () => {
    const service = await startAccountService();
    const folder = loginFolder();
    const result = await runAtKeyboard(
      ['login', '--output', 'json'],
      [
        ['Service URL', `${service.baseUrl}\r`],
        ['API key', `${key}\r`],
      ],
      folder.env,
    );
    expect(result.exitCode).toBe(0);
    expect(result.isRestored).toBe(true);
    expect(JSON.parse(result.stdout)).toEqual({
      profile: 'default',
      baseUrl: service.baseUrl,
      baseUrlSource: 'profile',
      apiKeyPrefix: 'tpk_3fQx…',
      apiKeySource: 'profile',
      accountId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
      accountKind: 'seller',
      accountName: 'Harbour Street\u001b[2J Café',
      readOnly: false,
      expiresAt: null,
    });
    expect(result.stderr).toContain(
      `Logged in to ${service.baseUrl} as Harbour Street\\u001b[2J Café (seller).`,
    );
    expect(result.stderr).toContain(`Saved as profile 'default', now the current one.`);
    expect(folder.stored()).toEqual({
      current: 'default',
      profiles: { default: { baseUrl: service.baseUrl, apiKey: key, account } },
    });
    expect(folder.mode()).toBe('600');
  });

  it('shows no part of the key while it is typed, and stores it for later commands', async () => {
    const service = await startAccountService();
    const folder = loginFolder();
    const { exitCode, stdout, stderr } = await runAtKeyboard(
      ['login', '--profile', 'staging', '--base-url', service.baseUrl],
      [['API key', `${key}\r`]],
      folder.env,
    );
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`Service: ${service.baseUrl}\n`);
    expect(stderr).not.toContain('3fQ');
    expect(stdout).not.toContain('3fQxA');
    const { stdout: who } = await runCli(['whoami', '--fields', 'profile'], { env: folder.env });
    expect(who).toBe('profile  staging\n');
  });

  it('prompts again after an invalid base URL or key', async () => {
    const service = await startAccountService();
    const { exitCode } = await runAtKeyboard(
      ['login'],
      [
        ['Service URL', 'trade.example\r'],
        ['Enter a full URL', `\u0015${service.baseUrl}\r`],
        ['API key', 'tpk with spaces\r'],
        ['without spaces', `\u0015${key}\r`],
      ],
      loginFolder().env,
    );
    expect(exitCode).toBe(0);
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
    ['a keyboard that goes away', 'end'],
  ])('ends with 130 and stores nothing after %s', async (_, types) => {
    const service = await startAccountService();
    const folder = loginFolder();
    for (const first of [[], [['Service URL', `${service.baseUrl}\r`]]] as const) {
      const typing = [...first, [first.length > 0 ? 'API key' : 'Service URL', types]] as const;
      const result = await runAtKeyboard(['login'], typing, folder.env);
      expect(result).toMatchObject({ exitCode: 130, stdout: '', isRestored: true });
      expect(result.stderr).toContain('error: Interrupted. Nothing changed.\n');
    }
    expect(existsSync(folder.file)).toBe(false);
    expect(service.seen).toEqual([]);
  });

  it('ends with 130 when it was interrupted before its first prompt', async () => {
    const result = await runAtKeyboard(['login'], [], loginFolder().env, {
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ exitCode: 130, isRestored: true });
  });

  it('prompts on one line if the terminal reports no width', async () => {
    const argv = ['login', '--base-url', 'https://trade.example'];
    const { stderr } = await runAtKeyboard(argv, [['API key', '\u0003']], loginFolder().env, {
      columns: 0,
    });
    expect(stderr).toContain('API key (hidden)\n');
  });

  it('warns before the key is typed if the connection is not encrypted', async () => {
    const warned = await runAtKeyboard(
      ['login', '--base-url', 'http://trade.example'],
      [['API key', '\u0003']],
      loginFolder().env,
    );
    expect(warned.stderr).toMatch(/Warning: http is not encrypted.*API key/s);
    for (const baseUrl of ['https://trade.example', 'http://localhost:1', 'http://[::1]:1']) {
      const { stderr } = await runAtKeyboard(
        ['login', '--base-url', baseUrl],
        [['API key', '\u0003']],
        loginFolder().env,
      );
      expect(stderr).not.toContain('Warning');
    }
  });
});

const former = {
  baseUrl: 'https://trade.example',
  apiKey: 'tpk_9zYxW8vUtSrQpOnMlKjIhGfE',
  account: { id: 'usr_9', kind: 'buyer', name: 'Quay\u001b[2J Buyers' },
};

describe('login into a profile that exists', () => {
  it.each([
    ['y', 0],
    ['n', 1],
    ['\u0003', 130],
  ])('names both accounts and asks before it replaces one: %j', async (types, exitCode) => {
    const service = await startAccountService();
    const folder = loginFolder({ default: former }, 'default');
    const argv = ['login', '--base-url', service.baseUrl];
    const question = `Replace profile 'default', Quay\\u001b[2J Buyers (buyer) at https://trade.example, with Harbour Street\\u001b[2J Café (seller) at ${service.baseUrl}?`;
    const result = await runAtKeyboard(
      argv,
      [
        ['API key', `${key}\r`],
        [question, types],
      ],
      folder.env,
      { columns: 300 },
    );
    expect(result).toMatchObject({ exitCode, isRestored: true });
    const { apiKey } = folder.stored().profiles.default ?? {};
    expect(apiKey).toBe(exitCode === 0 ? key : former.apiKey);
    if (exitCode === 1) expect(result.stderr).toContain('Cancelled. Nothing changed.');
  });

  it('replaces a key of the same account without a question', async () => {
    const service = await startAccountService();
    const { baseUrl } = service;
    const folder = loginFolder({ default: { ...former, baseUrl, account } });
    const argv = ['login', '--base-url', baseUrl];
    const result = await runAtKeyboard(argv, [['API key', `${key}\r`]], folder.env);
    expect(result.exitCode).toBe(0);
    expect(result.stderr).not.toMatch(/Replace|Replacing/);
    expect(folder.stored().profiles.default?.apiKey).toBe(key);
  });

  it('replaces an account that was never reported after a notice', async () => {
    const service = await startAccountService();
    const { baseUrl } = service;
    const { account: _, ...unknown } = former;
    const folder = loginFolder({ default: { ...unknown, baseUrl } });
    const argv = ['login', '--base-url', baseUrl];
    const result = await runAtKeyboard(argv, [['API key', `${key}\r`]], folder.env);
    expect(result.exitCode).toBe(0);
    expect(result.stderr).toContain(
      `Replacing profile 'default', which was an unknown account at ${baseUrl}.\n`,
    );
  });
});

describe('login into another profile than the current one', () => {
  it.each([
    ['names the former profile', { live: former }, 'live', " (was 'live')"],
    ['names the former default profile', { default: former }, null, " (was 'default')"],
    ['names none if there was none', {}, null, ''],
    ['names none if the current one was deleted', { live: former }, 'gone', ''],
    ['names none if it stays the current one', { mine: { ...former, apiKey: key } }, 'mine', ''],
  ])('%s', async (_, profiles, current, was) => {
    const service = await startAccountService();
    const folder = loginFolder(profiles, current);
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl, '--profile', 'mine'];
    const { exitCode, stderr } = await runCli(argv, { env: folder.env, input: key });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`Saved as profile 'mine', now the current one${was}.\n`);
  });
});
