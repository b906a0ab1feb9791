import { existsSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { newEndpointSecret } from '../../../src/webhooks/webhook';
import { aClaim, aWebhook, noon } from '../../builders';
import { tempFile } from '../../temp-folder';
import { changeWebhook } from '../ask-webhooks';
import { addWebhook, Trade } from '../trade';

let file: string;
let trade: Trade;

beforeEach(async () => {
  file = tempFile();
  const store = openSqliteStore(file);
  onTestFinished(() => store.close());
  trade = await Trade.open(store);
});

/** How often a text stands in the database's files, its log included. */
function occurrences(text: string): number {
  const paths = [file, `${file}-wal`].filter((path) => existsSync(path));
  return paths.reduce(
    (sum, path) => sum + readFileSync(path).toString('latin1').split(text).length - 1,
    0,
  );
}

describe('the secrets of a deleted webhook', () => {
  test('are in none of the files once what was deleted is erased', async () => {
    const { store, buyer } = trade;
    const secrets = [newEndpointSecret(), newEndpointSecret(), newEndpointSecret()];
    const [first = '', second = '', third = ''] = secrets;
    const claim = (key: string) => aClaim({ accountId: buyer.accountId, key });
    const webhook = await addWebhook(
      store,
      aWebhook({ accountId: buyer.accountId, secret: first }),
      claim('register'),
    );
    await changeWebhook(
      store,
      webhook,
      { stagedSecret: second, stagedAt: noon },
      { claim: claim('stage') },
    );
    await changeWebhook(store, webhook, { secret: second, stagedSecret: third });
    await trade.place();
    for (const secret of secrets) expect(occurrences(secret)).toBeGreaterThan(0);

    expect(await store.webhooks.removeWebhook(buyer.accountId, webhook.id, noon)).toBe(true);
    const prune = () => store.retention.pruneRemovedWebhooks({ limit: 100 });
    while ((await prune()).removed > 0);
    expect(await store.retention.eraseDeleted()).toBe(true);
    expect(secrets.map(occurrences)).toEqual([0, 0, 0]);
  });

  test('are erased later when others read or write just then', async () => {
    const { store, buyer } = trade;
    const { id, secret } = await trade.subscribe(buyer, ['order.created'], {
      secret: newEndpointSecret(),
    });
    await store.webhooks.removeWebhook(buyer.accountId, id, noon);
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
