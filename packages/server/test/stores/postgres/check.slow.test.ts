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
import { describeChecks } from '../check-conformance';

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

describe('checkDatabase', () => {
  describeChecks({
    ruleGroups,
    ownDamages: [
      [
        'events',
        'event logs that end before their last entry',
        'UPDATE event_logs SET last_seq = last_seq - 1',
      ],
      [
        'deliveries',
        'deliveries with half a lease',
        'UPDATE pending_deliveries SET lease_token = NULL',
      ],
      [
        'deliveries',
        'deliveries that are both pending and finished',
        'UPDATE pending_deliveries SET id = (SELECT id FROM deliveries LIMIT 1) WHERE id = (SELECT id FROM pending_deliveries LIMIT 1)',
      ],
      [
        'queues',
        'queues with a delivery that is due before they are searched',
        'UPDATE queues SET due_from = 9000000000000000',
      ],
    ],
    damage,
    findProblems,
    open: () => openPostgresStore(url),
  });

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

  test.each(referenceRules.map(({ problem }) => problem))('finds %s', async (problem) => {
    const [, table = '', column = ''] =
      /^rows of (\w+) whose (\w+) leads nowhere$/.exec(problem) ?? [];
    await damage(`UPDATE ${table} SET ${column} = 'none_1'
      WHERE ctid = (SELECT ctid FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1)`);
    const references = (await findProblems()).find(({ name }) => name === 'references');
    expect(references?.problems).toContainEqual({ problem, count: 1, examples: ['none_1'] });
  });

  test('accepts a delivery to a webhook that was removed while it was queued', async () => {
    await damage(`INSERT INTO pending_deliveries (id, event_id, webhook_id, event_type, test, attempts, tries,
        deadline_at, lease_counts, created_at)
      SELECT 'dlv_new', event_id, 'whk_none', event_type, test, 0, 0, 1, FALSE, created_at FROM deliveries LIMIT 1;
      INSERT INTO queue_signals (due_at, webhook_id, deliveries) VALUES (1, 'whk_none', 1)`);
    expect(await findProblems()).toEqual([]);
  });

  test('finds what the schema lacks, and reports what cannot be read without it', async () => {
    await damage(`DROP INDEX orders_of_buyer; ALTER TABLE api_keys DROP COLUMN last_used_at;
      UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'pending_deliveries_due'::regclass;
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
