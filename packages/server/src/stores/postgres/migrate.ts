import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type pg from 'pg';
import { describeDatabase } from '../database-url';
import { hasUnfinishedCopy } from './copy-record';
import { PostgresDatabase } from './database';
import { type Migration, migrations } from './migrations/migrations';
import { getCode, translateOpeningError } from './postgres-errors';

/** The schema version of this program. */
export const currentSchemaVersion = migrations.length;

/** The table that marks a database as Tradepost's and has its schema version. */
const markerTable = 'tradepost_schema';

/** How long a migration waits for a table, in milliseconds. All who come after it would wait as long, so it is tried again instead. */
const lockTimeoutMs = 1_000;
const lockAttempts = 60;
const lockPauseMs = 500;

/** SQLSTATEs of a table or type that another process has just created. */
const createdByOther = /^(23505|42P07|42710)$/;
const lockNotAvailable = '55P03';

/** Whether the schema has tables or views. Those of extensions, such as pg_stat_statements, belong to no program. */
const selectTables = `SELECT count(*) > 0 AS "hasTables",
    coalesce(bool_or(c.relname = '${markerTable}'), FALSE) AS "isOwn"
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (SELECT 1 FROM pg_depend AS d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

/** Returns the oldest schema version whose servers can use a database with this one. */
function findCompatible(version: number): number {
  return Math.max(0, ...migrations.slice(0, version).map((migration) => migration.compatibleFrom));
}

/** Which schema a database has. */
interface Schema {
  /** 0 if there is no table at all. */
  version: number;
  /** The oldest version whose servers can use it. */
  compatibleFrom: number;
}

/** @throws StoreUnavailableError if the database belongs to another program. */
async function readSchema(client: pg.ClientBase, name: string): Promise<Schema> {
  const { rows: found } = await client.query<{ hasTables: boolean; isOwn: boolean }>(selectTables);
  if (found[0]?.hasTables !== true) return { version: 0, compatibleFrom: 0 };
  if (!found[0].isOwn) {
    throw new StoreUnavailableError(
      `The database ${name} has tables of another program and was not changed. Pass a database, or a schema in its URL (?options=-csearch_path%3D<schema>), for Tradepost alone.`,
    );
  }
  const { rows } = await client.query<Schema>(
    `SELECT version::int, min_compatible_version::int AS "compatibleFrom" FROM ${markerTable}`,
  );
  return rows[0] ?? { version: 0, compatibleFrom: 0 };
}

/**
 * Checks that all texts can be stored: those of clients and receivers have any characters. The driver always sends UTF-8.
 *
 * @throws StoreUnavailableError
 */
async function requireUtf8(client: pg.ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('SHOW server_encoding');
  const encoding = rows[0]?.server_encoding ?? 'UTF8';
  if (/^utf-?8$/i.test(encoding)) return;
  throw new StoreUnavailableError(
    `The database ${name} has the encoding ${encoding}, which cannot store all texts; UTF8 is needed. Create another database: CREATE DATABASE tradepost ENCODING 'UTF8' LOCALE 'C' TEMPLATE template0. A dump of this one can be restored into it.`,
  );
}

/** Which databases are accepted. */
export interface SchemaOptions {
  /**
   * Whether the database may have an unfinished copy of another one.
   * @default false
   */
  mayBeUnfinished?: boolean;
  /**
   * Whether it may have a newer schema that servers of this version can use.
   * @default false
   */
  mayBeNewer?: boolean;
}

/**
 * Returns the schema version of a database; 0 for an empty one.
 *
 * @throws StoreUnavailableError if the database is not UTF-8, belongs to another program or to a newer server, or has an unfinished copy.
 */
export async function requireKnownSchema(
  db: PostgresDatabase,
  { mayBeUnfinished = false, mayBeNewer = false }: SchemaOptions = {},
): Promise<number> {
  const name = describeDatabase(db.url);
  const { version, compatibleFrom, isUnfinished } = await db.withConnection(async (client) => {
    await requireUtf8(client, name);
    return {
      ...(await readSchema(client, name)),
      isUnfinished: !mayBeUnfinished && (await hasUnfinishedCopy(client)),
    };
  });
  if (isUnfinished) {
    throw new StoreUnavailableError(
      `The database ${name} has an unfinished copy of a SQLite database, so it cannot be used yet. Run the same tradepost-server migrate-store again to continue the copy, or remove the tables and start over.`,
    );
  }
  const needed = mayBeNewer ? compatibleFrom : version;
  if (needed <= currentSchemaVersion) return version;
  throw new StoreUnavailableError(
    `The database ${name} has schema version ${version}, but this server supports up to ${currentSchemaVersion}. Use a newer tradepost-server, or another database.`,
  );
}

/**
 * Rejects an older schema, for commands that do not migrate.
 *
 * @throws StoreUnavailableError
 */
export async function requireMigrated(
  db: PostgresDatabase,
  options: SchemaOptions = {},
): Promise<void> {
  const version = await requireKnownSchema(db, options);
  if (version >= currentSchemaVersion) return;
  if (version === 0) {
    throw new StoreUnavailableError(
      `The database ${describeDatabase(db.url)} has no tables. Check the URL, or create them with \`tradepost-server migrate\`.`,
    );
  }
  throw new StoreUnavailableError(
    `The database ${describeDatabase(db.url)} has schema version ${version}; this version needs ${currentSchemaVersion}. Make a backup, then run tradepost-server migrate.`,
  );
}

