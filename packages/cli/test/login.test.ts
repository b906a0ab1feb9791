import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Answer, aProblem, BareService, type SeenRequest } from './setting/bare-service';
import { loginFolder } from './setting/login-folder';
import { runAtKeyboard } from './setting/run-at-keyboard';
import { runCli } from './setting/run-cli';

const key = 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6dE8gH5jK';

/** A service that tells whose key it is. */
function tellsAccount({ path, headers }: SeenRequest): Answer | undefined {
  if (headers.authorization !== `Bearer ${key}`) return aProblem(401, 'invalid_api_key');
  if (path !== '/v1/account') return undefined;
  const data = {
    id: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
    kind: 'seller',
    name: 'Harbour Street\u001b[2J Café',
    createdAt: '2026-11-21T09:30:00.000Z',
    key: { id: 'key_1', hint: 'tpk_3fQx…', readOnly: false, expiresAt: null },
  };
  return { status: 200, body: { data } };
}

async function startService(): Promise<BareService> {
  const service = await BareService.start();
  service.instead = tellsAccount;
  return service;
}

describe('login at a keyboard', () => {
  it('asks for base URL and key, checks the key, stores both, and says who is logged in', async () => {
    const service = await startService();
    const folder = loginFolder();
    const result = await runAtKeyboard(
      ['login', '--output', 'json'],
      [
        ['Base URL of the service', `${service.baseUrl}\r`],
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
      apiKeyHint: 'tpk_3fQx…',
      apiKeySource: 'profile',
      accountId: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
      accountKind: 'seller',
      accountName: 'Harbour Street\u001b[2J Café',
      readOnly: false,
      expiresAt: null,
    });
    expect(result.stderr).toContain(
      `Logged in to ${service.baseUrl}: as Harbour Street\\u001b[2J Café (seller).`,
    );
    expect(result.stderr).toContain(`The login 'default' is stored in ${folder.file}.`);
    expect(folder.stored()).toEqual({
      current: 'default',
      profiles: { default: { baseUrl: service.baseUrl, apiKey: key } },
    });
    expect(folder.mode()).toBe('600');
  });

  it('shows no part of the key while it is typed, and whoever logs in later finds it', async () => {
    const service = await startService();
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

  it('asks again for what cannot be a base URL or a key', async () => {
    const service = await startService();
    const { exitCode } = await runAtKeyboard(
      ['login'],
      [
        ['Base URL of the service', 'trade.example\r'],
        ['must be an absolute http or https URL', `\u0015${service.baseUrl}\r`],
        ['API key', 'tpk with spaces\r'],
        ['no spaces', `\u0015${key}\r`],
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
    const service = await startService();
    const folder = loginFolder();
    for (const first of [[], [['Base URL', `${service.baseUrl}\r`]]] as const) {
      const typing = [...first, [first.length > 0 ? 'API key' : 'Base URL', types]] as const;
      const result = await runAtKeyboard(['login'], typing, folder.env);
      expect(result).toMatchObject({ exitCode: 130, stdout: '', isRestored: true });
      expect(result.stderr).toContain('error: interrupted: nothing was done\n');
    }
    expect(existsSync(folder.file)).toBe(false);
    expect(service.seen).toEqual([]);
  });

  it('ends with 130 when it was interrupted before it could ask', async () => {
    const result = await runAtKeyboard(['login'], [], loginFolder().env, {
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ exitCode: 130, isRestored: true });
  });

  it('asks on one line where the terminal does not know how wide it is', async () => {
    const argv = ['login', '--base-url', 'https://trade.example'];
    const { stderr } = await runAtKeyboard(argv, [['API key', '\u0003']], loginFolder().env, {
      columns: 0,
    });
    expect(stderr).toContain('API key (it is not shown)\n');
  });

  it('warns before the key is typed when others on the way could read it', async () => {
    const warned = await runAtKeyboard(
      ['login', '--base-url', 'http://trade.example'],
      [['API key', '\u0003']],
      loginFolder().env,
    );
    expect(warned.stderr).toMatch(/Warning: it is http, not https.*API key/s);
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

describe('login where nobody can be asked', () => {
  it('reads the key from stdin', async () => {
    const service = await startService();
    const folder = loginFolder();
    const { exitCode, stdout, stderr } = await runCli(
      ['login', '--key-stdin', '--base-url', service.baseUrl, '--profile', 'ci'],
      { env: folder.env, input: `${key}\n` },
    );
    expect(exitCode).toBe(0);
    expect(stdout).toContain('apiKeyHint     tpk_3fQx…\n');
    expect(stdout + stderr).not.toContain(key);
    expect(folder.stored().profiles).toEqual({ ci: { baseUrl: service.baseUrl, apiKey: key } });
  });

  it('exits 2 at once without --key-stdin, and says how', async () => {
    const { exitCode, stdout, stderr } = await runCli(
      ['login', '--base-url', 'https://a.example'],
      {
        env: loginFolder().env,
      },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^error: nobody can be asked.*\nhint: Pass the key on stdin: .*--key-stdin/,
    );
  });

  it.each([
    ['no base URL', [], key, 2, 'Pass --base-url'],
    ['an empty stdin', ['--base-url', 'https://a.example'], ' \n', 4, 'stdin has no API key'],
    ['two lines', ['--base-url', 'https://a.example'], `${key}\n${key}`, 4, 'the key alone'],
    ['no URL', ['--base-url', 'a.example'], key, 2, 'https://trade.example'],
    ['a name with a slash', ['--profile', '../x'], key, 2, 'A name has up to 64 letters'],
    ['a field there is not', ['--fields', 'key'], key, 2, 'is no field'],
  ])(
    'exits with a code and a hint for %s, and asks nobody',
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

  it('does not store a key that the service refuses', async () => {
    const service = await startService();
    const folder = loginFolder({ default: { baseUrl: 'https://a.example', apiKey: 'tpk_before' } });
    const { exitCode, stdout, stderr } = await runCli(
      ['login', '--key-stdin', '--base-url', service.baseUrl],
      { env: folder.env, input: 'tpk_mistyped' },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toContain('refuses the key (request req_1): Detail of invalid_api_key.');
    expect(stderr).toContain('hint: Nothing was stored.');
    expect(folder.stored().profiles.default?.apiKey).toBe('tpk_before');
  });

  it('checks the key by the orders where the service does not tell whose it is', async () => {
    const service = await BareService.start();
    const folder = loginFolder();
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl];
    const { exitCode, stderr } = await runCli(argv, { env: folder.env, input: key });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`Logged in to ${service.baseUrl}: the service does not tell as whom.`);
    expect(service.seen.map(({ path }) => path)).toEqual(['/v1/account', '/v1/orders']);
    service.instead = ({ path }) => (path === '/v1/orders' ? { status: 401, body: '' } : undefined);
    expect((await runCli(argv, { env: folder.env, input: key })).exitCode).toBe(4);
  });

  it.each([[{}], [{ id: 'usr_1' }], [{ id: 7, kind: 'buyer' }], [{ id: '', kind: 'buyer' }]])(
    'stores nothing where the service answers %j for the account',
    async (data) => {
      const service = await BareService.start();
      service.instead = ({ path }) =>
        path === '/v1/account' ? { status: 200, body: { data } } : undefined;
      const folder = loginFolder();
      const argv = ['login', '--key-stdin', '--base-url', service.baseUrl, '--output', 'json'];
      const { exitCode, stdout, stderr } = await runCli(argv, { env: folder.env, input: key });
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code).toBe('wrong_answer');
      expect(existsSync(folder.file)).toBe(false);
    },
  );

  it('says what of the environment goes before the login', async () => {
    const service = await startService();
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
    expect(stderr).toContain('TRADEPOST_API_KEY is set and goes before this login');
    expect(stderr).toContain('leads elsewhere, to https://elsewhere.example');
  });
});

describe('the file of the logins', () => {
  it('keeps the logins of all that log in at once', async () => {
    const service = await startService();
    const folder = loginFolder();
    const names = Array.from({ length: 12 }, (_, index) => `login-${index}`);
    const results = await Promise.all(
      names.map((name) =>
        runCli(['login', '--key-stdin', '--base-url', service.baseUrl, '--profile', name], {
          env: folder.env,
          input: key,
        }),
      ),
    );
    expect(results.map(({ exitCode }) => exitCode)).toEqual(names.map(() => 0));
    expect(Object.keys(folder.stored().profiles).sort()).toEqual(names.toSorted());
  });

  it('is not blocked by the lock of a process that was killed', async () => {
    const service = await startService();
    const folder = loginFolder();
    // Larger than any process id there is.
    writeFileSync(`${folder.file}.lock`, '999999999');
    utimesSync(`${folder.file}.lock`, 0, 0);
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl];
    expect((await runCli(argv, { env: folder.env, input: key })).exitCode).toBe(0);
    expect(existsSync(`${folder.file}.lock`)).toBe(false);
  });

  it('says which process keeps it locked, rather than to wait for ever', async () => {
    const service = await startService();
    const folder = loginFolder();
    writeFileSync(`${folder.file}.lock`, String(process.pid));
    const argv = ['login', '--key-stdin', '--base-url', service.baseUrl];
    const { exitCode, stderr } = await runCli(argv, { env: folder.env, input: key });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`process ${process.pid}`);
    expect(stderr).toContain(`delete ${folder.file}.lock`);
  });

  it('is looked at before the key is asked for', async () => {
    const folder = loginFolder();
    writeFileSync(folder.file, '{ "profiles": [');
    const { exitCode, stderr } = await runAtKeyboard(['login'], [], folder.env);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is not what `tradepost login` writes');
  });
});
