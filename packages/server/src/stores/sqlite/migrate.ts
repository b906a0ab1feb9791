import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import { migrations } from './migrations/migrations';
import { explainMigrationError } from './sqlite-errors';

/** The schema version of this program. */
export const currentSchemaVersion = migrations.length;

/** Returns the schema version of a database; 0 for an empty one. */
export function readSchemaVersion(connection: Database.Database): number {
  return Number(connection.pragma('user_version', { simple: true }));
}

/** Lists the tables, columns and indexes of a database, such as `column orders.id`. */
function listSchemaParts(connection: Database.Database): string[] {
  return connection
    .prepare<[], string>(
      `SELECT type || ' ' || name FROM sqlite_schema
       WHERE type IN ('trigger', 'view') OR name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       UNION ALL
       SELECT 'column ' || t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    .pluck()
    .all();
}

/** How the schema of a database differs from that of its version, by parts such as `index orders_of_buyer`. */
export interface SchemaDifference {
  missing: string[];
  /** What another program added. A trigger or a view changes what the server writes or reads. */
  unknown: string[];
}

/** Compares the schema of a database with that of its version. */
export function compareSchema(connection: Database.Database): SchemaDifference {
  const found = listSchemaParts(connection);
  const complete = new Database(':memory:');
  try {
    for (const migration of migrations.slice(0, readSchemaVersion(connection))) {
      complete.exec(migration);
    }
    const known = listSchemaParts(complete);
    return {
      missing: known.filter((part) => !found.includes(part)),
      // An index or a table of an operator or a backup program changes nothing.
      unknown: found.filter((part) => /^(trigger|view) /.test(part) && !known.includes(part)),
    };
  } finally {
    complete.close();
  }
}

/** Marks a file as a Tradepost database: "TPST" in ASCII. Source: SQLite, "PRAGMA application_id". */
const applicationId = 0x54505354;

/** Returns whether a database is marked as a Tradepost database. */
export function isTradepost(connection: Database.Database): boolean {
  return connection.pragma('application_id', { simple: true }) === applicationId;
}

/** Returns whether a database has no tables. */
export function isEmpty(connection: Database.Database): boolean {
  return connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

/** Rejects a database of another program before anything is written to it. */
function requireTradepost(connection: Database.Database): void {
  // In this order: another server may fill and mark the file in one step between the two checks.
  if (isEmpty(connection) || isTradepost(connection)) return;
  throw new StoreUnavailableError(
    `${connection.name} is a database of another program and was not changed. Pass another --database.`,
  );
}

/**
 * Rejects a schema that this program does not know, and an encoding for which it is not meant.
 *
 * @throws StoreUnavailableError for a database of a newer server, or of UTF-16.
 */
export function requireKnownSchema(connection: Database.Database): void {
  const encoding = connection.pragma('encoding', { simple: true });
  if (encoding !== 'UTF-8') {
    throw new StoreUnavailableError(
      `The database ${connection.name} has the encoding ${encoding}; UTF-8 is needed. Let tradepost-server create the file.`,
    );
  }
  const version = readSchemaVersion(connection);
  if (version <= currentSchemaVersion) return;
  throw new StoreUnavailableError(
    `The database ${connection.name} has schema version ${version}, but this server supports up to ${currentSchemaVersion}. Use a newer tradepost-server, or another database.`,
  );
}

/**
 * Rejects an older schema, for commands that do not migrate: servers of the old version may use the database.
 *
 * @throws StoreUnavailableError
 */
export function requireMigrated(connection: Database.Database): void {
  // In this order: another process may fill a new file in one step between the two checks.
  if (isEmpty(connection)) return;
  const version = readSchemaVersion(connection);
  if (version >= currentSchemaVersion) return;
  throw new StoreUnavailableError(
    `The database ${connection.name} has schema version ${version}; this version needs ${currentSchemaVersion}. Make a backup, stop the servers of the old version, then run tradepost-server migrate --database ${connection.name}.`,
  );
}

/**
 * Rejects a database that this program cannot use.
 *
 * @throws StoreUnavailableError for a database of another program or of a newer server.
 */
export function requireUsable(connection: Database.Database): void {
  requireTradepost(connection);
  requireKnownSchema(connection);
}

/**
 * Migrates a database to the current schema in one transaction: other processes see the old schema or the new one.
 *
 * @throws StoreUnavailableError for a database of another program or of a newer server, or if a migration fails.
 */
export function migrate(connection: Database.Database): void {
  const migrateAll = connection.transaction(() => {
    // Two servers may start on one file at once, so the version is read after the lock was taken.
    requireUsable(connection);
    const version = readSchemaVersion(connection);
    if (version === currentSchemaVersion) return;
    try {
      for (const migration of migrations.slice(version)) connection.exec(migration);
    } catch (error) {
      throw explainMigrationError(connection.name, version, error);
    }
    connection.pragma(`application_id = ${applicationId}`);
    connection.pragma(`user_version = ${currentSchemaVersion}`);
  });
  requireUsable(connection);
  if (readSchemaVersion(connection) < currentSchemaVersion) migrateAll.immediate();
}
