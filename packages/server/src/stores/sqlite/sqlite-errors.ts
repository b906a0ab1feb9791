import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';

/** SQLite error codes that do not mean that the statement is wrong. */
const transientCodes =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PERM|NOTADB|CORRUPT|NOMEM|PROTOCOL)/;

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

/** Creates the error for a file that must not be open elsewhere. */
export function inUse(file: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `${file} is in use by another process and was not changed. Stop the server, and try again.`,
  );
}

/** Returns whether Node could not access the file system, for example because the directory does not exist. */
function isFileSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/** What to do about an error, by its code. The first match counts. */
const advice: [codes: RegExp, advice: string][] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'Run `tradepost-server check`, or restore a backup.'],
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'Free space on its disk.'],
  [
    /^(SQLITE_READONLY|SQLITE_PERM|EACCES|EPERM|EROFS)/,
    'Check the permissions of the file and its folder.',
  ],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'Another process is writing to it. Try again.'],
  [/^SQLITE_IOERR/, 'Check its disk.'],
];

function getCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Returns the code of the error that reading or writing a file and its folder has; none if both may be done. */
function findAccessError(file: string): string {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    accessSync(dirname(file), constants.R_OK | constants.W_OK | constants.X_OK);
    return '';
  } catch (error) {
    return getCode(error);
  }
}

function adviseOn(file: string, error: unknown): string {
  // SQLite says neither why it cannot open a file, nor which of its files it is.
  const isUnclear = getCode(error).startsWith('SQLITE_CANTOPEN');
  const code = isUnclear ? findAccessError(file) : getCode(error);
  return advice.find(([codes]) => codes.test(code))?.[1] ?? 'Check the path.';
}

/** Adds the code of SQLite's errors, whose messages do not have it. */
function describe(error: Error): string {
  return isTransient(error) ? `${error.message} (${error.code})` : error.message;
}

/** Whether SQLite's native module is missing or does not fit, and how pnpm repairs that. Undefined for any other error. */
function findModuleFault(error: unknown): { fault: string; pnpm: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  // Of the package `bindings`, which finds the file.
  if (error.message.startsWith('Could not locate the bindings')) {
    return { fault: 'is not built', pnpm: 'pnpm approve-builds' };
  }
  if (getCode(error) !== 'ERR_DLOPEN_FAILED') return undefined;
  const isOfOtherNode = error.message.includes('NODE_MODULE_VERSION');
  const reason = isOfOtherNode
    ? `was built for another version of Node than this one, ${process.version}`
    : `cannot be loaded: ${error.message}`;
  return { fault: reason, pnpm: 'pnpm rebuild better-sqlite3' };
}

function explain(what: string, file: string, error: unknown): unknown {
  const broken = findModuleFault(error);
  if (broken !== undefined) {
    return new StoreUnavailableError(
      `better-sqlite3, the native module of SQLite, ${broken.fault}. Where the server is installed, run
  npm rebuild better-sqlite3      with npm; add --global for a global installation
  ${broken.pnpm.padEnd(30)}  with pnpm; likewise`,
      { cause: error },
    );
  }
  if (!(isTransient(error) || isFileSystemError(error))) return error;
  return new StoreUnavailableError(
    `${what} ${file}: ${describe(error)}. ${adviseOn(file, error)}`,
    {
      cause: error,
    },
  );
}

/** Like `translateError`, for a file that could not be opened. The message names the file and what to do. */
export function translateOpeningError(file: string, error: unknown): unknown {
  return explain('Cannot open the database', file, error);
}

/** Like `translateError`, for a file that could not be read. The message names the file and what to do. */
export function explainReadError(file: string, error: unknown): unknown {
  return explain('Cannot read', file, error);
}

/** Adds to an error of `translateError`, from a database that is open, its file and what to do. Returns other errors unchanged. */
export function explainUseError(file: string, error: unknown): unknown {
  return error instanceof StoreUnavailableError && isTransient(error.cause)
    ? explain('Cannot use the database', file, error.cause)
    : error;
}

/**
 * Converts the error of a statement in a migration to `StoreUnavailableError`: the schema is not what its version says. Returns
 * other errors, such as that of a full disk, unchanged.
 */
export function explainMigrationError(file: string, version: number, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError) || transientCodes.test(error.code)) return error;
  return new StoreUnavailableError(
    `Cannot migrate the database ${file} from schema version ${version}: ${error.message}. Nothing was changed. Another program may have changed the schema. Run \`tradepost-server check\`, or restore a backup.`,
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
  const code = getCode(error);
  const reason = writeFailures[code] ?? `${error.message} (${code})`;
  return new StoreUnavailableError(`${what}: ${reason}. Nothing was changed.`, { cause: error });
}
