import { noon } from '@tradepost/domain/test/builders';
import { firstSchema } from '../../../src/stores/sqlite/migrations/001-first-schema';
import { inspectFile } from './inspect-file';

/**
 * Returns the migrations of a later version of the server: those of this version, and one that changes a table and its rows.
 *
 * @example
 * vi.mock('../../../src/stores/sqlite/migrations/migrations', async (load) => {
 *   const { addNotes } = await import('./migrations');
 *   return { migrations: addNotes((await load<typeof current>()).migrations) };
 * });
 */
export function addNotes(migrations: readonly string[]): readonly string[] {
  return [
    ...migrations,
    "ALTER TABLE accounts ADD COLUMN note TEXT; UPDATE accounts SET note = 'of ' || name; CREATE INDEX accounts_by_note ON accounts (note);",
  ];
}

/** Creates a database as the server of the first schema left it, with one account. */
export function makeFirstSchema(file: string): void {
  inspectFile(file, (connection) => {
    connection.exec(firstSchema);
    connection.exec('PRAGMA application_id = 0x54505354; PRAGMA user_version = 1');
    connection.exec(`INSERT INTO accounts VALUES ('usr_1', 'buyer', 'Buyer', ${noon})`);
  });
}
