import { chmodSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isProfileName,
  type Profile,
  readProfiles,
  writeProfiles,
} from '../../src/config/profiles';
import { getKeyPrefix } from '../../src/config/settings';
import { loginFolder } from '../helpers/profile-folder';
import { runCli } from '../helpers/run-cli';

const live = {
  baseUrl: 'https://trade.example',
  apiKey: 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6',
  account: { id: 'usr_1', kind: 'seller', name: 'Highland Growers' },
};
/** As older versions stored it. */
const staging = {
  baseUrl: 'https://staging.trade.example',
  apiKey: 'tpk_9zYxW8vUtSrQpOnMlKjIhGfE',
};

describe('profiles list', () => {
  it('shows the profiles by name, with the first characters of each key', async () => {
    const { env } = loginFolder({ staging, live }, 'live');
    const { exitCode, stdout, stderr } = await runCli(['profiles', 'list'], { env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'NAME     CURRENT  ACCOUNT           KIND     BASE URL                       KEY',
        'live     yes      Highland Growers  seller   https://trade.example          tpk_3fQx…',
        'staging  -        unknown           unknown  https://staging.trade.example  tpk_9zYx…',
        '',
      ].join('\n'),
    );
  });

  it('has the account in its JSON, null where it is unknown', async () => {
    const nameless = { ...live, account: { ...live.account, name: null } };
    const { env } = loginFolder({ live, nameless, staging });
    const { stdout } = await runCli(['profiles', 'list', '--output', 'json'], { env });
    const fields = JSON.parse(stdout).map(
      ({ accountId, accountKind, accountName }: Record<string, unknown>) => [
        accountId,
        accountKind,
        accountName,
      ],
    );
    expect(fields).toEqual([
      ['usr_1', 'seller', 'Highland Growers'],
      ['usr_1', 'seller', null],
      [null, null, null],
    ]);
    const table = await runCli(['profiles', 'list'], { env });
    expect(table.stdout).toMatch(/^nameless +- +usr_1 +seller /m);
  });

  it('takes a malformed account for an unknown one, and keeps the profile', async () => {
    for (const account of [null, 7, [], { id: 'usr_1' }, { id: 7, kind: 'seller' }]) {
      const profile = { ...staging, account } as unknown as Profile;
      const { env } = loginFolder({ staging: profile });
      const { exitCode, stdout } = await runCli(['profiles', 'list', '--output', 'csv'], { env });
      expect(exitCode).toBe(0);
      expect(stdout.split('\n')[1]).toMatch(/tpk_9zYx…,,,$/);
    }
  });

  it('prints an empty list if no profile is stored', async () => {
    const { env } = loginFolder();
    expect(await runCli(['profiles', 'list'], { env })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No profiles found.\n',
    });
    const asJson = await runCli(['profiles', 'list', '--output', 'json'], { env });
    expect(asJson).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });
  });

  it('treats `default` as the current profile if none is selected, as every command does', async () => {
    const { env } = loginFolder({ default: live, staging });
    const { stdout } = await runCli(['profiles', 'list', '--output', 'json'], { env });
    expect(JSON.parse(stdout).map(({ current }: { current: boolean }) => current)).toEqual([
      true,
      false,
    ]);
  });

  it('reports that the environment names another profile than the current one', async () => {
    const { env } = loginFolder({ live, staging }, 'live');
    const { stderr } = await runCli(['profiles', 'list'], {
      env: { ...env, TRADEPOST_PROFILE: 'staging' },
    });
    expect(stderr).toBe("TRADEPOST_PROFILE is set: 'staging' is used.\n");
  });

  it('shows no control characters, even if the file was edited', async () => {
    const { env } = loginFolder({ 'a\u001b[2J': { ...live, baseUrl: 'https://\u009b.example' } });
    for (const output of ['table', 'json', 'ndjson', 'csv']) {
      const { stdout } = await runCli(['profiles', 'list', '--output', output], { env });
      expect(stdout.replaceAll('\n', '')).not.toMatch(output === 'csv' ? /$^/ : /\p{Cc}/u);
    }
  });
});

describe('profiles use', () => {
  it('makes a profile the current one', async () => {
    const folder = loginFolder({ live, staging }, 'live');
    const argv = ['profiles', 'use', 'staging', '--output', 'json'];
    const { exitCode, stdout } = await runCli(argv, { env: folder.env });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'staging', current: true });
    expect(folder.stored()).toEqual({ current: 'staging', profiles: { live, staging } });
  });

  it.each(['no-such-profile', 'constructor', '__proto__'])(
    'exits 2 for %s, who is not there',
    async (name) => {
      const folder = loginFolder({ live }, 'live');
      const { exitCode, stdout, stderr } = await runCli(['profiles', 'use', name], {
        env: folder.env,
      });
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(
        `error: No profile named '${name}'\nhint: To list profiles, run \`tradepost profiles`,
      );
      expect(folder.stored().current).toBe('live');
    },
  );

  it('reports that the environment overrides it', async () => {
    const { env } = loginFolder({ live, staging }, 'live');
    const setting = { env: { ...env, TRADEPOST_PROFILE: 'live' } };
    const { stderr } = await runCli(['profiles', 'use', 'staging'], setting);
    expect(stderr).toContain("'live' is used until you unset it");
  });
});

