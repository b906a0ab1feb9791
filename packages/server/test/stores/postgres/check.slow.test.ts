import { noon } from '@tradepost/domain/test/builders';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { CheckResult } from '../../../src/stores/check-report';
import { checkDatabase } from '../../../src/stores/postgres/check';
import { referenceRules, ruleGroups } from '../../../src/stores/postgres/check-rules';
import { currentSchemaVersion } from '../../../src/stores/postgres/migrate';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { ruleGroups as sqliteRuleGroups } from '../../../src/stores/sqlite/check-rules';
import { fillStore } from '../../helpers/fill-store';
import { startPostgres, type TestDatabase } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

const postgres = await startPostgres();
afterAll(postgres.stop);

let sound: TestDatabase;
let url: string;

beforeAll(async () => {
  sound = await postgres.createDatabase();
  const store = await openPostgresStore(sound.url);
  const { buyer, seller, agent } = await fillStore(store);
  // Reading a log numbers its entries.
  for (const { accountId } of [buyer, seller, agent]) {
    await store.events.readEvents(accountId, 0, 1);
  }
  await store.close();
});

beforeEach(async () => {
  const database = await postgres.createDatabase(new URL(sound.url).pathname.slice(1));
  url = database.url;
  return () => database.remove();
});

async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Drops the constraints of the schema, except primary keys. */
const dropConstraints = `DO $$
  DECLARE c RECORD;
  BEGIN
    FOR c IN SELECT conname AS name, conrelid::regclass AS tab FROM pg_constraint
      WHERE connamespace = current_schema()::regnamespace AND contype IN ('c', 'f')
    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.tab, c.name); END LOOP;
  END $$;`;

/** Changes the data as a program without the rules of the schema would. */
async function damage(sql: string): Promise<void> {
  await query(`${dropConstraints} ${sql}`);
}

async function findProblems(): Promise<CheckResult[]> {
  const { checks } = await checkDatabase(url, noon);
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
    'UPDATE listings SET low_stock_notified = NOT low_stock_notified, available_quantity = CASE WHEN low_stock_notified THEN 0 ELSE 100 END',
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
    `UPDATE account_events SET event_id = event_id || '_none'`,
  ],
  [
    'events',
    'event log entries without an account',
    `UPDATE account_events SET account_id = account_id || '_none'`,
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
  ['events', 'deliveries of another type than their event', 'UPDATE deliveries SET test = TRUE'],
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
    'UPDATE queues SET paused = NOT paused',
  ],
  [
    'queues',
    'queues that nothing polls, or too late',
    'UPDATE queues SET concurrency_limit = 32, next_at = NULL',
  ],
  [
    'queues',
    'queues that nothing polls, or too late',
    'UPDATE queues SET concurrency_limit = 32, next_at = 9000000000000000',
  ],
  [
    'queues',
    'queues that are polled though nothing may be leased',
    'UPDATE queues SET next_at = 1 WHERE paused',
  ],
  [
    'events',
    'event logs that end before their last entry',
    'UPDATE event_logs SET last_seq = last_seq - 1',
  ],
  [
    'deliveries',
    'deliveries that are leased or finished, and not counted',
    'UPDATE deliveries SET counted = FALSE',
  ],
  [
    'queues',
    'queues with a delivery that is due before they are searched',
    'UPDATE queues SET due_from = 9000000000000000',
  ],
];

