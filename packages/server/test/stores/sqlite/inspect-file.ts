import Database from 'better-sqlite3';

/** Reads a database without the store, as an operator with a shell would. */
export function inspectFile<Result>(
  file: string,
  read: (connection: Database.Database) => Result,
): Result {
  const connection = new Database(file);
  try {
    return read(connection);
  } finally {
    connection.close();
  }
}

/** Returns all rows of all tables of a database. */
export function readContents(file: string): unknown {
  return inspectFile(file, (connection) => {
    const tables = connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
    return tables.map((table) => [table, connection.prepare(`SELECT * FROM ${table}`).all()]);
  });
}

/** Runs SQLite's own checks. Compare the result with `sound`. */
export function checkIntegrity(file: string): unknown {
  return inspectFile(file, (connection) => ({
    integrity: connection.pragma('integrity_check', { simple: true }),
    brokenReferences: connection.pragma('foreign_key_check'),
  }));
}

/** The result of the checks for a sound database. */
export const sound = { integrity: 'ok', brokenReferences: [] };
