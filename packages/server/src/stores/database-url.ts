import { describeHost, parseDatabaseUrl } from './postgres/connection-url';

/** Returns whether a database is the URL of a PostgreSQL database; otherwise it is a SQLite file. */
export function isPostgresUrl(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** Returns a database as it may be shown: of a URL the hosts and the name, without user, password and parameters. */
export function describeDatabase(database: string): string {
  if (!isPostgresUrl(database)) return database;
  try {
    const { hosts, database: name = '' } = parseDatabaseUrl(database);
    return `postgres://${hosts.map(describeHost).join(',')}/${encodeURIComponent(name)}`;
  } catch {
    return 'postgres://…';
  }
}

const notAFile =
  'It is neither the path of a SQLite file nor a URL such as postgres://host:5432/database.';

/** What begins like a URL; a letter with a colon is a drive of Windows. A URL may also have quotes before it, or lack its colon. */
const urlLike = /^[a-z][\w+.-]+:|:\/\/|^\W*postgres(ql)?\/\/|:[^/]*@/i;
/** The settings of a connection, as libpq also accepts them. Source: libpq, "Keyword/Value Connection Strings". */
const settings = /(^|\s)(host|hostaddr|port|user|password|dbname|service|sslmode)\s*=/i;

/**
 * Returns why a database can be neither a file nor a URL; null if it can. A mistyped URL would be a new file, with the password in
 * its name. Nothing of the database is shown.
 */
export function findDatabaseFault(database: string): string | null {
  if (isPostgresUrl(database)) {
    try {
      parseDatabaseUrl(database);
      return null;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return error.message;
    }
  }
  if (settings.test(database)) {
    return `${notAFile} Settings such as host=… are not supported: write them as a URL.`;
  }
  if (database === ':memory:' || !urlLike.test(database)) return null;
  return `${notAFile} A path with a colon starts with ./ or /.`;
}
