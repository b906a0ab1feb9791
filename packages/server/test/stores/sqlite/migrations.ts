import { noon } from '@tradepost/domain/test/builders';
import { firstSchema } from '../../../src/stores/sqlite/migrations/001-first-schema';
import { operations } from '../../../src/stores/sqlite/migrations/006-operations';
import { inspectFile } from './inspect-file';

/**
 * The migrations of a later version of the server: those of this version, and one that changes a table and its rows. For
 * `vi.mock('../../../src/stores/sqlite/migrations/migrations', () => import('./migrations'))`.
 */
export const migrations = [
  firstSchema,
  operations,
  "ALTER TABLE accounts ADD COLUMN note TEXT; UPDATE accounts SET note = 'of ' || name; CREATE INDEX accounts_by_note ON accounts (note);",
];

/** Creates a database as the server of the first schema left it, with one account. */
export function makeFirstSchema(file: string): void {
  inspectFile(file, (connection) => {
    connection.exec(firstSchema);
    connection.exec('PRAGMA application_id = 0x54505354; PRAGMA user_version = 1');
    connection.exec(`INSERT INTO accounts VALUES ('usr_1', 'buyer', 'Buyer', ${noon})`);
  });
}