describe('logout', () => {
  it('removes the current profile, and selects the only one that is left', async () => {
    const folder = loginFolder({ live, staging }, 'live');
    const { exitCode, stdout, stderr } = await runCli(['logout', '--output', 'json'], {
      env: folder.env,
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        name: 'live',
        current: false,
        baseUrl: live.baseUrl,
        apiKeyPrefix: 'tpk_3fQx…',
        accountId: 'usr_1',
        accountKind: 'seller',
        accountName: 'Highland Growers',
      },
    ]);
    expect(stderr).toContain('Its key is still valid.');
    expect(stderr).toContain("'staging' is now the current profile.");
    expect(folder.stored()).toEqual({ current: 'staging', profiles: { staging } });
    expect(folder.mode()).toBe('600');
  });

  it('selects no profile when several are left', async () => {
    const folder = loginFolder({ live, staging, third: live }, 'live');
    const { stderr } = await runCli(['logout'], { env: folder.env });
    expect(folder.stored().current).toBeNull();
    expect(stderr).toContain('choose one with `tradepost profiles use NAME`');
  });

  it('removes the named profile, and keeps the current one', async () => {
    const folder = loginFolder({ live, staging }, 'live');
    const { exitCode, stderr } = await runCli(['logout', '--profile', 'staging'], {
      env: folder.env,
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("'live' is still the current profile.");
    expect(folder.stored()).toEqual({ current: 'live', profiles: { live } });
  });

  it('removes all profiles with --all, and succeeds if there is none', async () => {
    const folder = loginFolder({ live, staging }, 'live');
    expect((await runCli(['logout', '--all'], { env: folder.env })).exitCode).toBe(0);
    expect(folder.stored()).toEqual({ current: null, profiles: {} });
    expect(await runCli(['logout', '--all'], { env: folder.env })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No profiles to delete.\n',
    });
  });

  it.each([
    [['logout'], 'not logged in'],
    [['logout', '--profile', 'no-such-profile'], "No profile named 'no-such-profile'"],
    [['logout', '--all', '--profile', 'live'], '--all and --profile conflict'],
  ])('%j exits 2 and changes nothing', async (argv, message) => {
    const folder = loginFolder({ live, staging });
    const { exitCode, stdout, stderr } = await runCli(argv, { env: folder.env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(folder.stored()).toEqual({ current: null, profiles: { live, staging } });
  });

  it('reports that a key in the environment is still used', async () => {
    const { env } = loginFolder({ live }, 'live');
    const { stderr } = await runCli(['logout'], { env: { ...env, TRADEPOST_API_KEY: 'tpk_x' } });
    expect(stderr).toContain('TRADEPOST_API_KEY is set and still used.');
  });
});

describe('the profiles file', () => {
  it.each(['', '{', 'null', '[]', '{"profiles":[]}', '{"profiles":{"a":{"baseUrl":1}}}'])(
    'that says %j is a failure that names the file',
    async (text) => {
      const folder = loginFolder();
      writeFileSync(folder.file, text);
      for (const argv of [['profiles', 'list'], ['logout'], ['whoami']]) {
        const { exitCode, stdout, stderr } = await runCli(argv, { env: folder.env });
        expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
        expect(stderr).toContain(folder.file);
        expect(stderr).toContain('hint: Fix the file');
      }
    },
  );

  it('is readable only by its owner after a write, whatever its mode was', () => {
    const folder = loginFolder({ live });
    chmodSync(folder.file, 0o644);
    writeProfiles(folder.file, { current: null, profiles: {} });
    expect(folder.mode()).toBe('600');
  });

  it('returns the profiles that were written, whatever they contain', () => {
    const { file } = loginFolder();
    const name = fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,10}$/).filter(isProfileName);
    const account = fc.record({
      id: fc.string(),
      kind: fc.string(),
      name: fc.option(fc.string()),
    });
    const profile = fc.record(
      { baseUrl: fc.webUrl(), apiKey: fc.string(), account },
      { requiredKeys: ['baseUrl', 'apiKey'] },
    );
    fc.assert(
      fc.property(fc.dictionary(name, profile), fc.option(name), (profiles, current) => {
        writeProfiles(file, { current, profiles });
        expect(readProfiles(file)).toEqual({ current, profiles: { ...profiles } });
      }),
    );
  });
});

describe('the visible part of a key', () => {
  it('has at most four characters after its prefix, and less than half of a short one', () => {
    expect(getKeyPrefix(live.apiKey)).toBe('tpk_3fQx…');
    expect(getKeyPrefix('tpk_short')).toBe('…');
    expect(getKeyPrefix('0123456789abcdef0123')).toBe('0123…');
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (key) => {
        const shown = getKeyPrefix(key).slice(0, -1);
        expect(key.startsWith(shown)).toBe(true);
        expect(key.length - shown.length).toBeGreaterThanOrEqual(Math.min(12, key.length));
      }),
    );
  });
});
