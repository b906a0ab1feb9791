import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../kernel/errors';

/** SQLite error codes that do not mean that the statement is wrong. */
const transientCodes =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|NOMEM|PROTOCOL)/;

function isTransient(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && transientCodes.test(error.code);
}

/** Returns whether another process holds the lock, so that nothing was done and a retry may succeed. */
export function isLocked(error: unknown): boolean {
  return isTransient(error) && error.code.startsWith('SQLITE_BUSY');
}

/** Returns whether a file is damaged, or is not a database. */
export function isCorrupt(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return isTransient(error) && /^SQLITE_(NOTADB|CORRUPT)/.test(error.code);
}

/** Converts SQLite's environment errors to `StoreUnavailableError`. Returns other errors unchanged. */
export function translateError(error: unknown): unknown {
  if (!isTransient(error)) return error;
  return new StoreUnavailableError(`SQLite: ${error.message} (${error.code})`, { cause: error });
}

/** Creates the error for a file that must exist and does not. */
export function missingFile(file: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `The database ${file} does not exist. Check the path, or create it with \`tradepost-server seed\`.`,
  );
}

/** Returns whether Node could not access the file system, for example because the directory does not exist. */
function isFileSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/** Like `translateError`, for a file that could not be opened. The message names the file. */
export function translateOpeningError(file: string, error: unknown): unknown {
  if (!(isTransient(error) || isFileSystemError(error))) return error;
  return new StoreUnavailableError(
    `Cannot open the database ${file}: ${error.message}. Check the path and whether another program uses the file, or pass another --database.`,
    { cause: error },
  );
}

/** Like `translateError`, for a file that could not be read. The message names the file. */
export function explainReadError(file: string, error: unknown): unknown {
  if (!isTransient(error)) return error;
  const advice = isCorrupt(error)
    ? 'Check the path, or restore a backup.'
    : 'Check the path and its permissions.';
  return new StoreUnavailableError(
    `Cannot read ${file}: ${error.message} (${error.code}). ${advice}`,
    { cause: error },
  );
}

/** Why a file cannot be written, by the code of the error. Other errors explain themselves. */
const writeFailures: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
};

/** Like `translateError`, for a file that could not be written. The message starts with `what`. */
export function explainWriteError(what: string, error: unknown): unknown {
  if (!(isTransient(error) || isFileSystemError(error))) return error;
  const code = 'code' in error ? String(error.code) : '';
  const reason = writeFailures[code] ?? `${error.message} (${code})`;
  return new StoreUnavailableError(`${what}: ${reason}. Nothing was changed.`, { cause: error });
}
