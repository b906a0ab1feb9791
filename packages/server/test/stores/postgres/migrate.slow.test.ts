import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkDatabase } from '../../../src/stores/postgres/check';
import {
  createTables,
  currentSchemaVersion,
  migrateDatabase,
} from '../../../src/stores/postgres/migrate';
import type * as current from '../../../src/stores/postgres/migrations/migrations';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store';
import { connectForTest } from '../../helpers/connect-for-test';
import { startPostgres } from '../../helpers/postgres';
import { Trade } from '../../helpers/trade';

/** The migrations of a later version of the server: one builds and drops indexes, two lock one table each. */
vi.mock('../../../src/stores/postgres/migrations/migrations', async (load) => {
  const { migrations } = await load<typeof current>();
  const later = [
    {
      summary: 'builds an index of quantities, drops that of events',
      compatibleFrom: 1,
      indexes: [
        'CREATE INDEX CONCURRENTLY orders_by_quantity ON orders (quantity)',
        'DROP INDEX CONCURRENTLY IF EXISTS deliveries_of_event',
      ],
    },
    {
      summary: 'adds notes to listings',
      compatibleFrom: migrations.length + 2,
      transaction:
        "ALTER TABLE listings ADD COLUMN IF NOT EXISTS note TEXT; UPDATE listings SET note = 'of ' || id",
    },
    {
      summary: 'adds notes to events',
      compatibleFrom: 1,
      transaction: 'ALTER TABLE events ADD COLUMN IF NOT EXISTS note TEXT',
    },
  ];
  return { migrations: [...migrations, ...later] };
});

/** The version before these migrations. */
const released = currentSchemaVersion - 3;

const postgres = await startPostgres();
afterAll(postgres.stop);

/** Creates a database with the schema before the later migrations. Returns a client of it and its URL. */
async function createOldDatabase() {
  const { url } = await postgres.createDatabase();
  const client = await connectForTest(url);
  await createTables(client, released);
  await client.query(
    'CREATE TABLE tradepost_schema (one BOOLEAN PRIMARY KEY CHECK (one), version BIGINT NOT NULL, min_compatible_version BIGINT NOT NULL)',
  );
  await client.query(`INSERT INTO tradepost_schema VALUES (TRUE, ${released}, 1)`);
  await client.query(`
    INSERT INTO accounts VALUES ('usr_1', 'seller', 'Seller', 0);
    INSERT INTO listings VALUES ('lst_1', 'usr_1', NULL, 10, 10, NULL, FALSE, 0, NULL)
  `);
  return { url, client };
}

const insertOrder = (id: string) =>
  `INSERT INTO orders VALUES ('${id}', 'pending', 'usr_2', 'usr_1', NULL, 'lst_1', 1, 1, 0, 0)`;

async function readVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'SELECT version::int FROM tradepost_schema',
  );
  return rows[0]?.version ?? 0;
}

/** Expects the schema of the newest version, which `check` compares with the migrations. */
async function expectMigrated(url: string, client: pg.Client): Promise<void> {
  expect(await readVersion(client)).toBe(currentSchemaVersion);
  const { checks } = await checkDatabase(url, 0);
  expect(checks[0]).toMatchObject({ result: 'ok' });
  const { rows } = await client.query(
    "SELECT indisvalid FROM pg_index WHERE indexrelid = 'orders_by_quantity'::regclass OR indexrelid = to_regclass('deliveries_of_event')",
  );
  expect(rows).toEqual([{ indisvalid: true }]);
}

test('a migration holds the locks of one version, so that an order that is created meanwhile does not wait for it', async () => {
  const { url, client } = await createOldDatabase();
  const ordering = await connectForTest(url);
  // As a server of the previous version does: first the listing, then the order.
  await ordering.query("BEGIN; SET LOCAL lock_timeout = '200ms'");
  await ordering.query("UPDATE listings SET available_quantity = 9 WHERE id = 'lst_1'");
  const migration = migrateDatabase(url, { dryRun: false });
  while ((await readVersion(client)) <= released)
    await Promise.race([migration, client.query('SELECT 1')]);
  await ordering.query(insertOrder('ord_1'));
  await ordering.query('COMMIT');

  expect(await migration).toMatchObject({ from: released, to: currentSchemaVersion });
  await expectMigrated(url, client);
  const { rows } = await client.query(
    'SELECT note FROM listings JOIN orders ON listing_id = listings.id',
  );
  expect(rows).toEqual([{ note: 'of lst_1' }]);
});