describe('checkDatabase', () => {
  test('finds no problem in a sound database, with the checks of SQLite', async () => {
    const { schemaVersion, checks } = await checkDatabase(url, noon);
    expect(schemaVersion).toBe(currentSchemaVersion);
    expect(checks.map(({ name, result }) => [name, result])).toEqual([
      ['integrity', 'ok'],
      ['references', 'ok'],
      ...sqliteRuleGroups.map(({ name }) => [name, 'ok']),
    ]);
    const descriptions = checks.slice(2).map(({ description }) => description);
    expect(descriptions).toEqual(sqliteRuleGroups.map(({ description }) => description));
  });

  test('changes nothing, and leaves nothing behind', async () => {
    const read = () => query('SELECT oid, relname, relpages FROM pg_class ORDER BY oid');
    const before = await read();
    await checkDatabase(url, noon);
    expect(await read()).toEqual(before);
    expect(await query("SELECT 1 FROM pg_proc WHERE proname = 'is_json'")).toEqual([]);
  });

  test.each(damages)('finds in %s: %s (%s)', async (check, problem, sql) => {
    await damage(sql);
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

  test.each(referenceRules.map(({ problem }) => problem))('finds %s', async (problem) => {
    const [, table = '', column = ''] =
      /^rows of (\w+) whose (\w+) leads nowhere$/.exec(problem) ?? [];
    await damage(`UPDATE ${table} SET ${column} = 'none_1'
      WHERE ctid = (SELECT ctid FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1)`);
    const references = (await findProblems()).find(({ name }) => name === 'references');
    expect(references?.problems).toContainEqual({ problem, count: 1, examples: ['none_1'] });
  });

  test('accepts a delivery to a webhook that was removed while it was queued', async () => {
    await damage(`INSERT INTO deliveries SELECT 'dlv_new', event_id, 'whk_none', event_type, test, 'pending', 0, 0, 1, 1, 1,
      FALSE, NULL, NULL, FALSE, NULL, NULL, 1, NULL, NULL FROM deliveries LIMIT 1`);
    expect(await findProblems()).toEqual([]);
  });

  test('says which counter of which queue is wrong', async () => {
    await damage(
      'UPDATE queues SET depth = 70 WHERE webhook_id = (SELECT max(webhook_id) FROM queues)',
    );
    const [{ problems }] = (await findProblems()) as [CheckResult];
    expect(problems).toEqual([
      {
        problem: 'queues with a wrong depth',
        count: 1,
        examples: [expect.stringMatching(/^whk_\w+ has depth 70, not \d+$/)],
      },
    ]);
  });

  test('names five rows at most', async () => {
    await damage("UPDATE notifications SET account_id = 'usr_none'");
    const [row] = await query<{ count: number }>('SELECT count(*)::int FROM notifications');
    const references = (await findProblems()).find(({ name }) => name === 'references');
    expect(references?.problems).toEqual([
      {
        problem: 'rows of notifications whose account_id leads nowhere',
        count: row?.count,
        examples: Array.from({ length: 5 }, () => 'usr_none'),
      },
    ]);
  });

  test('finds what the schema lacks, and reports what cannot be read without it', async () => {
    await damage(`DROP INDEX orders_of_buyer; ALTER TABLE api_keys DROP COLUMN last_used_at;
      UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'deliveries_due'::regclass;
      ALTER TABLE tasks RENAME TO recipes`);
    const found = await findProblems();
    const integrity = found.find(({ name }) => name === 'integrity');
    expect(integrity?.problems[0]).toMatchObject({ problem: 'faults in the schema', count: 9 });
    expect(integrity?.problems[0]?.examples).toEqual(
      expect.arrayContaining(['column api_keys.last_used_at is missing']),
    );
    const tasks = found.find(({ name }) => name === 'tasks');
    expect(tasks?.problems[0]).toMatchObject({
      problem: expect.stringContaining('rows that cannot be read while looking for'),
      examples: ['relation "tasks" does not exist'],
    });
  });

  test('finds code of another program that changes what is written', async () => {
    await damage(`CREATE FUNCTION spy() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER spy BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION spy();
      CREATE RULE forget AS ON INSERT TO attempts DO INSTEAD NOTHING`);
    const [integrity] = await findProblems();
    expect(integrity?.problems[0]?.examples).toEqual([
      'rule forget of table attempts is not of this server',
      'trigger spy of table orders is not of this server',
    ]);
  });

  test('checks one state while a store commits', async () => {
    const store = await openPostgresStore(url);
    onTestFinished(() => store.close());
    const trade = await Trade.open(store);
    await trade.subscribe(trade.buyer, ['order.created']);
    const orders = Array.from({ length: 50 }, () => trade.place());
    expect(await findProblems()).toEqual([]);
    await Promise.all(orders);
    expect(await findProblems()).toEqual([]);
  });

  test("rejects an empty database, another program's and one that cannot be reached", async () => {
    const empty = await postgres.createDatabase();
    onTestFinished(() => empty.remove());
    await expect(checkDatabase(empty.url, noon)).rejects.toThrow('has no tables');
    await query('ALTER TABLE tradepost_schema RENAME TO recipes');
    await expect(checkDatabase(url, noon)).rejects.toThrow('has tables of another program');
    const closed = new URL(url);
    closed.port = '1';
    await expect(checkDatabase(closed.href, noon)).rejects.toThrow('Cannot open the database');
  });
});
