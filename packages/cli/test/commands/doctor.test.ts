import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findUnusedPort, listenOnLoopback } from '../../../../test/helpers/loopback';
import { checkMachine } from '../../src/commands/doctor/check-machine';
import { checkClock } from '../../src/commands/doctor/check-service';
import {
  aProblem,
  BareService,
  type SeenRequest,
  type StubResponse,
} from '../helpers/minimal-service';
import { loginFolder } from '../helpers/profile-folder';
import { type CliSetting, runCli } from '../helpers/run-cli';
import { aWebhook } from '../helpers/webhook-builders';

interface Check {
  check: string;
  ok: boolean | null;
  detail: string;
  hint: string | null;
}

const now = Date.parse('2026-11-21T10:00:00.000Z');
const key = 'tpk_3fQxA9c0ZkV1mP7sT2uW4yB6';

/** A service that has all there is, and tells the time. */
function wholeService({ path }: SeenRequest, expiresAt: string | null = null): StubResponse {
  const headers = { date: 'Sat, 21 Nov 2026 10:00:00 GMT', server: 'tradepost/9.9' };
  const account = {
    id: 'usr_1',
    kind: 'seller',
    name: 'Quay & Co',
    createdAt: '2026-11-21T09:30:00.000Z',
    key: { id: 'key_1', hint: 'tpk_3fQx…', readOnly: true, expiresAt },
  };
  const data = path === '/v1/account' ? account : [];
  return { status: 200, body: { data, nextCursor: path === '/v1/events' ? 'c' : null }, headers };
}

/** Runs `doctor`, which prints its checks however it ends. */
async function examine(baseUrl: string | undefined, setting: CliSetting = {}, argv: string[] = []) {
  const { env } = loginFolder();
  const result = await runCli(['doctor', '--output', 'json', ...argv], {
    now: () => now,
    ...setting,
    env: { ...env, TRADEPOST_BASE_URL: baseUrl, TRADEPOST_API_KEY: key, ...setting.env },
  });
  const checks: Check[] = JSON.parse(result.stdout);
  const of = (name: string) => checks.find(({ check }) => check === name);
  return { ...result, checks, of };
}

/** Where nothing listens. */
async function unusedAddress(): Promise<string> {
  return `http://127.0.0.1:${await findUnusedPort()}`;
}

