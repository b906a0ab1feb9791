import { describe, expect, it } from 'vitest';
import { BareService } from '../helpers/minimal-service';
import { loginFolder } from '../helpers/profile-folder';
import { runCli } from '../helpers/run-cli';

const key = 'tpk_of_the_login_0123456789';
const list = ['orders', 'list', '--output', 'json'];

/** Two services: who is asked, and with which key, is what these tests are about. */
async function startTwo() {
  return { first: await BareService.start(), second: await BareService.start() };
}

function keysSeenBy(service: BareService): (string | undefined)[] {
  return service.seen.map(({ headers }) => headers.authorization);
}

describe('the settings of a command', () => {
  it('come from the current profile if nothing else is set', async () => {
    const { first, second } = await startTwo();
    const { env } = loginFolder(
      {
        one: { baseUrl: first.baseUrl, apiKey: 'tpk_one' },
        two: { baseUrl: second.baseUrl, apiKey: 'tpk_two' },
      },
      'two',
    );
    expect((await runCli(list, { env })).exitCode).toBe(0);
    expect(keysSeenBy(first)).toEqual([]);
    expect(keysSeenBy(second)).toEqual(['Bearer tpk_two']);
  });

  it('come from the profile in TRADEPOST_PROFILE, which --profile overrides', async () => {
    const { first, second } = await startTwo();
    const { env } = loginFolder({
      one: { baseUrl: first.baseUrl, apiKey: 'tpk_one' },
      two: { baseUrl: second.baseUrl, apiKey: 'tpk_two' },
    });
    await runCli(list, { env: { ...env, TRADEPOST_PROFILE: 'one' } });
    await runCli([...list, '--profile', 'two'], { env: { ...env, TRADEPOST_PROFILE: 'one' } });
    expect(keysSeenBy(first)).toEqual(['Bearer tpk_one']);
    expect(keysSeenBy(second)).toEqual(['Bearer tpk_two']);
  });

  it('come from --profile first, then from the environment, then from the current profile', async () => {
    const { first, second } = await startTwo();
    const folder = loginFolder({ one: { baseUrl: first.baseUrl, apiKey: key } }, 'one');
    const env = {
      ...folder.env,
      TRADEPOST_BASE_URL: second.baseUrl,
      TRADEPOST_API_KEY: ' tpk_env\n',
    };
    await runCli(list, { env });
    expect(keysSeenBy(second)).toEqual(['Bearer tpk_env']);
    await runCli([...list, '--profile', 'one'], { env });
    expect(keysSeenBy(first)).toEqual([`Bearer ${key}`]);
    expect(second.seen).toHaveLength(1);
  });

  it('never send the key of a profile to another service', async () => {
    const { first, second } = await startTwo();
    const { env } = loginFolder({ one: { baseUrl: first.baseUrl, apiKey: key } }, 'one');
    const elsewhere = [
      runCli([...list, '--base-url', second.baseUrl], { env }),
      runCli([...list, '--base-url', `${first.baseUrl}/elsewhere`], { env }),
      runCli([...list, '--profile', 'one', '--base-url', second.baseUrl], { env }),
      runCli(list, { env: { ...env, TRADEPOST_BASE_URL: second.baseUrl } }),
    ];
    for (const { exitCode, stdout, stderr } of await Promise.all(elsewhere)) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain("The key of profile 'one' belongs to another service");
    }
    const argv = [...list, '--base-url', second.baseUrl.replace('//', '//me:tangerine@')];
    const { stderr } = await runCli(argv, { env });
    expect(stderr).toContain('The service URL is not valid');
    expect(stderr).not.toContain('tangerine');
    expect([...first.seen, ...second.seen]).toEqual([]);
  });

  it('reports an invalid URL, whatever profile it is from', async () => {
    const { first } = await startTwo();
    const { env } = loginFolder({ one: { baseUrl: first.baseUrl, apiKey: key } }, 'one');
    const { exitCode, stderr } = await runCli([...list, '--base-url', '127.0.0.1:4555'], { env });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('The service URL is not valid');
    expect(stderr).not.toContain('another service');
  });

  it('treat spellings of a base URL as equal', async () => {
    const { first } = await startTwo();
    const { env } = loginFolder({ one: { baseUrl: first.baseUrl, apiKey: key } }, 'one');
    const written = `${first.baseUrl.replace('http://', 'HTTP://')}///`;
    expect((await runCli([...list, '--base-url', written], { env })).exitCode).toBe(0);
    expect(keysSeenBy(first)).toEqual([`Bearer ${key}`]);
  });

  it.each(['no-such-profile', 'constructor', 'a b'])(
    'exit 2 for the login %j, which is not there',
    async (name) => {
      const { env } = loginFolder({ one: { baseUrl: 'https://a.example', apiKey: key } });
      for (const setting of [
        { argv: [...list, '--profile', name], env },
        { argv: list, env: { ...env, TRADEPOST_PROFILE: name } },
      ]) {
        const { exitCode, stderr } = await runCli(setting.argv, { env: setting.env });
        expect(exitCode).toBe(2);
        expect(stderr).toContain(`No profile named '${name}'`);
        expect(stderr.includes('tradepost login --profile')).toBe(name !== 'a b');
      }
    },
  );
});
