import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type pg from 'pg';
import { describeDatabase } from '../database-url';
import { hasUnfinishedCopy } from './copy-record';
import { PostgresDatabase } from './database';
import { migrations } from './migrations/migrations';
import { getCode, translateOpeningError } from './postgres-errors';

/** The schema version of this program. */
export const currentSchemaVersion = migrations.length;

/** The table that marks a database as Tradepost's and has its schema version. */
const markerTable = 'tradepost_schema';

/** How long a migration waits for a lock, in milliseconds. All who come after it would wait as long, so it is tried again instead. */
const lockTimeoutMs = 1_000;
/** A migration may scan a table. */
const statementTimeoutMs = 600_000;
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

/**
 * Returns the schema version; 0 if there is no table at all.
 *
 * @throws StoreUnavailableError if the database belongs to another program.
 */
async function readSchemaVersion(client: pg.ClientBase, name: string): Promise<number> {
  const { rows: found } = await client.query<{ hasTables: boolean; isOwn: boolean }>(selectTables);
  if (found[0]?.hasTables !== true) return 0;
  if (!found[0].isOwn) {
    throw new StoreUnavailableError(
      `The database ${name} has tables of another program and was not changed. Pass a database, or a schema in its URL (?options=-csearch_path%3D<schema>), for Tradepost alone.`,
    );
  }
  const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${markerTable}`);
  return Number(rows[0]?.version ?? 0);
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
}

/**
 * Returns the schema version of a database; 0 for an empty one.
 *
 * @throws StoreUnavailableError if the database is not UTF-8, belongs to another program or to a newer server, or has an unfinished copy.
 */
export async function requireKnownSchema(
  db: PostgresDatabase,
  { mayBeUnfinished = false }: SchemaOptions = {},
): Promise<number> {
  const name = describeDatabase(db.url);
  const { version, isUnfinished } = await db.withConnection(async (client) => {
    await requireUtf8(client, name);
    return {
      version: await readSchemaVersion(client, name),
      isUnfinished: !mayBeUnfinished && (await hasUnfinishedCopy(client)),
    };
  });
  if (isUnfinished) {
    throw new StoreUnavailableError(
      `The database ${name} has an unfinished copy of a SQLite database, so it cannot be used yet. Run the same tradepost-server migrate-store again to continue the copy, or remove the tables and start over.`,
    );
  }
  if (version <= currentSchemaVersion) return version;
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
  if (version === currentSchemaVersion) return;
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
 * collation by their bytes, as "C" does.
 *
 * @param version What the database returns as its `version()`.
 */
export function translateMigration(migration: string, version: string): string {
  return version.startsWith('CockroachDB') ? migration.replaceAll(' COLLATE "C"', '') : migration;
}

async function runMigrations(client: pg.ClientBase, from: number, to: number): Promise<void> {
  const { rows } = await client.query<{ version: string }>('SELECT version()');
  const version = rows[0]?.version ?? '';
  for (const migration of migrations.slice(from, to)) {
    await client.query(translateMigration(migration, version));
  }
}

/** Creates the tables of a schema version, except that with the version. */
export async function createTables(client: pg.ClientBase, version: number): Promise<void> {
  await runMigrations(client, 0, version);
}

/**
 * Runs the next migration, if one is missing. All processes that migrate take turns at the row with the version. Each migration is a
 * transaction of its own: with the locks of several, it and a change of an order could wait for each other.
 */
async function runNextMigration(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(
    `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL statement_timeout = ${statementTimeoutMs}`,
  );
  try {
    await readSchemaVersion(client, name);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${markerTable} (one BOOLEAN PRIMARY KEY CHECK (one), version BIGINT NOT NULL)`,
    );
    await client.query(
      `INSERT INTO ${markerTable} (one, version) VALUES (TRUE, 0) ON CONFLICT (one) DO NOTHING`,
    );
    const { rows } = await client.query<{ version: number }>(
      `SELECT version FROM ${markerTable} FOR UPDATE`,
    );
    const version = Number(rows[0]?.version ?? 0);
    if (version < currentSchemaVersion) {
      await runMigrations(client, version, version + 1);
      await client.query(`UPDATE ${markerTable} SET version = ${version + 1}`);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * Migrates a database to the current schema, each version in a transaction. Several processes may do so at once. It never waits long
 * for a lock, because everything that needs the table would wait behind it; it tries again.
 *
 * @throws StoreUnavailableError if the database belongs to another program or to a newer server, or cannot be migrated.
 */
export async function migrate(db: PostgresDatabase, options: SchemaOptions = {}): Promise<void> {
  const name = describeDatabase(db.url);
  let failures = 0;
  while ((await requireKnownSchema(db, options)) < currentSchemaVersion) {
    try {
      await db.withConnection((client) => runNextMigration(client, name));
    } catch (error) {
      const code = getCode(error);
      const isPassing =
        createdByOther.test(code) ||
        code === lockNotAvailable ||
        code === '40001' ||
        code === '40P01';
      failures += 1;
      if (!isPassing || failures === lockAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, lockPauseMs * Math.random()));
    }
  }
}

/**
 * Migrates the database at a URL, for the command.
 *
 * @returns The schema version before and after it.
 * @throws StoreUnavailableError as `migrate` does, or if the database cannot be opened.
 */
export async function migrateDatabase(
  url: string,
  { dryRun }: { dryRun: boolean },
): Promise<{ from: number; to: number }> {
  const db = new PostgresDatabase(url, { maxConnections: 1 });
  try {
    const from = await requireKnownSchema(db);
    if (!dryRun) await migrate(db);
    return { from, to: currentSchemaVersion };
  } catch (error) {
    throw translateOpeningError(url, error);
  } finally {
    await db.close();
  }
}
