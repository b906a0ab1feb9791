import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../store-unavailable-error';

/** Codes of SQLite by which it says that it cannot work now, through no fault of the statement. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|NOMEM|PROTOCOL)/;

function isPassing(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && passing.test(error.code);
}

/** Whether another process holds the lock: nothing was done, and soon it may be. */
export function isLocked(error: unknown): boolean {
  return isPassing(error) && error.code.startsWith('SQLITE_BUSY');
}

/** Turns SQLite's own failures into the store's error and leaves all others as they are. */
export function translateError(error: unknown): unknown {
  if (!isPassing(error)) return error;
  return new StoreUnavailableError(`SQLite: ${error.message} (${error.code})`, { cause: error });
}

/** Node's own: the folder is not there, or may not be written to. */
function isOfFileSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/** The same for a file that is being opened, which it names. */
export function translateOpeningError(file: string, error: unknown): unknown {
  if (!(isPassing(error) || isOfFileSystem(error))) return error;
  return new StoreUnavailableError(
    `${file} cannot be opened as a database: ${error.message}. See that the path is right and no other program holds the file, or name another --database.`,
    { cause: error },
  );
}