describe('doctor', () => {
  it('finds no fault in a service with all extensions', async () => {
    const service = await BareService.start();
    service.extensions = ['account', 'events', 'webhooks.manage', 'deliveries'];
    service.instead = wholeService;
    const { exitCode, stderr, checks, of } = await examine(service.baseUrl);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(checks.map(({ check }) => check)).toEqual([
      'cli',
      'node',
      'profiles',
      'settings',
      'base-url',
      'proxy',
      'service',
      'key',
      'key-expiry',
      'clock',
      'account',
      'events',
      'webhooks',
      'deliveries',
      'endpoints',
      'service-version',
    ]);
    expect(checks.filter(({ ok, hint }) => !ok || hint !== null)).toEqual([]);
    expect(of('key')?.detail).toBe('accepted: Quay & Co, seller, usr_1, read-only');
    expect(of('service-version')?.detail).toBe('tradepost/9.9');
    expect(of('settings')?.detail).toContain('key tpk_3fQx… (environment)');
  });

  it('warns about endpoints that fail or back off', async () => {
    const backoffUntil = '2026-11-21T10:04:00.000Z';
    const failingSince = '2026-11-21T07:00:00.000Z';
    const failing = { consecutiveFailures: 7, lastStatus: 401, failingSince };
    const service = await BareService.start();
    service.extensions = ['account', 'webhooks.manage'];
    service.instead = (request) =>
      request.path === '/v1/webhooks'
        ? {
            status: 200,
            body: {
              data: [
                aWebhook({ id: 'whk_1', ...failing, backoffUntil, pendingDeliveries: 205 }),
                aWebhook({ id: 'whk_2', ...failing, lastStatus: null, lastError: 'timeout' }),
                aWebhook({ id: 'whk_3', lastStatus: 204 }),
              ],
              nextCursor: null,
            },
          }
        : wholeService(request);
    const { exitCode, of } = await examine(service.baseUrl);
    expect(exitCode).toBe(0);
    expect(of('endpoints')).toEqual({
      check: 'endpoints',
      ok: true,
      detail: '2 of 3 webhooks failing',
      hint: `205 pending, endpoint backs off until ${backoffUntil}, last response 401 for 3 hr: \`tradepost webhooks explain whk_1\`. Endpoint is failing, last attempt timeout for 3 hr: \`tradepost webhooks explain whk_2\`.`,
    });
    const { env } = loginFolder();
    const shown = await runCli(['doctor'], {
      ...{ now: () => now, screen: { columns: 100 } },
      env: { ...env, TRADEPOST_BASE_URL: service.baseUrl, TRADEPOST_API_KEY: key, TZ: 'UTC' },
    });
    expect(shown.stderr).toMatch(/backs off until\s\S+\s10:04:00\s\S+\s\(in\s4\smin\)/);
  });

  it('finds no fault in a service with only the seven endpoints', async () => {
    const service = await BareService.start();
    const { exitCode, checks, of } = await examine(service.baseUrl, { now: Date.now });
    expect(exitCode).toBe(0);
    const lacking = ['account', 'events', 'webhooks', 'deliveries'];
    expect(checks.filter(({ ok }) => ok === null).map(({ check }) => check)).toEqual([
      'key-expiry',
      ...lacking,
      'endpoints',
      'service-version',
    ]);
    for (const name of lacking) expect(of(name)?.detail).toContain('not supported: ');
    expect(of('key')).toMatchObject({ ok: true, detail: expect.stringContaining('accepted') });
    expect(of('clock')?.ok).toBe(true);
  });

  it('prints a table, with hints below it', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(401, 'invalid_api_key');
    const { env } = loginFolder();
    const { exitCode, stdout, stderr } = await runCli(['doctor'], {
      env: { ...env, TRADEPOST_BASE_URL: service.baseUrl, TRADEPOST_API_KEY: key },
    });
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/^CHECK +RESULT +DETAIL\n/);
    expect(stdout).toMatch(/\nservice +ok +responds within \d+ ms\n/);
    expect(stdout).toMatch(/\nkey +FAILED +Detail of invalid_api_key\.\n/);
    expect(stdout).toMatch(/\nclock +- +skipped: key not accepted\n/);
    expect(stderr).toMatch(/^key: The API key may be.*\nerror: 1 check failed: key\n$/);
  });

  it('exits 9 when the service does not respond, and prints the reason and a hint', async () => {
    const { exitCode, stderr, of } = await examine(await unusedAddress());
    expect(exitCode).toBe(9);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'service_unreachable',
      message: '1 check failed: service',
    });
    expect(of('service')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('(connection refused)'),
      hint: expect.stringContaining('nothing listens on that port'),
    });
    expect(of('key')?.ok).toBeNull();
  });

  it.each([
    ['a service that is down', aProblem(503, 'unavailable'), 9],
    ['a fault of the service', aProblem(500, 'internal_error'), 1],
    ['another program', { status: 404, body: '<html>' }, 2],
    ['a page with status 200', { status: 200, body: '<html>' }, 1],
    ['a redirect', { status: 302, body: '', headers: { location: 'https://a.example' } }, 2],
  ])('reports %s as an invalid response', async (_, reply, exitCode) => {
    const service = await BareService.start();
    service.instead = () => reply;
    const result = await examine(service.baseUrl);
    expect(result.exitCode).toBe(exitCode);
    expect(result.of('service')).toMatchObject({ ok: false, hint: expect.any(String) });
    // Nothing is repeated: the person waits.
    expect(service.seen.length).toBeLessThanOrEqual(2);
  });

  it('reports that the port does not speak TLS', async () => {
    const service = await BareService.start();
    const { exitCode, of } = await examine(service.baseUrl.replace('http:', 'https:'));
    expect(exitCode).toBe(9);
    expect(of('service')?.hint).toContain('does not use TLS');
  });

  it('runs the remaining checks when settings are missing', async () => {
    const service = await BareService.start();
    service.instead = () => ({ status: 401, body: '' });
    const keyless = await examine(service.baseUrl, { env: { TRADEPOST_API_KEY: undefined } });
    expect(keyless.exitCode).toBe(4);
    expect(keyless.of('settings')).toMatchObject({ ok: false, detail: 'No API key is set' });
    expect(keyless.of('service')?.ok).toBe(true);
    const nowhere = await examine(undefined);
    expect(nowhere.exitCode).toBe(2);
    expect(nowhere.of('settings')?.hint).toContain('tradepost login');
    expect(nowhere.of('service')?.ok).toBeNull();
    expect((await examine('trade.example')).of('base-url')?.ok).toBe(false);
    expect((await examine(undefined, {}, ['--profile', 'no-such-profile'])).exitCode).toBe(2);
  });

  it('never shows the key, nor a secret in the wrong setting', async () => {
    const service = await BareService.start();
    service.instead = () => aProblem(401, 'invalid_api_key', { detail: `no key ${key}` });
    for (const baseUrl of [service.baseUrl, key, `https://me:${key}@a.example`]) {
      const { stderr, stdout } = await examine(baseUrl);
      expect(stderr).not.toContain(key);
      if (baseUrl !== service.baseUrl) expect(stdout).not.toContain(key);
    }
  });

  it('warns about a key that expires within two weeks', async () => {
    const service = await BareService.start();
    const expiry = async (expiresAt: string) => {
      service.instead = (request) => wholeService(request, expiresAt);
      return (await examine(service.baseUrl)).of('key-expiry');
    };
    expect(await expiry('2026-12-05T09:59:59.000Z')).toMatchObject({
      ok: true,
      detail: 'expires at 2026-12-05T09:59:59.000Z, in 13 days',
      hint: expect.stringContaining('tradepost login'),
    });
    expect(await expiry('2026-12-05T10:00:00.000Z')).toMatchObject({ ok: true, hint: null });
    expect(await expiry('2026-11-21T10:00:00.000Z')).toMatchObject({ ok: false });
    expect(await expiry('soon')).toMatchObject({ ok: null });
  });

  it('finds a profiles file that others can read, and one that is invalid', async () => {
    const service = await BareService.start();
    const folder = loginFolder({ live: { baseUrl: service.baseUrl, apiKey: key } });
    const setting = { env: folder.env, now: Date.now };
    expect((await runCli(['doctor', '--profile', 'live'], setting)).exitCode).toBe(0);
    if (process.platform !== 'win32') {
      chmodSync(folder.file, 0o640);
      const open = await runCli(['doctor', '--profile', 'live'], setting);
      expect(open.exitCode).toBe(1);
      expect(open.stderr).toContain(`profiles: Run \`chmod 600 '${folder.file}'\``);
    }
    writeFileSync(folder.file, '{');
    const broken = await runCli(['doctor'], setting);
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toContain('2 checks failed: profiles, settings');
  });

  it('ends with 130 when it is interrupted', async () => {
    const interrupt = new AbortController();
    const server = createServer(() => interrupt.abort());
    const port = await listenOnLoopback(server);
    onTestFinished(() => void server.close());
    const argv = ['doctor', '--base-url', `http://127.0.0.1:${port}`];
    expect(await runCli(argv, { signal: interrupt.signal })).toMatchObject({
      exitCode: 130,
      stdout: '',
    });
  });
});

