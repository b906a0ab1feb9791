import type pg from 'pg';
import type { CopiedTable } from '../copied-tables';
import type { Queries } from './database';

/** The table that says how far a copy of another database is. It exists since a copy was started. */
const copyTable = 'tradepost_copy';

/** Creates the table. */
export const createCopyTable = `CREATE TABLE IF NOT EXISTS ${copyTable} (
  one BOOLEAN PRIMARY KEY CHECK (one),
  -- What identifies the content of the source.
  source TEXT NOT NULL,
  -- The process that copies. One that continues the copy takes its place.
  run TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  -- The table of the last batch, and the position of its last row, in JSON. The tables before it are complete.
  table_name TEXT,
  position TEXT,
  -- How many rows of that table are copied.
  copied BIGINT NOT NULL,
  -- Until then, nothing else may use the database.
  completed_at BIGINT
)`;

/** How far a copy is. */
export interface CopyRecord {
  source: string;
  run: string;
  /** Null before the first batch. */
  table: CopiedTable | null;
  /** In JSON. */
  position: string | null;
  copied: number;
  isComplete: boolean;
}

/** Reads the record of a copy. Its table must exist. */
export const selectCopyRecord = `SELECT source, run, table_name AS table, position, copied,
    completed_at IS NOT NULL AS "isComplete"
  FROM ${copyTable}`;

const tableExists = `SELECT 1 FROM information_schema.tables
  WHERE table_schema = current_schema() AND table_name = '${copyTable}'`;

/** Returns the record of a copy; undefined if none was started. */
export async function findCopyRecord(db: Queries): Promise<CopyRecord | undefined> {
  if ((await db.row(tableExists)) === undefined) return undefined;
  return await db.row<CopyRecord>(selectCopyRecord);
}

/** Returns whether a database has a copy that was started and is not complete. */
export async function hasUnfinishedCopy(client: pg.ClientBase): Promise<boolean> {
  if ((await client.query(tableExists)).rowCount === 0) return false;
  const { rows } = await client.query<CopyRecord>(selectCopyRecord);
  return rows[0]?.isComplete === false;
}
