import type pg from 'pg';
import { firstSchema } from '../../../src/stores/postgres/migrations/001-first-schema';

const selectParts = `
  SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name <> 'tradepost_schema'`;

const selectIndexes = `
  SELECT indexname AS index FROM pg_indexes
  WHERE schemaname = 'public' AND tablename <> 'tradepost_schema'`;

/**
 * Makes a database what the server of the first schema would have left of its data: drops the tables, columns and indexes that it does
 * not have.
 *
 * @param empty A client of another, empty database, to see what it has.
 */
export async function revertToFirstSchema(client: pg.Client, empty: pg.Client): Promise<void> {
  await empty.query(firstSchema);
  const first = await empty.query<{ table: string; column: string }>(selectParts);
  const found = await client.query<{ table: string; column: string }>(selectParts);
  const tables = new Set(first.rows.map(({ table }) => table));
  const columns = new Set(first.rows.map(({ table, column }) => `${table}.${column}`));
  for (const table of new Set(found.rows.map((row) => row.table))) {
    if (!tables.has(table)) await client.query(`DROP TABLE ${table} CASCADE`);
  }
  for (const { table, column } of found.rows) {
    if (tables.has(table) && !columns.has(`${table}.${column}`))
      await client.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
  const firstIndexes = await empty.query<{ index: string }>(selectIndexes);
  const known = new Set(firstIndexes.rows.map(({ index }) => index));
  const indexes = await client.query<{ index: string }>(selectIndexes);
  for (const { index } of indexes.rows) {
    if (!known.has(index)) await client.query(`DROP INDEX ${index}`);
  }
  await client.query('UPDATE tradepost_schema SET version = 1, min_compatible_version = 1');
}
