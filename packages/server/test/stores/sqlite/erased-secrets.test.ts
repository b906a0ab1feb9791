import { existsSync, readFileSync } from 'node:fs';
import { anIdempotencyKey, aWebhook, noon } from '@tradepost/domain/test/builders';
import { createEndpointSecret } from '@tradepost/domain/webhooks/webhook';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { tempFile } from '../../helpers/temp-folder';
import { addWebhook, Trade } from '../../helpers/trade';
import { changeWebhook } from '../change-webhook';

let file: string;
let trade: Trade;

beforeEach(async () => {
  file = tempFile();
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  trade = await Trade.open(store);
});

/** Counts a text in the database's files, including the write-ahead log. */
function occurrences(text: string): number {
  const paths = [file, `${file}-wal`].filter((path) => existsSync(path));
  return paths.reduce(
    (sum, path) => sum + readFileSync(path).toString('latin1').split(text).length - 1,
    0,
  );
}

describe('the secrets of a deleted webhook', () => {
  test('are in none of the files once deleted rows are erased', async () => {
    const { store, buyer } = trade;
    const secrets = [createEndpointSecret(), createEndpointSecret(), createEndpointSecret()];
    const [first = '', second = '', third = ''] = secrets;
    const idempotencyKey = (key: string) => anIdempotencyKey({ accountId: buyer.accountId, key });
    const webhook = await addWebhook(
      store,
      aWebhook({ accountId: buyer.accountId, secret: first }),
      idempotencyKey('register'),
    );
    await changeWebhook(
      store,
      webhook,
      { stagedSecret: second, stagedAt: noon },
      { idempotencyKey: idempotencyKey('stage') },
    );
    await changeWebhook(store, webhook, { secret: second, stagedSecret: third });
    await trade.place();
    for (const secret of secrets) expect(occurrences(secret)).toBeGreaterThan(0);

    expect(await store.webhooks.deleteWebhook(buyer.accountId, webhook.id, noon)).toBe(true);
    const prune = () => store.retention.pruneRemovedWebhooks({ limit: 100 });
    while ((await prune()).removed > 0);
    expect(await store.retention.eraseDeleted()).toBe(true);
    expect(secrets.map(occurrences)).toEqual([0, 0, 0]);
  });

  test('are erased later when others read or write at that time', async () => {
    const { store, buyer } = trade;
    const { id, secret } = await trade.subscribe(buyer, ['order.created'], {
      secret: createEndpointSecret(),
    });
    await store.webhooks.deleteWebhook(buyer.accountId, id, noon);
    const reader = new Database(file);
    reader.exec('BEGIN; SELECT count(*) FROM webhooks');
    reader.prepare('SELECT count(*) FROM webhooks').get();
    expect(await store.retention.eraseDeleted()).toBe(false);
    reader.exec('COMMIT');
    reader.close();
    expect(await store.retention.eraseDeleted()).toBe(true);
    expect(occurrences(secret)).toBe(0);
  });
});
