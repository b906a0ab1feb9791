import Database from 'better-sqlite3';

/** Looks into a database past the store, as an operator with a shell would. */
export function inspectFile<Result>(
  file: string,
  look: (connection: Database.Database) => Result,
): Result {
  const connection = new Database(file);
  try {
    return look(connection);
  } finally {
    connection.close();
  }
}

/** Everything that the tables of a database hold. */
export function readContents(file: string): unknown {
  return inspectFile(file, (connection) => {
    const tables = connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .pluck()
      .all();
    return tables.map((table) => [table, connection.prepare(`SELECT * FROM ${table}`).all()]);
  });
}

/** What SQLite's own checks find in a database; compare it with `sound`. */
export function checkIntegrity(file: string): unknown {
  return inspectFile(file, (connection) => ({
    integrity: connection.pragma('integrity_check', { simple: true }),
    brokenReferences: connection.pragma('foreign_key_check'),
  }));
}

/** The health of a database in which nothing is wrong. */
export const sound = { integrity: 'ok', brokenReferences: [] };