/**
 * Returns a migration as a database understands it. CockroachDB has no columns with the collation "C", and compares those without a
 * collation by their bytes, as "C" does. Nor does it have a vacuum that tables could set up.
 *
 * @param version What the database returns as its `version()`.
 */
export function translateMigration(migration: string, version: string): string {
  if (!version.startsWith('CockroachDB')) return migration;
  return migration.replaceAll(/ COLLATE "C"| WITH \([^)]*\)/g, '');
}

/** Returns the statements of a migration for tables that nothing uses meanwhile. */
function toTransaction(migration: Migration): string {
  if ('transaction' in migration) return migration.transaction;
  return migration.indexes.join(';\n').replaceAll(' CONCURRENTLY ', ' ');
}

async function runInTransaction(
  client: pg.ClientBase,
  selected: readonly Migration[],
): Promise<void> {
  const { rows } = await client.query<{ version: string }>('SELECT version()');
  const version = rows[0]?.version ?? '';
  for (const migration of selected) {
    await client.query(translateMigration(toTransaction(migration), version));
  }
}

/** Creates the tables of a schema version, except that with the version. */
export async function createTables(client: pg.ClientBase, version: number): Promise<void> {
  await runInTransaction(client, migrations.slice(0, version));
}

/** Builds or drops an index while changes go on, unless that was done. What an interrupted build left is built again. */
async function changeIndex(client: pg.ClientBase, statement: string): Promise<void> {
  const [, created] = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+) /.exec(statement) ?? [];
  if (created !== undefined) {
    const { rows } = await client.query<{ isValid: boolean }>(
      `SELECT indisvalid AS "isValid" FROM pg_index
       WHERE indexrelid = to_regclass(quote_ident(current_schema()) || '.' || $1)`,
      [created],
    );
    const [found] = rows;
    if (found?.isValid) return;
    if (found) await client.query(`DROP INDEX CONCURRENTLY ${created}`);
  }
  await client.query(statement);
}

/** Changes indexes in a session of its own. It waits as long as it takes: no one waits behind it. */
async function changeIndexes(db: PostgresDatabase, statements: readonly string[]): Promise<void> {
  await db.withUnlimitedConnection(async (client) => {
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
    for (const statement of statements) await changeIndex(client, statement);
  });
}

/**
 * Runs the next migration, if one is missing; in an empty database all of them. All processes that migrate take turns at the row with
 * the version: its lock lasts as long as the migration, and lets servers read it and lock its key. Each migration of a database that is
 * used is a transaction of its own: with the locks of several, it and a change of an order could wait for each other.
 *
 * @returns Whether it was the turn of this process. A statement that waited for it would keep the other one from finishing an index.
 */
