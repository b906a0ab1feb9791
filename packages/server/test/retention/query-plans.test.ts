import { noon } from '@tradepost/domain/test/builders';
import { StatsTally, storedBuckets } from '@tradepost/domain/webhooks/stats-counts';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteDeliveryStore } from '../../src/stores/sqlite/deliveries';
import { createSqliteRetentionStore } from '../../src/stores/sqlite/retention';
import { addStats } from '../../src/stores/sqlite/webhook-stats';
import { expectDirect, PlannedDatabase } from '../helpers/planned-database';
import { tempFile } from '../helpers/temp-folder';
import { insertOldRows, makeFile } from './old-rows';

const step = { after: null, before: noon + 1_000, eventsBefore: noon, limit: 10 };

let db: PlannedDatabase;

beforeEach(async () => {
  const file = tempFile();
  const trade = await makeFile(file);
  db = new PlannedDatabase(file);
  onTestFinished(() => db.close());
  insertOldRows(db, trade, 3);
  db.plans.length = 0;
});

describe('in query plans of housekeeping', () => {
  test('old data is found and removed by keys and indexes, never by a table scan', async () => {
    const retention = createSqliteRetentionStore(db);
    expect(await retention.pruneDeliveries(step)).toMatchObject({ removed: 3 });
    expect(await retention.pruneNotifications({ ...step, unread: false })).toMatchObject({
      removed: 6,
    });
    expect(await retention.pruneEvents(step)).toMatchObject({ removed: 3 });
    expectDirect(db.plans);
  });

  test('events that are removed with their last reference are found by keys and indexes', async () => {
    const retention = createSqliteRetentionStore(db);
    const withEvents = { ...step, eventsBefore: noon + 1_000 };
    await retention.pruneDeliveries(withEvents);
    await retention.pruneNotifications({ ...withEvents, unread: true });
    expectDirect(db.plans);
    expect(db.get('SELECT count(*) AS count FROM events')).toEqual({ count: 0 });
  });

  test('old data of one account is found by its indexes, from the oldest on', async () => {
    const retention = createSqliteRetentionStore(db);
    const accountId = db.get<{ id: string }>('SELECT account_id AS id FROM webhooks')?.id ?? '';
    db.run('UPDATE accounts SET keep_deliveries = 2 WHERE id = ?', accountId);
    db.plans.length = 0;
    expect(await retention.findRetainingAccount(null)).toMatchObject({ webhookIds: ['whk_1'] });
    const withEvents = { ...step, eventsBefore: noon + 1_000 };
    const ofWebhook = { ...withEvents, webhookId: 'whk_1', state: 'delivered' } as const;
    expect(await retention.pruneWebhookDeliveries(ofWebhook)).toMatchObject({ removed: 3 });
    const request = { ...withEvents, accountId, read: true };
    expect(await retention.pruneAccountNotifications(request)).toMatchObject({ removed: 3 });
    expectDirect(db.plans);
    expect(db.plans).toEqual(
      expect.arrayContaining([
        'SEARCH accounts USING INDEX accounts_with_retention (id>?)',
        'SEARCH deliveries USING INDEX deliveries_of_webhook (webhook_id=? AND state=? AND (created_at,id)>(?,?) AND created_at<?)',
        'SEARCH deliveries USING INDEX deliveries_of_webhook (webhook_id=? AND state=? AND (created_at,id)>(?,?) AND (created_at,id)<(?,?))',
        'SEARCH notifications USING COVERING INDEX notifications_of_account_by_read (account_id=? AND read=? AND created_at<?)',
      ]),
    );
  });

  test('expired data is found and removed by keys and indexes', async () => {
    db.run(
      `INSERT INTO idempotency_keys (account_id, operation, key, fingerprint, response, expires_at)
       VALUES ('usr_1', 'createOrder', 'key', '', '{}', ${noon})`,
    );
    const { pruneIdempotencyKeys } = createSqliteRetentionStore(db);
    expect(await pruneIdempotencyKeys({ now: noon, limit: 10 })).toMatchObject({ removed: 1 });
    expectDirect(db.plans);
  });

  test('old statistics are found by their index, and removed by their key', async () => {
    const { pruneStats } = createSqliteRetentionStore(db);
    const width = storedBuckets.minute.width;
    const tally = new StatsTally();
    tally.addFinished('whk_1', 'delivered', noon);
    addStats(db, tally);
    db.plans.length = 0;
    expect(await pruneStats({ width, before: noon + 1, limit: 10 })).toMatchObject({ removed: 1 });
    expectDirect(db.plans);
    const byIndex =
      'SEARCH webhook_stats USING COVERING INDEX webhook_stats_by_start (width=? AND start<?)';
    expect(db.plans.filter((step) => step.includes('webhook_stats'))).toEqual([
      byIndex,
      'SEARCH webhook_stats USING PRIMARY KEY (webhook_id=? AND width=? AND start=?)',
      byIndex,
    ]);
  });

  test('the rows of a deleted webhook are found and removed by keys and indexes', async () => {
    db.run(`UPDATE webhooks SET deleted_at = ${noon} WHERE id = 'whk_1'`);
    db.plans.length = 0;
    const { pruneRemovedWebhooks } = createSqliteRetentionStore(db);
    expect(await pruneRemovedWebhooks({ limit: 100 })).toMatchObject({ removed: 3 });
    expect(await pruneRemovedWebhooks({ limit: 100 })).toMatchObject({ removed: 1 });
    expectDirect(db.plans);
  });

  test('overdue deliveries are found by keys and indexes', async () => {
    db.run(`UPDATE deliveries SET state = 'pending', finished_at = NULL, due_at = ${noon}`);
    db.plans.length = 0;
    expect(await createSqliteDeliveryStore(db).failOverdue({ now: noon + 2, limit: 10 })).toBe(3);
    expectDirect(db.plans);
  });

  test('the state of the queues is read from a row of each and the head of each', async () => {
    db.run(`UPDATE deliveries SET state = 'pending', finished_at = NULL, due_at = ${noon}`);
    db.run('UPDATE queues SET depth = 3');
    db.plans.length = 0;
    expect(await createSqliteDeliveryStore(db).queueStatus(noon)).toEqual({
      depth: 3,
      inFlight: 0,
      oldestDueAt: noon,
    });
    const [queues, , head] = db.plans;
    expect(queues).toBe('SCAN queues');
    expect(head).toMatch(/^SEARCH deliveries USING COVERING INDEX deliveries_due \(/);
  });
});
