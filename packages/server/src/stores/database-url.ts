/** Returns whether a database is the URL of a PostgreSQL database; otherwise it is a SQLite file. */
export function isPostgresUrl(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** Returns a database as it may be shown: a URL without its password. */
export function describeDatabase(database: string): string {
  if (!isPostgresUrl(database)) return database;
  return database
    .replace(/^(\w+:\/\/[^/?#@]*?):[^/?#]*@/, '$1:…@')
    .replace(/([?&]password=)[^&]*/, '$1…');
}