async function runNextMigration(db: PostgresDatabase, client: pg.ClientBase): Promise<boolean> {
  await client.query(
    'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
  );
  try {
    await readSchema(client, describeDatabase(db.url));
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${markerTable} (
         one BOOLEAN PRIMARY KEY CHECK (one),
         version BIGINT NOT NULL,
         -- The oldest version whose servers can use the database.
         min_compatible_version BIGINT NOT NULL
       )`,
    );
    await client.query(
      `INSERT INTO ${markerTable} VALUES (TRUE, 0, 0) ON CONFLICT (one) DO NOTHING`,
    );
    const { rows } = await client.query<{ version: number }>(
      `SELECT version::int FROM ${markerTable} FOR NO KEY UPDATE SKIP LOCKED`,
    );
    const version = rows[0]?.version ?? currentSchemaVersion;
    const next = migrations.slice(version, version === 0 ? undefined : version + 1);
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    const [migration] = next;
    if (version > 0 && migration && 'indexes' in migration) {
      await changeIndexes(db, migration.indexes);
    } else {
      await runInTransaction(client, next);
    }
    if (next.length > 0) {
      const to = version + next.length;
      await client.query(
        `UPDATE ${markerTable} SET version = ${to}, min_compatible_version = ${findCompatible(to)}`,
      );
    }
    await client.query('COMMIT');
    return rows.length > 0;
  } catch (error) {
    // If even this fails, the connection is broken, and the server rolls back.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Migrates a database to the current schema, version by version. Several processes may do so at once, and servers may use the database.
 * It never waits long for a lock that others would wait for behind it; it tries again.
 *
 * @throws StoreUnavailableError if the database belongs to another program or to a newer server, or cannot be migrated.
 */
export async function migrate(db: PostgresDatabase, options: SchemaOptions = {}): Promise<void> {
  let failures = 0;
  while ((await requireKnownSchema(db, options)) < currentSchemaVersion) {
    try {
      const hadTurn = await db.withUnlimitedConnection((client) => runNextMigration(db, client));
      if (hadTurn) continue;
    } catch (error) {
      const code = getCode(error);
      const isPassing =
        createdByOther.test(code) ||
        code === lockNotAvailable ||
        code === '40001' ||
        code === '40P01';
      failures += 1;
      if (!isPassing || failures === lockAttempts) throw error;
    }
    await setTimeout(lockPauseMs * Math.random());
  }
}

/** A migration that a database needs. */
export interface PlannedMigration {
  /** The schema version after it. */
  version: number;
  summary: string;
  /** Whether changes of the tables that it touches wait for its end. Otherwise they go on. */
  blocksChanges: boolean;
  /** The oldest schema version whose servers can use the database after it. */
  compatibleFrom: number;
}

/** Returns the migrations of a database with a schema version. */
function planMigrations(from: number): PlannedMigration[] {
  return migrations.slice(from).map((migration, index) => ({
    version: from + index + 1,
    summary: migration.summary,
    blocksChanges: 'transaction' in migration,
    compatibleFrom: findCompatible(from + index + 1),
  }));
}

/**
 * Migrates the database at a URL, for the command.
 *
 * @returns The schema version before and after it, and what has to be done in between.
 * @throws StoreUnavailableError as `migrate` does, or if the database cannot be opened.
 */
export async function migrateDatabase(
  url: string,
  { dryRun }: { dryRun: boolean },
): Promise<{ from: number; to: number; migrations: PlannedMigration[] }> {
  const db = new PostgresDatabase(url, { maxConnections: 1 });
  try {
    const from = await requireKnownSchema(db);
    if (!dryRun) await migrate(db);
    return { from, to: currentSchemaVersion, migrations: planMigrations(from) };
  } catch (error) {
    throw translateOpeningError(url, error);
  } finally {
    await db.close();
  }
}
