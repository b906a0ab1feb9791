import { renameSync } from 'node:fs';
import { firstSchema } from '../../../src/stores/sqlite/migrations/001-first-schema';
import { inspectFile } from './inspect-file';

/** Makes a closed file what the server of the first schema would have left of its data. */
export function revertToFirstSchema(file: string): void {
  const later = `${file}.later`;
  inspectFile(file, (connection) => connection.pragma('wal_checkpoint(TRUNCATE)'));
  renameSync(file, later);
  inspectFile(file, (connection) => {
    connection.exec(firstSchema);
    connection.exec('PRAGMA application_id = 0x54505354; PRAGMA user_version = 1');
    connection.pragma('foreign_keys = OFF');
    connection.prepare('ATTACH ? AS later').run(later);
    const tables = connection
      .prepare<[], string>(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
      )
      .pluck()
      .all();
    for (const table of tables) {
      const columns = connection
        .prepare<[string], string>("SELECT name FROM pragma_table_info(?, 'main')")
        .pluck()
        .all(table)
        .join(', ');
      connection.exec(
        `INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM later.${table}`,
      );
    }
    connection.exec('DETACH later');
  });
}
