import { existsSync, readFileSync } from 'node:fs';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { aContext, anIdempotencyKey, aWebhook, noon } from '@tradepost/domain/test/builders';
import { createEndpointSecret, type Webhook } from '@tradepost/domain/webhooks/webhook';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { generateSecretKey, parseSecretKeys } from '../../../src/stores/encryption';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import type { Store } from '../../../src/stores/store';
import { leaseDue } from '../../helpers/leasing';
import { tempFile } from '../../helpers/temp-folder';
import { addWebhook, Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';

const [oldKey, newKey] = [generateSecretKey(), generateSecretKey()];
const [oldId = '', newId = ''] = parseSecretKeys(`${oldKey}\n${newKey}`).map(({ id }) => id);

let file: string;

beforeEach(() => {
  file = tempFile();
});

/** Opens the file with keys, the newest first. */
function open(...keys: string[]): Store {
  const secretKeys = keys.length === 0 ? [] : parseSecretKeys(keys.join('\n'));
  const store = openSqliteStore(file, { secretKeys });
  onTestFinished(() => store.close());
  return store;
}

function withConnection<Result>(use: (connection: Database.Database) => Result): Result {
  const connection = new Database(file);
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}

function rows(sql: string): Record<string, string>[] {
  return withConnection((connection) => connection.prepare(sql).all()) as Record<string, string>[];
}

function run(sql: string): void {
  withConnection((connection) => connection.exec(sql));
}

/** Returns which of some texts are in any of the files of the database, as text or as bytes of their base64. */
function findInFiles(texts: readonly string[]): string[] {
  const paths = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
  const bytes = paths.map((path) => readFileSync(path));
  return texts.filter((text) => {
    const forms = [Buffer.from(text), Buffer.from(text.replace('whsec_', ''), 'base64')];
    return bytes.some((content) => forms.some((form) => content.includes(form)));
  });
}

interface TradeWithWebhook {
  trade: Trade;
  webhook: Webhook;
  /** The keys of the requests that created it and staged its secret. */
  created: ReturnType<typeof anIdempotencyKey>;
  staged: ReturnType<typeof anIdempotencyKey>;
  secrets: [current: string, staged: string];
}

/** Adds a webhook with a staged secret, and the stored responses of both requests. */
async function addWebhookWithStagedSecret(store: Store): Promise<TradeWithWebhook> {
  const trade = await Trade.open(store);
  const { accountId } = trade.buyer;
  const secrets: [string, string] = [createEndpointSecret(), createEndpointSecret()];
  const created = anIdempotencyKey({ accountId, operation: 'createWebhook', key: 'create' });
  const staged = anIdempotencyKey({ accountId, operation: 'stageWebhookSecret', key: 'stage' });
  const webhook = await addWebhook(store, aWebhook({ accountId, secret: secrets[0] }), created);
  const change = { stagedSecret: secrets[1], stagedAt: noon };
  await changeWebhook(store, webhook, change, { idempotencyKey: staged });
  return { trade, webhook, created, staged, secrets };
}

/** Repeats the requests of `addWebhookWithStagedSecret`. Returns the secrets of the replayed responses. */
async function replay(store: Store, { webhook, created, staged }: TradeWithWebhook) {
  const request = { accountId: webhook.accountId, idempotencyKey: created, context: aContext() };
  const first = await store.webhooks.addWebhook(request, () => {
    throw new Error('it was decided again');
  });
  const second = await changeWebhook(
    store,
    webhook,
    () => {
      throw new Error('it was decided again');
    },
    { idempotencyKey: staged },
  );
  const { secret } = (first.response as unknown as { body: Webhook }).body;
  return { replayed: [first.replayed, second.replayed], secret, staged: second.response.body };
}

async function leaseSecrets(store: Store, trade: Trade, now = noon) {
  await trade.on(store).place({ now });
  const leased = await leaseDue(store, now);
  return leased.map(({ secret, stagedSecret }) => [secret, stagedSecret]);
}

async function rotate(store: Store) {
  const total = { rotated: 0, unreadable: [] as string[], steps: 0 };
  let after: string | null = null;
  do {
    const { rotated, unreadable, next } = await store.secrets.rotate({ after, limit: 2 });
    total.rotated += rotated;
    total.unreadable.push(...unreadable);
    total.steps += 1;
    after = next;
  } while (after !== null);
  return total;
}

describe('with a secret key', () => {
  test('no endpoint secret is in the files, while it is used and afterwards', async () => {
    const store = open(newKey);
    const added = await addWebhookWithStagedSecret(store);
    expect(await leaseSecrets(store, added.trade)).toEqual([added.secrets]);
    expect(
      await store.webhooks.findWebhook(added.webhook.accountId, added.webhook.id),
    ).toMatchObject({
      secret: added.secrets[0],
      stagedSecret: added.secrets[1],
    });
    expect(findInFiles(added.secrets)).toEqual([]);
    await changeWebhook(store, added.webhook, (found) => ({
      secret: found.stagedSecret ?? '',
      stagedSecret: null,
    }));
    expect(await leaseSecrets(store, added.trade, noon + 1)).toEqual([[added.secrets[1], null]]);
    expect(findInFiles(added.secrets)).toEqual([]);
    await store.close();
    expect(findInFiles(added.secrets)).toEqual([]);
    // Without a key, the search finds them.
    file = tempFile();
    const plain = await addWebhookWithStagedSecret(open());
    expect(findInFiles(plain.secrets)).toEqual(plain.secrets);
  });

  test('every column that shows a secret says which key it needs, and other responses stay plain', async () => {
    const store = open(newKey);
    const { trade } = await addWebhookWithStagedSecret(store);
    const idempotencyKey = anIdempotencyKey({ accountId: trade.buyer.accountId, key: 'order' });
    await trade.place({ idempotencyKey });
    const [webhook] = rows('SELECT secret, staged_secret FROM webhooks');
    const responses = rows('SELECT operation, response FROM idempotency_keys ORDER BY operation');
    for (const text of [
      webhook?.secret,
      webhook?.staged_secret,
      responses[1]?.response,
      responses[2]?.response,
    ]) {
      expect(text).toMatch(new RegExp(`^encrypted:1:${newId}:`));
    }
    expect(responses[0]).toMatchObject({
      operation: 'createOrder',
      response: expect.stringMatching(/^\{/),
    });
  });

  test('a repeated request gets the same secret as the first, also after a restart', async () => {
    const added = await addWebhookWithStagedSecret(open(newKey));
    const expected = {
      replayed: [true, true],
      secret: added.secrets[0],
      staged: { stagedSecret: added.secrets[1] },
    };
    expect(await replay(open(newKey), added)).toMatchObject(expected);
  });

  test('secrets from before the key continue to work, and are encrypted when they change', async () => {
    const added = await addWebhookWithStagedSecret(open());
    const store = open(newKey);
    expect(await leaseSecrets(store, added.trade)).toEqual([added.secrets]);
    expect(await replay(store, added)).toMatchObject({ secret: added.secrets[0] });
    expect(await store.secrets.listKeyIds()).toEqual([null]);
    await changeWebhook(store, added.webhook, { status: 'paused' });
    expect(rows('SELECT secret FROM webhooks')[0]?.secret).toMatch(/^encrypted:1:/);
    expect((await store.secrets.listKeyIds()).sort()).toEqual([newId, null].sort());
  });
});

describe('a database with encrypted secrets', () => {
  test.each([
    ['without a key', []],
    ['with another key', [newKey]],
  ])('is not opened %s, and the error names the missing key', async (_what, keys) => {
    const store = open(oldKey);
    await addWebhookWithStagedSecret(store);
    await store.close();
    const opening = () => open(...keys);
    expect(opening).toThrow(StoreUnavailableError);
    expect(opening).toThrow(
      `The database ${file} has secrets that are encrypted with the secret key ${oldId}, which this process does not have. Add it to TRADEPOST_SECRET_KEY or --secret-key-file.`,
    );
  });

  test('is not opened if only a stored response needs the missing key', async () => {
    const store = open(oldKey);
    await addWebhookWithStagedSecret(store);
    await store.close();
    run("UPDATE webhooks SET secret = 'whsec_cGxhaW4=', staged_secret = NULL");
    expect(() => open(newKey)).toThrow(`the secret key ${oldId}`);
  });

  test('is opened for work that needs no secrets', async () => {
    await addWebhookWithStagedSecret(open(oldKey));
    const store = openSqliteStore(file, { usesSecrets: false });
    onTestFinished(() => store.close());
    expect(await store.accounts.listKeys()).toHaveLength(3);
  });

  test('is opened again once its webhooks are deleted', async () => {
    const store = open(oldKey);
    const { webhook } = await addWebhookWithStagedSecret(store);
    await store.webhooks.deleteWebhook(webhook.accountId, webhook.id, noon);
    expect(await open().secrets.listKeyIds()).toEqual([]);
  });
});

describe('a row that was changed behind the store', () => {
  const tampered = "replace(secret, substr(secret, 40, 4), 'AAAA')";

  test('with a tampered secret is listed, but neither signs nor changes', async () => {
    const store = open(newKey);
    const { webhook, trade } = await addWebhookWithStagedSecret(store);
    run(`UPDATE webhooks SET secret = ${tampered}`);
    const [listed] = await store.webhooks.listWebhooks(webhook.accountId, {
      after: null,
      limit: 9,
    });
    expect(listed?.id).toBe(webhook.id);
    const message = `webhooks.secret of ${webhook.id} cannot be decrypted`;
    const changing = changeWebhook(store, webhook, { status: 'paused' });
    await expect(changing).rejects.toThrow(message);
    await trade.place();
    const [delivery] = await leaseDue(store, noon);
    expect(() => delivery?.secret).toThrow(message);
    expect(await store.webhooks.deleteWebhook(webhook.accountId, webhook.id, noon)).toBe(true);
  });

  test.each([
    [
      'the secret of another webhook',
      'UPDATE webhooks SET secret = (SELECT secret FROM webhooks AS w WHERE w.id <> webhooks.id)',
    ],
    ['its staged secret as the current one', 'UPDATE webhooks SET secret = staged_secret'],
  ])('with %s does not sign', async (_what, sql) => {
    const store = open(newKey);
    const { trade } = await addWebhookWithStagedSecret(store);
    await addWebhookWithStagedSecret(store);
    // Remembered secrets must not hide the exchange.
    expect(await leaseSecrets(store, trade)).toHaveLength(1);
    run(sql);
    await trade.place({ now: noon + 1 });
    const [delivery] = await leaseDue(store, noon + 1);
    expect(() => delivery?.secret).toThrow('was changed, or copied from another row');
  });

  test('with the stored response of another request is not replayed', async () => {
    const store = open(newKey);
    const added = await addWebhookWithStagedSecret(store);
    run(
      `UPDATE idempotency_keys SET response = (SELECT response FROM idempotency_keys WHERE key = 'stage')`,
    );
    await expect(replay(store, added)).rejects.toThrow('cannot be decrypted');
    run(`UPDATE idempotency_keys SET webhook_id = NULL`);
    await expect(replay(store, added)).rejects.toThrow('cannot be decrypted');
  });
});

describe('a rotation', () => {
  test('encrypts plain text and old keys with the new key, and leaves no copy of plain text in the files', async () => {
    const plain = open();
    const added = [
      await addWebhookWithStagedSecret(plain),
      await addWebhookWithStagedSecret(plain),
    ];
    const secrets = added.flatMap((one) => one.secrets);
    const old = open(oldKey);
    added.push(await addWebhookWithStagedSecret(old));
    expect(findInFiles(secrets)).toEqual(secrets);
    // The others are closed: they would keep copies in the log.
    await plain.close();
    await old.close();

    const store = open(newKey, oldKey);
    const before = rows('SELECT updated_at FROM webhooks ORDER BY id');
    // Three webhooks, each with two secrets and two responses.
    expect(await rotate(store)).toEqual({ rotated: 12, unreadable: [], steps: 2 });
    expect(await rotate(store)).toMatchObject({ rotated: 0 });
    expect(await store.secrets.listKeyIds()).toEqual([newId]);
    expect(await store.retention.eraseDeleted()).toBe(true);
    expect(findInFiles(added.flatMap((one) => one.secrets))).toEqual([]);
    expect(rows('SELECT updated_at FROM webhooks ORDER BY id')).toEqual(before);
    await store.close();

    const after = open(newKey);
    for (const one of added) {
      expect(await leaseSecrets(after, one.trade)).toEqual([one.secrets]);
      expect(await replay(after, one)).toMatchObject({ secret: one.secrets[0] });
    }
  });

  test('skips what cannot be decrypted and names its webhook', async () => {
    const old = open(oldKey);
    const added = [await addWebhookWithStagedSecret(old), await addWebhookWithStagedSecret(old)];
    const [broken, sound] = added.map(({ webhook }) => webhook.id);
    run(
      `UPDATE webhooks SET secret = replace(secret, substr(secret, 40, 4), 'AAAA') WHERE id = '${broken}'`,
    );
    const store = open(newKey, oldKey);
    expect(await rotate(store)).toMatchObject({ rotated: 7, unreadable: [broken] });
    expect((await store.secrets.listKeyIds()).sort()).toEqual([oldId, newId].sort());
    expect(rows(`SELECT secret FROM webhooks WHERE id = '${sound}'`)[0]?.secret).toContain(newId);
  });

  test('leaves no plain text in the files, even of many webhooks and pages', async () => {
    const plain = open();
    const trade = await Trade.open(plain);
    const secrets: string[] = [];
    for (let count = 0; count < 600; count += 1) {
      const secret = createEndpointSecret();
      secrets.push(secret);
      const { accountId } = [trade.buyer, trade.seller, trade.agent][count % 3] ?? trade.buyer;
      const key = anIdempotencyKey({ accountId, operation: 'createWebhook', key: `key ${count}` });
      await addWebhook(plain, aWebhook({ accountId, secret }), count % 4 === 0 ? null : key);
    }
    await plain.close();
    const store = open(newKey);
    expect(await rotate(store)).toMatchObject({ rotated: 600 + 450 });
    expect(await store.retention.eraseDeleted()).toBe(true);
    expect(findInFiles(secrets)).toEqual([]);
  });
});