describe('the clock', () => {
  const date = 'Sat, 21 Nov 2026 10:00:00 GMT';

  it.each([
    ['in sync with the service', 5_500, true, null],
    ['in sync with the service', -4_500, true, null],
    ['12 s ahead of', 12_500, true, 'NTP'],
    ['5 min behind', -298_500, true, 'NTP'],
    ['5 min ahead of', 301_000, false, 'NTP'],
    ['60 min behind', -3_600_000, false, 'NTP'],
  ])('%s when it is %i ms off', (detail, off, ok, hint) => {
    const check = checkClock(date, now + off - 100, now + off + 100);
    expect(check).toMatchObject({ ok, detail: expect.stringContaining(detail) });
    const [text = null] = check.hints.map(String);
    expect(text === null ? null : text.includes(hint ?? '-')).toBe(hint && true);
  });

  it('is not reported as wrong because of a slow response', () => {
    expect(checkClock(date, now, now + 18_000)).toMatchObject({ ok: true, hints: [] });
  });

  it.each([null, '', 'yesterday'])('cannot be told from a Date of %j', (told) => {
    expect(checkClock(told, now, now).ok).toBeNull();
  });
});

describe('Node', () => {
  it.each([
    ['20.19.0', true],
    ['20.20.2', true],
    ['22.0.0', true],
    ['100.0.0', true],
    ['20.18.9', false],
    ['18.99.0', false],
  ])('%s: %s', (version, ok) => {
    const context = { env: loginFolder().env } as Parameters<typeof checkMachine>[0];
    const node = checkMachine(context, version).find(({ check }) => check === 'node');
    expect(node?.ok).toBe(ok);
  });
});