describe('while an index is built', () => {
  /** Starts a migration that cannot finish its index, because a transaction has written to the table before. */
  async function startMigration({ url, client }: { url: string; client: pg.Client }) {
    const writer = await connectForTest(url);
    await writer.query('BEGIN');
    await writer.query(insertOrder('ord_before'));
    const migration = migrateDatabase(url, { dryRun: false });
    migration.catch(() => {});
    const findBuilder = async () => {
      const { rows } = await client.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_progress_create_index WHERE datname = current_database() AND phase LIKE 'waiting%'",
      );
      return rows[0]?.pid;
    };
    await vi.waitFor(async () => expect(await findBuilder()).toBeDefined(), 20_000);
    return { url, client, writer, migration, findBuilder };
  }

  test('orders are placed and changed, and servers stay ready', async () => {
    const { url } = await postgres.createDatabase();
    const store = await openPostgresStore(url);
    onTestFinished(() => store.close());
    const trade = await Trade.open(store);
    // As this server was when its schema was the current one.
    const client = await connectForTest(url);
    await client.query(
      `DROP INDEX orders_by_quantity; UPDATE tradepost_schema SET version = ${released}`,
    );
    const { writer, migration } = await startMigration({ url, client });
    let isMigrating = true;
    const migrated = migration.finally(() => {
      isMigrating = false;
    });
    const placed: string[] = [];
    for (let number = 0; number < 20 || isMigrating; number += 1) {
      const order = await trade.place({ quantity: 1 });
      await trade.move(order, 'fulfilling');
      await store.checkWritable();
      placed.push(order.id);
      if (number === 20) await writer.query('COMMIT');
    }
    await migrated;
    await expectMigrated(url, client);
    const { rows } = await client.query<{ id: string }>(
      "SELECT id FROM orders WHERE quantity = 1 AND status = 'fulfilling'",
    );
    expect(rows.map(({ id }) => id).sort()).toEqual(placed.sort());
  });

  test('several processes that migrate wait for it', async () => {
    const { url, client, writer, migration } = await startMigration(await createOldDatabase());
    const others = [1, 2].map(() => migrateDatabase(url, { dryRun: false }));
    await vi.waitFor(async () => {
      const { rows } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'tradepost%' AND datname = current_database()",
      );
      // One each, and two of the process that builds.
      expect(rows.length).toBeGreaterThanOrEqual(5);
    }, 20_000);
    await writer.query('COMMIT');
    for (const { to } of await Promise.all([migration, ...others])) {
      expect(to).toBe(currentSchemaVersion);
    }
    await expectMigrated(url, client);
  });

  test('an interruption leaves an invalid index, which the next migration builds again', async () => {
    const { url, client, writer, migration, findBuilder } = await startMigration(
      await createOldDatabase(),
    );
    await client.query('SELECT pg_terminate_backend($1)', [await findBuilder()]);
    await expect(migration).rejects.toThrow(StoreUnavailableError);
    const { rows } = await client.query(
      "SELECT indisvalid FROM pg_index WHERE indexrelid = 'orders_by_quantity'::regclass",
    );
    expect(rows).toEqual([{ indisvalid: false }]);
    expect(await readVersion(client)).toBe(released);
    await writer.query('COMMIT');
    expect(await migrateDatabase(url, { dryRun: false })).toMatchObject({ from: released });
    await expectMigrated(url, client);
  });
});

test('several processes migrate a database, or create its tables, at the same time', async () => {
  const { url: empty } = await postgres.createDatabase();
  const { url: old } = await createOldDatabase();
  for (const url of [empty, old]) {
    const migrations = [1, 2, 3].map(() => migrateDatabase(url, { dryRun: false }));
    for (const { to } of await Promise.all(migrations)) expect(to).toBe(currentSchemaVersion);
    await expectMigrated(url, await connectForTest(url));
  }
});

test('a dry run says what each migration does, and changes nothing', async () => {
  const { url, client } = await createOldDatabase();
  const { from, to, migrations } = await migrateDatabase(url, { dryRun: true });
  expect([from, to]).toEqual([released, released + 3]);
  expect(migrations).toEqual([
    {
      version: released + 1,
      summary: 'builds an index of quantities, drops that of events',
      blocksChanges: false,
      compatibleFrom: 1,
    },
    {
      version: released + 2,
      summary: 'adds notes to listings',
      blocksChanges: true,
      compatibleFrom: released + 2,
    },
    {
      version: released + 3,
      summary: 'adds notes to events',
      blocksChanges: true,
      compatibleFrom: released + 2,
    },
  ]);
  expect(await readVersion(client)).toBe(released);
});

describe('a server of an older version', () => {
  /** Creates a database with a schema that is newer than this program. */
  async function createNewer(compatibleFrom: number): Promise<string> {
    const { url } = await postgres.createDatabase();
    await migrateDatabase(url, { dryRun: false });
    await (await connectForTest(url)).query(
      `UPDATE tradepost_schema SET version = 99, min_compatible_version = ${compatibleFrom}`,
    );
    return url;
  }

  test('starts on a newer schema that it can use', async () => {
    const store = await openPostgresStore(await createNewer(currentSchemaVersion));
    onTestFinished(() => store.close());
    await store.checkWritable();
    const order = await (await Trade.open(store)).place();
    expect(await store.orders.findOrder(order.id)).toMatchObject({ id: order.id });
  });

  test('rejects one that it cannot use, and does not migrate, check or copy to any', async () => {
    const tooNew = `has schema version 99, but this server supports up to ${currentSchemaVersion}.`;
    const url = await createNewer(currentSchemaVersion + 1);
    await expect(openPostgresStore(url)).rejects.toThrow(tooNew);
    const usable = await createNewer(1);
    await expect(migrateDatabase(usable, { dryRun: false })).rejects.toThrow(tooNew);
    await expect(checkDatabase(usable, 0)).rejects.toThrow(tooNew);
  });
});

test('the oldest version that can use the database is that of all migrations', async () => {
  const { url, client } = await createOldDatabase();
  await migrateDatabase(url, { dryRun: false });
  const { rows } = await client.query(
    'SELECT min_compatible_version::int AS oldest FROM tradepost_schema',
  );
  expect(rows).toEqual([{ oldest: released + 2 }]);
});

test.each([
  ['without tables', () => postgres.createDatabase(), 'has no tables'],
  [
    'with an older schema',
    createOldDatabase,
    `has schema version ${released}; this version needs ${currentSchemaVersion}.`,
  ],
])('a server that may not migrate rejects a database %s', async (_, create, message) => {
  const { url } = await create();
  const opening = openPostgresStore(url, { mayMigrate: false, mustExist: true });
  await expect(opening).rejects.toThrow(message);
});
