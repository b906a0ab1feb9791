import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSession, type Order } from '@tradepost/sdk';
import type { SeedResult } from '@tradepost/server';
import { beforeAll, describe, expect, test } from 'vitest';
import { forTest } from '../../helpers/for-test';
import { startHttpServer } from '../../helpers/loopback';
import { checkout } from '../../helpers/programs';
import { runProcess } from '../../helpers/start-process';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { startExample } from './start-example';

function start(folder: string, port = '0') {
  return startExample('start/main.ts', [folder], { env: { PORT: port } });
}

/** Starts it and waits for the last line of its output. */
async function startAndWait(folder: string) {
  const running = start(folder);
  await running.writes(/More examples:/);
  const [, url = ''] = await running.writes(/is running at (http:\S+)\./);
  return { ...running, url };
}

const readSeed = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'seed.json'), 'utf8')) as SeedResult;

describe('npm start', () => {
  test('keeps its data and its keys from one start to the next', async () => {
    const folder = await forTest(temporaryFolder());

    const first = await forTest(startAndWait(folder.path));
    const seed = await readSeed(folder.path);
    expect((await stat(join(folder.path, 'seed.json'))).mode & 0o777).toBe(0o600);
    const buyer = seed.accounts.find(({ kind }) => kind === 'buyer');
    const headers = {
      Authorization: `Bearer ${buyer?.apiKey}`,
      'Content-Type': 'application/json',
    };
    const body = JSON.stringify({ listingId: seed.listings[0]?.id, quantity: 7 });
    const placed = await fetch(`${first.url}/v1/orders`, { method: 'POST', headers, body });
    const { data: order } = (await placed.json()) as { data: Order };
    const { code, stdout } = await first.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Stopped\./m);
    await expect(fetch(first.url)).rejects.toThrow('fetch failed');

    const second = await forTest(startAndWait(folder.path));
    await expect(readSeed(folder.path)).resolves.toEqual(seed);
    const found = await fetch(`${second.url}/v1/orders/${order.id}`, { headers });
    await expect(found.json()).resolves.toEqual({ data: order });
    expect((await second.stop('SIGINT')).code).toBe(0);
  });

  test('suggests another port when the port is in use', async () => {
    const folder = await forTest(temporaryFolder());
    const { port } = await forTest(startHttpServer(() => {}));

    const { code, stdout, stderr } = await start(folder.path, String(port)).exit;
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use.`);
    expect(stderr).toContain('PORT=4020 npm start');
  });

  test('rejects an invalid PORT', async () => {
    const folder = await forTest(temporaryFolder());
    const { code, stderr } = await start(folder.path, 'http').exit;
    expect(code).toBe(1);
    expect(stderr).toBe('PORT must be a number from 0 to 65535, not "http".\n');
  });

  test('says what to do when its keys cannot be read', async () => {
    const folder = await forTest(temporaryFolder());
    await writeFile(join(folder.path, 'tradepost.db'), '');
    await writeFile(join(folder.path, 'seed.json'), '{"accounts":');
    const { code, stderr } = await start(folder.path).exit;
    expect(code).toBe(1);
    expect(stderr).toMatch(/seed\.json cannot be used .*Remove its folder/);
  });

  describe('prints a guide that', () => {
    let guide: string;
    /** The lines that are indented below a heading, without the indent. */
    const linesBelow = (heading: string) => {
      const [, lines = ''] = new RegExp(`^${heading}.*\n((?: {2}.*\n)+)`, 'm').exec(guide) ?? [];
      return lines.replace(/^ {2}/gm, '');
    };

    beforeAll(async () => {
      const folder = await temporaryFolder();
      const running = await startAndWait(folder.path);
      guide = running.stdout();
      return async () => {
        await running.stop();
        await folder.remove();
      };
    });

    test('has the address of the API reference', async () => {
      const [, url = ''] = /^API reference, .*: (http\S+)$/m.exec(guide) ?? [];
      const response = await fetch(url);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('API reference</title>');
    });

    test('ends with a link that signs in to the console as the seller', async () => {
      const [link = '', later] = linesBelow('Console, for a browser').split('\n');
      expect(later).toMatch(/: tradepost open$/);
      const page = await fetch(link);
      expect(await page.text()).toContain('<title>Tradepost</title>');
      const { origin, hash } = new URL(link);
      const { account } = await createSession(hash.slice(1), { baseUrl: origin });
      expect(account.kind).toBe('seller');
    });

    test('has working curl requests', async () => {
      const curls = linesBelow('With curl').trim().split('\n');
      expect(curls).toHaveLength(2);
      for (const line of curls) {
        const [, url = ''] = /'?(http[^\s']+)/.exec(line) ?? [];
        const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(
          ([, name = '', value = '']): [string, string] => [name, value],
        );
        const [, body] = /-d '([^']+)'/.exec(line) ?? [];
        const method = body === undefined ? 'GET' : 'POST';
        const response = await fetch(url, { method, headers, body: body ?? null });
        expect(response.status).toBe(method === 'GET' ? 200 : 201);
      }
    });

    test('has working CLI commands', async () => {
      const folder = await forTest(temporaryFolder());
      const script = `set -e\n${linesBelow('With the CLI')}`;
      const { code, stdout, stderr } = await runProcess('sh', ['-s'], {
        input: script,
        cwd: checkout,
        env: { TRADEPOST_STATE_DIR: folder.path },
      });
      expect(stderr).toMatch(/^Journal: .+\n(\d+) orders moved to confirmed\.\n$/);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ord_\w+ +pending {2}/m);
      expect(stdout).toMatch(/^ntf_\w+/m);
      expect(stdout).toMatch(/^ord_\w+ +pending +confirmed +updated$/m);
    });

    test('has a working SDK program', async () => {
      const { code, stdout, stderr } = await runProcess(
        process.execPath,
        ['--input-type=module', '--eval', linesBelow('With the SDK')],
        { cwd: join(checkout, 'examples') },
      );
      expect(stderr).toBe('');
      expect(code).toBe(0);
      expect(stdout).toMatch(/status: 'pending'/);
    });
  });
});
