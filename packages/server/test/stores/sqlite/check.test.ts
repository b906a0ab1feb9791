import { copyFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { updateListing } from '@tradepost/domain/listings/listing';
import { noon } from '@tradepost/domain/test/builders';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { CheckResult } from '../../../src/stores/check-report';
import { checkDatabase } from '../../../src/stores/sqlite/check';
import { ruleGroups } from '../../../src/stores/sqlite/check-rules';
import { currentSchemaVersion } from '../../../src/stores/sqlite/migrate';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store';
import { aResult, failedResult, leaseDue } from '../../helpers/leasing';
import { makeTempFolder, tempFile } from '../../helpers/temp-folder';
import { Trade } from '../../helpers/trade';
import { inspectFile } from './inspect-file';

const template = makeTempFolder();
const sound = `${template.path}/sound.db`;
let file: string;

/** Creates a database with orders in each status, and deliveries that are delivered, due again, leased and due. */
beforeAll(async () => {
  const store = openSqliteStore(sound);
  const trade = await Trade.open(store, { availableQuantity: 60, lowThreshold: 30 });
  await trade.subscribe(trade.buyer, ['order.created', 'order.status_changed']);
  await trade.subscribe(trade.seller, ['order.created'], { status: 'paused' });
  const removed = await trade.subscribe(trade.agent, ['order.created']);
  const orders = await Promise.all([0, 1, 2, 3].map(() => trade.place()));
  const [first, second, third] = orders;
  if (!(first && second && third)) throw new Error('there are orders');
  await trade.move(first, 'confirmed');
  await trade.move(second, 'cancelled');
  await trade.move(third, 'fulfilling');
  await trade.move(third, 'completed');
  const leased = await leaseDue(store, noon, 6);
  const [delivered, failed] = leased;
  if (!(delivered && failed)) throw new Error('there are deliveries');
  const results = [aResult(delivered), failedResult(failed, noon + 60_000)];
  await store.deliveries.recordAttempts(results, noon);
  await store.webhooks.deleteWebhook(trade.agent.accountId, removed.id, noon);
  await store.close();
  return template.remove;
});

beforeEach(() => {
  file = tempFile();
  copyFileSync(sound, file);
});

/** Changes the data as a program without the rules of the schema would. */
function damage(sql: string): void {
  inspectFile(file, (connection) => {
    connection.pragma('foreign_keys = OFF');
    connection.pragma('ignore_check_constraints = ON');
    connection.exec(sql);
  });
}

async function findProblems(): Promise<CheckResult[]> {
  const { checks } = await checkDatabase(file, noon);
  return checks.filter(({ result }) => result !== 'ok');
}

/** One way to break each rule. */
const damages: [check: string, problem: string, sql: string][] = [
  [
    'accounts',
    'listings whose seller_id is an account of another kind',
    `UPDATE accounts SET kind = 'agent' WHERE kind = 'seller'`,
  ],
  [
    'accounts',
    'listings whose agent_id is an account of another kind',
    `UPDATE accounts SET kind = 'seller' WHERE kind = 'agent'`,
  ],
  [
    'accounts',
    'orders whose agent_id is an account of another kind',
    `UPDATE accounts SET kind = 'seller' WHERE kind = 'agent'`,
  ],
  [
    'accounts',
    'orders whose buyer_id is an account of another kind',
    `UPDATE accounts SET kind = 'agent' WHERE kind = 'buyer'`,
  ],
  [
    'stock',
    'listings with a negative available quantity',
    'UPDATE listings SET available_quantity = -1',
  ],
  [
    'stock',
    'listings with more or fewer units than were supplied and not ordered',
    "UPDATE orders SET quantity = quantity + 1 WHERE status <> 'cancelled'",
  ],
  [
    'stock',
    'listings whose low-stock mark contradicts their quantity and threshold',
    'UPDATE listings SET low_stock_notified = 1 - low_stock_notified, available_quantity = 100 * (1 - low_stock_notified)',
  ],
  [
    'orders',
    'orders with an unknown status',
    `UPDATE orders SET status = 'lost' WHERE status = 'completed'`,
  ],
  ['orders', 'orders whose version does not fit their status', 'UPDATE orders SET version = 9'],
  ['orders', 'orders without units', 'UPDATE orders SET quantity = 0'],
  [
    'orders',
    'orders of another seller than their listing',
    'UPDATE orders SET seller_id = buyer_id',
  ],
  [
    'orders',
    'orders changed before they were created',
    'UPDATE orders SET updated_at = created_at - 1',
  ],
  ['tasks', 'orders with an agent and without a task', 'DELETE FROM tasks'],
  ['tasks', 'tasks of another agent than their order', 'UPDATE orders SET agent_id = NULL'],
  [
    'tasks',
    'tasks that are open though their order is not pending, or the reverse',
    'UPDATE tasks SET completed_at = NULL',
  ],
  [
    'events',
    'event log entries without an event',
    `UPDATE account_events SET event_id = 'evt_none'`,
  ],
  [
    'events',
    'event log entries without an account',
    `UPDATE account_events SET account_id = 'usr_none'`,
  ],
  ['events', 'events whose body is not JSON', `UPDATE events SET body = '{'`],
  [
    'events',
    'events with a version that their order has not reached',
    'UPDATE events SET order_version = 9',
  ],
  [
    'events',
    'notifications of another type or order than their event',
    `UPDATE notifications SET type = 'task_completed'`,
  ],
  ['events', 'deliveries of another type than their event', 'UPDATE deliveries SET test = 1'],
  ['webhooks', 'webhooks without a queue', 'DELETE FROM queues'],
  [
    'webhooks',
    'webhooks without a subscription, or deleted ones with one',
    'DELETE FROM webhook_events',
  ],
  [
    'webhooks',
    'subscriptions of another account than their webhook',
    `UPDATE webhook_events SET account_id = 'usr_none'`,
  ],
  [
    'webhooks',
    'webhooks with an unknown status',
    `UPDATE webhooks SET status = 'gone' WHERE status = 'active'`,
  ],
  [
    'webhooks',
    'webhooks without a secret',
    `UPDATE webhooks SET secret = '' WHERE deleted_at IS NULL`,
  ],
  [
    'webhooks',
    'deleted webhooks whose secret is still stored',
    `UPDATE webhooks SET secret = 'whsec_1' WHERE deleted_at IS NOT NULL`,
  ],
  [
    'webhooks',
    'stored responses that show a deleted webhook',
    `INSERT INTO idempotency_keys SELECT account_id, 'createWebhook', 'key', 'f', '{}', 1, id FROM webhooks WHERE deleted_at IS NOT NULL`,
  ],
  [
    'deliveries',
    'deliveries with an unknown state',
    `UPDATE deliveries SET state = 'lost' WHERE state = 'delivered'`,
  ],
  [
    'deliveries',
    'pending deliveries that are neither due nor leased, or both',
    'UPDATE deliveries SET due_at = NULL WHERE lease_until IS NULL',
  ],
  [
    'deliveries',
    'pending deliveries with an end, or without a start of their wait',
    'UPDATE deliveries SET finished_at = 1',
  ],
  [
    'deliveries',
    'finished deliveries that are due or leased, or have no end',
    'UPDATE deliveries SET finished_at = NULL',
  ],
  ['deliveries', 'deliveries with half a lease', 'UPDATE deliveries SET lease_token = NULL'],
  ['deliveries', 'deliveries with missing or surplus attempts', 'DELETE FROM attempts'],
  ['queues', 'queues with a wrong depth', 'UPDATE queues SET depth = depth + 1'],
  ['queues', 'queues with a wrong number in flight', 'UPDATE queues SET in_flight = in_flight + 1'],
  [
    'queues',
    'queues that are paused though their webhook is not, or the reverse',
    'UPDATE queues SET paused = 1 - paused',
  ],
  [
    'queues',
    'queues that nothing polls, or too late',
    'UPDATE queues SET concurrency_limit = 32, next_at = NULL',
  ],
  [
    'queues',
    'queues that nothing polls, or too late',
    'UPDATE queues SET concurrency_limit = 32, next_at = 9e15',
  ],
  [
    'queues',
    'queues that are polled though nothing may be leased',
    'UPDATE queues SET next_at = 1 WHERE paused = 1',
  ],
];

describe('checkDatabase', () => {
  test('finds no problem in a sound database, and changes nothing', async () => {
    const before = readFileSync(file);
    const { schemaVersion, checks } = await checkDatabase(file, noon);
    expect(schemaVersion).toBe(currentSchemaVersion);
    expect(checks.map(({ name, result }) => [name, result])).toEqual([
      ['integrity', 'ok'],
      ['references', 'ok'],
      ...ruleGroups.map(({ name }) => [name, 'ok']),
    ]);
    expect(readFileSync(file)).toEqual(before);
  });

  test.each(damages)('finds in %s: %s (%s)', async (check, problem, sql) => {
    damage(sql);
    const found = await findProblems();
    const { problems } = found.find(({ name }) => name === check) ?? { problems: [] };
    const match = problems.find((one) => one.problem === problem);
    expect(match).toMatchObject({ examples: expect.arrayContaining([expect.any(String)]) });
    expect(match?.count).toBeGreaterThan(0);
  });

  test('has a test of each rule', () => {
    const tested = new Set(damages.map(([, problem]) => problem));
    expect(tested).toEqual(
      new Set(ruleGroups.flatMap(({ rules }) => rules.map(({ problem }) => problem))),
    );
  });

  test('says which counter of which queue is wrong', async () => {
    damage('UPDATE queues SET depth = 70 WHERE paused = 0');
    const [{ problems }] = (await findProblems()) as [CheckResult];
    expect(problems).toEqual([
      {
        problem: 'queues with a wrong depth',
        count: 1,
        examples: [expect.stringMatching(/^whk_\w+ has depth 70, not \d+$/)],
      },
    ]);
  });

  test.each([
    ['orders', 'listing_id', 'DELETE FROM listings'],
    ['deliveries', 'event_id', 'DELETE FROM events'],
    ['deliveries', 'webhook_id', 'DELETE FROM webhooks'],
    ['notifications', 'event_id', 'DELETE FROM events'],
    ['notifications', 'account_id', `UPDATE notifications SET account_id = 'usr_none'`],
    ['events', 'order_id', `UPDATE events SET order_id = 'ord_none'`],
    ['tasks', 'order_id', 'DELETE FROM orders'],
    ['attempts', 'delivery_seq', 'UPDATE attempts SET delivery_seq = delivery_seq + 99'],
    ['queues', 'webhook_id', 'DELETE FROM webhooks'],
    ['api_keys', 'account_id', 'DELETE FROM accounts'],
    ['webhook_events', 'webhook_id', 'DELETE FROM webhooks'],
  ])('finds rows of %s whose %s leads nowhere', async (table, column, sql) => {
    damage(sql);
    const references = (await findProblems()).find(({ name }) => name === 'references');
    expect(references?.problems).toContainEqual({
      problem: `rows of ${table} whose ${column} leads nowhere`,
      count: expect.any(Number),
      examples: expect.any(Array),
    });
  });

  test('counts all rows with a problem and names five of them', async () => {
    damage(`UPDATE notifications SET account_id = 'usr_none'`);
    const references = (await findProblems()).find(({ name }) => name === 'references');
    const total = inspectFile(file, (db) =>
      db.prepare('SELECT count(*) FROM notifications').pluck().get(),
    );
    expect(references?.problems).toEqual([
      {
        problem: 'rows of notifications whose account_id leads nowhere',
        count: total,
        examples: Array.from({ length: 5 }, () => 'usr_none'),
      },
    ]);
  });

  test('finds a damaged page, and reports rows that cannot be read', async () => {
    const root = inspectFile(file, (db) =>
      db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'orders'").pluck().get(),
    );
    const bytes = readFileSync(file);
    bytes.fill(0xff, (Number(root) - 1) * 4_096, Number(root) * 4_096);
    writeFileSync(file, bytes);
    const found = await findProblems();
    const names = found.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['integrity', 'orders']));
    const orders = found.find(({ name }) => name === 'orders');
    expect(orders?.problems[0]).toMatchObject({
      problem: expect.stringContaining('cannot be read'),
      examples: ['database disk image is malformed'],
    });
  });

  test('finds what the schema lacks', async () => {
    damage('DROP INDEX orders_of_buyer; ALTER TABLE api_keys DROP COLUMN last_used_at');
    const integrity = (await findProblems()).find(({ name }) => name === 'integrity');
    expect(integrity?.problems[0]?.examples).toEqual([
      'index orders_of_buyer is missing',
      'column api_keys.last_used_at is missing',
    ]);
  });

  test('finds no wrong stock after orders, cancellations and updates of a listing', async () => {
    const store = openSqliteStore(file);
    const trade = await Trade.open(store);
    await trade.place({ quantity: 3 });
    const cancelled = await trade.place({ quantity: 2 });
    await trade.move(cancelled, 'cancelled');
    for (const changes of [{ addedUnits: 10 }, { availableQuantity: 4 }, { lowThreshold: 3 }]) {
      await store.listings.changeListing(trade.listing.id, (found) => {
        if (found === null) throw new Error('no listing');
        return updateListing(found, changes);
      });
    }
    await trade.place({ quantity: 2 });
    await store.close();
    expect(await findProblems()).toEqual([]);
    damage('UPDATE listings SET available_quantity = available_quantity + 1');
    const stock = (await findProblems()).find(({ name }) => name === 'stock');
    expect(stock?.problems[0]?.examples).toContain(`${trade.listing.id} has 3, not 2`);
  });

  test('finds a value that the schema forbids', async () => {
    damage('UPDATE listings SET available_quantity = -1');
    const integrity = (await findProblems()).find(({ name }) => name === 'integrity');
    expect(integrity?.problems[0]?.examples).toEqual(['CHECK constraint failed in listings']);
  });

  test('checks one state while a store commits', async () => {
    const store = openSqliteStore(file);
    onTestFinished(() => store.close());
    const trade = await Trade.open(store);
    await trade.subscribe(trade.buyer, ['order.created']);
    const orders = Array.from({ length: 50 }, () => trade.place());
    expect(await findProblems()).toEqual([]);
    await Promise.all(orders);
    expect(await findProblems()).toEqual([]);
  });

  test('lists the faults that SQLite finds one by one, five at most and without headings', async () => {
    const bytes = Buffer.concat([readFileSync(file), Buffer.alloc(8 * 4_096)]);
    // The number of pages in the header: eight belong to no table.
    bytes.writeUInt32BE(bytes.length / 4_096, 28);
    writeFileSync(file, bytes);
    const integrity = (await findProblems()).find(({ name }) => name === 'integrity');
    const [problem] = integrity?.problems ?? [];
    expect(problem?.count).toBe(8);
    expect(problem?.examples).toHaveLength(5);
    for (const example of problem?.examples ?? [])
      expect(example).toMatch(/^Page \d+: never used$/);
  });

  test.each([
    ['is not a database', () => writeFileSync(file, 'Dear friend'), 'file is not a database'],
    [
      'has a damaged header',
      () => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0x5a, 0, 100));
      },
      'file is not a database',
    ],
    [
      'is truncated',
      () => truncateSync(file, statSync(file).size / 2),
      'database disk image is malformed',
    ],
    ['is empty', () => writeFileSync(file, ''), 'the file is empty'],
  ])('reports a file that %s as damaged', async (_what, damageFile, message) => {
    damageFile();
    const { schemaVersion, checks } = await checkDatabase(file, noon);
    const [integrity, ...others] = checks;
    expect(integrity).toMatchObject({
      name: 'integrity',
      problems: [{ problem: 'faults in the file', count: 1, examples: [message] }],
    });
    expect(schemaVersion).toBeNull();
    expect(others.map(({ name }) => name)).toEqual([
      'references',
      ...ruleGroups.map(({ name }) => name),
    ]);
    expect(new Set(others.map(({ result }) => result))).toEqual(new Set(['skipped']));
  });

  test("rejects a missing file and another program's database", async () => {
    await expect(checkDatabase(`${file}.missing`, noon)).rejects.toThrow('does not exist');
    const other = tempFile('other.db');
    inspectFile(other, (connection) => connection.exec('CREATE TABLE recipes (name TEXT)'));
    await expect(checkDatabase(other, noon)).rejects.toThrow('is not a Tradepost database');
  });
});
