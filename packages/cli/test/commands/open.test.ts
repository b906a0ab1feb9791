import { existsSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BareService } from '../helpers/minimal-service';
import { aFolder } from '../helpers/webhook-builders';

const code = 'tpc_0123456789abcdefghijklmnopqrstuvwxyz01';
const expiresAt = '2026-11-21T09:31:00.000Z';
const screen = { columns: 200 };

async function startService(): Promise<BareService> {
  const service = await BareService.start();
  service.extensions = ['sessions'];
  service.instead = () => ({ status: 201, body: { data: { code, expiresAt } } });
  return service;
}

/** A folder with an opener that writes its arguments to a file, and ends like this. */
async function anOpener(end = 'exit 0') {
  const folder = await aFolder();
  const file = join(folder, 'opened');
  for (const name of ['xdg-open', 'open']) {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\nprintf '%s' "$*" > '${file}'\n${end}\n`);
    await chmod(path, 0o700);
  }
  return { env: { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':9' }, file };
}

describe.skipIf(process.platform === 'win32')('open', () => {
  it('opens the link in the browser, and shows it nowhere', async () => {
    const service = await startService();
    const { env, file } = await anOpener();
    const { exitCode, stdout, stderr } = await service.cli(['open'], { env, screen });
    expect(exitCode).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(`${service.baseUrl}/console/sign-in#${code}`);
    expect(stdout).toBe('');
    expect(stderr).toContain('Opened the console in your browser.');
    expect(stderr).not.toContain('tpc_');
    expect(service.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/sign-in-codes',
    ]);
  });

  it('does not wait for an opener that runs as long as the browser', async () => {
    const service = await startService();
    const { env, file } = await anOpener('while [ -e "$0.runs" ]; do sleep 0.02; done');
    const runs = join(env.PATH.split(':')[0] ?? '', 'xdg-open.runs');
    await writeFile(runs, '');
    // The time of a real wait passes once the opener runs.
    const wait = async () => {
      while (!existsSync(file)) await nextTurn();
    };
    const { exitCode, stdout } = await service.cli(['open'], { env, screen, wait });
    expect([exitCode, stdout]).toEqual([0, '']);
    await rm(runs);
  });

  it.each([
    ['an opener that fails', async () => (await anOpener('exit 4')).env],
    ['a system without an opener', async () => ({ PATH: await aFolder(), DISPLAY: ':9' })],
  ])('prints the link after %s', async (_, env) => {
    const service = await startService();
    const { exitCode, stdout, stderr } = await service.cli(['open'], { env: await env(), screen });
    expect([exitCode, stdout]).toEqual([0, `${service.baseUrl}/console/sign-in#${code}\n`]);
    expect(stderr).toContain('No browser was found. The link works once, for 60 seconds.');
  });

  it('opens nothing over SSH, in a script, with --print, or in another format', async () => {
    const service = await startService();
    const { env, file } = await anOpener();
    const url = `${service.baseUrl}/console/sign-in#${code}`;
    const results = await Promise.all([
      service.cli(['open'], { env: { ...env, SSH_CONNECTION: '203.0.113.7 1 2 3' }, screen }),
      service.cli(['open'], { env }),
      service.cli(['open', '--print'], { env, screen }),
      service.cli(['open', '--jq', '.url'], { env, screen }),
    ]);
    expect(results.map(({ stdout }) => stdout)).toEqual(Array(4).fill(`${url}\n`));
    const json = await service.cli(['open', '--output', 'json'], { env, screen });
    expect(JSON.parse(json.stdout)).toEqual({ url, expiresAt });
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  it('says so if the service does not have the extension, and opens nothing', async () => {
    const service = await BareService.start();
    const { env, file } = await anOpener();
    const { exitCode, stdout, stderr } = await service.cli(['open'], { env, screen });
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('This needs the extension sessions of the API');
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });

  it('keeps the path of a base URL, and the code out of the debug log', async () => {
    const service = await startService();
    const log = join(await aFolder(), 'debug.log');
    const env = { TRADEPOST_BASE_URL: `${service.baseUrl}/shop/` };
    const { stdout } = await service.cli(['open', '--debug', log], { env });
    expect(stdout).toBe(`${service.baseUrl}/shop/console/sign-in#${code}\n`);
    const text = await readFile(log, 'utf8');
    expect(text).toContain('/v1/sign-in-codes');
    expect(text).not.toContain(code.slice(4));
  });
});
