import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tradepost } from '@tradepost/sdk';
import { verifyWebhook } from '@tradepost/sdk/webhooks';
import type { SeedResult } from '@tradepost/server';
import { beforeEach, describe, expect, it } from 'vitest';
import { forTest } from '../helpers/for-test';
import { tradepostServerBin } from '../helpers/programs';
import { registerWebhook } from '../helpers/register-webhook';
import { runOperator, runServerCommand } from '../helpers/run-server-command';
import { seedDatabase } from '../helpers/seed';
import { startProcess } from '../helpers/start-process';
import { type Arrival, type Receiver, startHttpReceiver } from '../helpers/start-receiver';
import { startServerProcess } from '../helpers/start-server-process';
import { temporaryFolder } from '../helpers/temporary-folder';

const events = ['order.created' as const];

let database: string;
let seed: SeedResult;
let inbox: Receiver;
let folderPath: string;

beforeEach(async () => {
  const folder = await temporaryFolder();
  folderPath = folder.path;
  database = join(folder.path, 'tradepost.db');
  seed = await seedDatabase(database);
  inbox = await startHttpReceiver();
  return async () => {
    await inbox.close();
    await folder.remove();
  };
});

/** Generates a key as an operator does. */
async function generateKey(): Promise<{ keyId: string; secretKey: string }> {
  const { code, stdout } = await runOperator(['secrets', 'generate-key', '--json']);
  expect(code).toBe(0);
  return JSON.parse(stdout) as { keyId: string; secretKey: string };
}

/** Writes a file with keys, the newest first. Returns the options that use it. */
async function writeKeys(name: string, ...keys: { secretKey: string }[]): Promise<string[]> {
  const file = join(folderPath, name);
  await writeFile(file, keys.map(({ secretKey }) => `${secretKey}\n`).join(''), { mode: 0o600 });
  return ['--secret-key-file', file];
}

async function start(args: readonly string[]) {
  const server = await forTest(startServerProcess(database, args));
  const buyer = new Tradepost({
    baseUrl: server.url,
    apiKey: seed.accounts[0]?.apiKey ?? '',
  });
  return { server, buyer };
}

async function placeOrders({ orders }: Tradepost, count: number): Promise<void> {
  const listingId = seed.listings[0]?.id ?? '';
  for (let placed = 0; placed < count; placed += 1) await orders.create({ listingId, quantity: 1 });
}

/** Returns which of some texts are in any of the files of the database. */
function findInFiles(texts: readonly string[]): string[] {
  const paths = [database, `${database}-wal`, `${database}-shm`].filter((path) => existsSync(path));
  const bytes = paths.map((path) => readFileSync(path));
  return texts.filter((text) => bytes.some((content) => content.includes(text)));
}

/** Verifies that each delivery is signed with one of the secrets. */
async function verifyAll(arrivals: readonly Arrival[], secrets: string[]): Promise<void> {
  for (const { headers, body } of arrivals) {
    await verifyWebhook({ payload: body, headers, secrets });
  }
}

