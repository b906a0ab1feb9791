import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { key, startAccountService } from '../helpers/account-service';
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
      profiles: { default: { baseUrl: service.baseUrl, apiKey: key } },
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
