import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type Database from 'better-sqlite3';
import { SqliteDatabase } from './database';
import { compareSchema, currentSchemaVersion, isTradepost, readSchemaVersion } from './migrate';
import { openForReading } from './open-connection';
import { isCorrupt } from './sqlite-errors';

/**
 * Migrates a database to the current schema, unless it is only to be shown what that would do.
 *
 * @returns The schema versions before and after.
 * @throws StoreUnavailableError if it is not a Tradepost database, has a newer schema, is used by a server of an older one, or cannot be
 *   migrated.
 */
export async function migrateDatabase(
  file: string,
  { dryRun }: { dryRun: boolean },
): Promise<{ from: number; to: number }> {
  const connection = openForReading(file);
  const from = readSchemaVersion(connection);
  connection.close();
  // Opening it migrates it.
  if (!dryRun && from < currentSchemaVersion) {
    await new SqliteDatabase(file, { mustExist: true, isAlone: true }).close();
  }
  return { from, to: currentSchemaVersion };
}

/** Creates the error for a damaged database. */
export function damaged(name: string, damage: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `${name} is damaged: ${damage}. Nothing was changed. Run \`tradepost-server check\`, or use an earlier backup.`,
  );
}

/** Runs reads that all see the same state, even if other processes commit meanwhile. */
export async function withSnapshot<Result>(
  connection: Database.Database,
  work: () => Promise<Result> | Result,
): Promise<Result> {
  connection.exec('BEGIN');
  try {
    // SQLite takes the snapshot with the first read.
    connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    return await work();
  } finally {
    // Some errors end the transaction.
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/** A line above the lines of one database. Here is only one. */
const heading = /^\*\*\* in database \w+ \*\*\*$/;

/** Returns what SQLite's integrity check finds, one fault a line; none if the database is sound. */
export function findDamage(connection: Database.Database): string[] {
  const lines: string[] = [];
  try {
    const check = connection.prepare<[], string>('PRAGMA integrity_check').pluck();
    // One row may have several lines.
    for (const row of check.iterate()) lines.push(...row.split('\n'));
  } catch (error) {
    // Some damage ends the check itself.
    if (!isCorrupt(error)) throw error;
    lines.push(error.message);
  }
  return lines.filter((line) => line !== 'ok' && line !== '' && !heading.test(line));
}

/** Quotes a name for SQL, whatever characters it has. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Lists the tables of a database by name. */
export function listTables(connection: Database.Database): string[] {
  return connection
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .pluck()
    .all();
}

/** What a database contains. */
export interface DatabaseContents {
  schemaVersion: number;
  /** The number of rows of each table. */
  rows: Record<string, number>;
}

/**
 * Verifies a database completely, with its schema, and counts its rows.
 *
 * @param name What the message of an error calls it.
 * @throws StoreUnavailableError if it is damaged.
 */
export function verifyContents(connection: Database.Database, name: string): DatabaseContents {
  const [damage] = findDamage(connection);
  if (damage !== undefined) throw damaged(name, damage);
  if (!isTradepost(connection)) throw damaged(name, 'it is not a Tradepost database');
  const [missing] = compareSchema(connection).missing;
  if (missing !== undefined) throw damaged(name, `${missing} is missing`);
  return readContents(connection);
}

/** Counts the rows of a database. */
export function readContents(connection: Database.Database): DatabaseContents {
  const count = (table: string) =>
    connection
      .prepare<[], number>(`SELECT count(*) FROM ${quoteName(table)}`)
      .pluck()
      .get() ?? 0;
  return {
    schemaVersion: readSchemaVersion(connection),
    rows: Object.fromEntries(listTables(connection).map((table) => [table, count(table)])),
  };
}