describe('tradepost-server with a secret key', () => {
  it('delivers signed events, stores no secret in plain text and logs neither secret nor key', async () => {
    const key = await generateKey();
    const options = await writeKeys('keys', key);
    const { server, buyer } = await start([...options, '--log-level', 'debug']);
    const { id, secret } = await registerWebhook(buyer, { url: inbox.url, events });
    const { secret: staged } = await buyer.webhooks.stageSecret(id);
    await placeOrders(buyer, 3);
    const arrivals = await inbox.until(({ length }) => length >= 3);
    await verifyAll(arrivals, [secret]);
    expect(arrivals[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    expect(findInFiles([secret, staged])).toEqual([]);
    const { stderr, code } = await server.stop();
    expect(code).toBe(0);
    expect(findInFiles([secret, staged])).toEqual([]);
    for (const text of [secret, staged, key.secretKey.slice(5, 69), 'plain text']) {
      expect(stderr).not.toContain(text);
    }
  });

  it('delivers from a worker process, with the keys in TRADEPOST_SECRET_KEY', async () => {
    const { secretKey } = await generateKey();
    const command = ['start', '--role', 'worker', '--database', database];
    const worker = forTest(
      startProcess(
        process.execPath,
        [tradepostServerBin, ...command, '--allow-insecure-webhooks'],
        { env: { TRADEPOST_SECRET_KEY: secretKey } },
      ),
    );
    await worker.writes(/^delivering from /m);
    const options = await writeKeys('keys', { secretKey });
    const { buyer } = await start([...options, '--role', 'api']);
    const { secret } = await registerWebhook(buyer, { url: inbox.url, events });
    await placeOrders(buyer, 1);
    await verifyAll(await inbox.until(({ length }) => length === 1), [secret]);
    expect(findInFiles([secret])).toEqual([]);
  });

  it.each(['all', 'api', 'worker'])(
    'does not start as %s without the key, and names it',
    async (role) => {
      const key = await generateKey();
      const { server, buyer } = await start(await writeKeys('keys', key));
      await registerWebhook(buyer, { url: inbox.url, events });
      await server.stop();
      const other = await writeKeys('other', await generateKey());
      for (const options of [[], other]) {
        const args = ['start', '--role', role, '--port', '0', '--database', database];
        const { code, stdout, stderr } = await runOperator([...args, ...options]);
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toContain(
          `error: The database ${database} has secrets that are encrypted with the secret key ${key.keyId}, which this process does not have.`,
        );
        expect(stderr).not.toMatch(/\n\s+at /);
      }
      // These commands read no secrets.
      expect(await runServerCommand<unknown[]>(['keys', 'list'], database)).toHaveLength(4);
    },
  );

  it('rejects an invalid key before it serves anything, and does not print it', async () => {
    const { secretKey } = await generateKey();
    const args = ['start', '--port', '0', '--database', database];
    for (const text of [secretKey.slice(0, 50), `${secretKey}00`, 'hunter2', '']) {
      const { code, stdout, stderr } = await runOperator(args, { TRADEPOST_SECRET_KEY: text });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^error: The secret keys in TRADEPOST_SECRET_KEY are not valid\. .+\n$/,
      );
      if (text !== '') expect(stderr).not.toContain(text);
    }
  });

  it('warns without a key that who can read the database can forge deliveries', async () => {
    const { server } = await start([]);
    const { stderr } = await server.stop();
    expect(stderr).toContain('everyone who can read the database file or a backup of it can forge');
  });

  it('warns of a secret key file that others can read', async () => {
    const options = await writeKeys('keys', await generateKey());
    const warning = 'the secret key file can be read by other users of this machine';
    for (const [mode, isWarned] of [
      [0o600, false],
      [0o644, true],
    ] as const) {
      await chmod(join(folderPath, 'keys'), mode);
      const { server } = await start(options);
      const { stderr } = await server.stop();
      expect(stderr.includes(warning)).toBe(isWarned);
    }
  });
});

describe('tradepost-server secrets', () => {
  it('prints a key alone on stdout, to be redirected into a file', async () => {
    const { code, stdout, stderr } = await runOperator(['secrets', 'generate-key']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^tpsk_[0-9a-f]{72}\n$/);
    expect(stderr).toMatch(/^This is key [0-9a-f]{8}\. Keep it apart from the database/);
    expect(stderr).not.toContain(stdout.trim());
  });

  it('rotates while a server runs and delivers: no delivery fails, and no plain text is left', async () => {
    const plain = await start([]);
    const webhooks = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        registerWebhook(
          plain.buyer,
          { url: `${inbox.url}/${index}`, events },
          { idempotencyKey: `webhook-${index}` },
        ),
      ),
    );
    const secrets = webhooks.map(({ secret }) => secret);
    expect(findInFiles(secrets)).toEqual(secrets);
    await plain.server.stop();

    const [first, second] = [await generateKey(), await generateKey()];
    for (const [name, keys] of [
      ['first', [first]],
      ['second', [second, first]],
    ] as const) {
      const options = await writeKeys(name, ...keys);
      const { server, buyer } = await start(options);
      const before = inbox.arrivals.length;
      const placing = placeOrders(buyer, 20);
      const { rotated, keyId } = await runServerCommand<{ rotated: number; keyId: string }>(
        ['secrets', 'rotate', ...options],
        database,
      );
      // Each has a secret and the stored response to its creation.
      expect({ rotated, keyId }).toEqual({ rotated: 10, keyId: keys[0].keyId });
      await placing;
      await inbox.until(({ length }) => length === before + 100);
      expect(findInFiles(secrets)).toEqual([]);
      const { stderr } = await server.stop();
      expect(stderr).not.toContain('attempt could not be made');
      const warning = 'some endpoint secrets are still stored in plain text';
      expect(stderr.includes(warning)).toBe(name === 'first');
    }

    const { server, buyer } = await start(await writeKeys('only', second));
    for (const [index, { id, secret }] of webhooks.entries()) {
      const again = await registerWebhook(
        buyer,
        { url: `${inbox.url}/${index}`, events },
        { idempotencyKey: `webhook-${index}` },
      );
      expect(again).toMatchObject({ id, secret });
    }
    await server.stop();
    await verifyAll(inbox.arrivals, secrets);
    const signatures = new Set(inbox.arrivals.map(({ headers }) => headers['service-signature']));
    expect(signatures.size).toBe(200);
  });

  it.each([
    ['without a key', {}, 'There is no secret key. Create one with'],
    ['with an invalid key', { TRADEPOST_SECRET_KEY: 'tpsk_1' }, 'Key 1 is cut off'],
  ])('rejects a rotation %s', async (_what, env, message) => {
    const { code, stdout, stderr } = await runOperator(
      ['secrets', 'rotate', '--database', database],
      env,
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it('encrypts what a server without a key stored after the first rotation', async () => {
    const { buyer } = await start([]);
    await registerWebhook(buyer, { url: inbox.url, events });
    const { secretKey } = await generateKey();
    const args = ['secrets', 'rotate', '--database', database];
    const first = await runOperator(args, { TRADEPOST_SECRET_KEY: secretKey });
    expect(first.code).toBe(0);
    await registerWebhook(buyer, { url: `${inbox.url}/2`, events });
    const second = await runOperator(args, { TRADEPOST_SECRET_KEY: secretKey });
    // A secret and the stored response to its creation.
    expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rotated {2}2$/m) });
  });
});
