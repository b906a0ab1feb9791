import { type BigIntStats, closeSync, openSync, realpathSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../kernel/errors';
import { migrate } from './migrate';
import type { WritePrioritySettings } from './write-priority';

const openTimeoutMs = 2_000;
const walAttempts = 100;

/** Options of a SQLite store. */
export interface SqliteOptions {
  /**
   * Fail if the file does not exist, for commands that need existing data.
   * @default false
   */
  mustExist?: boolean;
  /** The file that it must be, as returned by `readFileId`. It is not created then. Any file by default. */
  expectedFile?: FileId;
  /**
   * With `full`, committed data survives a power failure. `off` leaves that to the operating system.
   * @default 'full'
   */
  synchronous?: 'full' | 'off';
  /** The maximum size of the file in pages of 4,096 bytes. Unlimited by default. */
  maxPages?: number;
  /**
   * How many changes may share one commit. With 1, each change has its own commit.
   * @default 100
   */
  largestGroup?: number;
  /** How threads that write to the same file take turns. By default they do not coordinate. */
  priority?: WritePrioritySettings;
}

/**
 * Creates the file if necessary, readable only by its owner, because it contains endpoint secrets. SQLite gives its own files
 * the same permissions. An existing file is not opened: closing it would drop this process's locks on it.
 */
function makePrivateFile(file: string): void {
  if (file.trim() === '') throw new StoreUnavailableError('The database path is empty.');
  if (file === ':memory:') return;
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Enables the write-ahead log. While another process does the same to a new file, SQLite returns "busy" at once regardless of
 * the timeout, so this waits for the write lock and retries.
 */
function useWriteAheadLog(connection: Database.Database): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isLocked(error) || attempt === walAttempts) throw error;
      connection.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
}

/**
 * Returns the number of pages in the log after which a commit copies them into the file, which takes several times as long as
 * the commit. A thread with priority leaves that to the yielding thread, unless the log gets too long.
 */
function checkpointAfter(priority: WritePrioritySettings | undefined): number {
  if (priority === undefined) return 1_000;
  return priority.yields ? 2_000 : 8_000;
}

/**
 * Opens a connection to a SQLite file and migrates it to the current schema.
 *
 * @throws StoreUnavailableError if the file cannot be opened or belongs to another program.
 */
export function openConnection(
  file: string,
  { mustExist = false, expectedFile, synchronous = 'full', maxPages, priority }: SqliteOptions,
): Database.Database {
  let connection: Database.Database;
  try {
    if (!(mustExist || expectedFile !== undefined)) makePrivateFile(file);
    connection = new Database(file, { timeout: openTimeoutMs, fileMustExist: true });
  } catch (error) {
    throw translateOpeningError(file, error);
  }
  try {
    // Before anything is written to it.
    if (expectedFile !== undefined) requireFile(file, expectedFile);
    useWriteAheadLog(connection);
    connection.pragma(`synchronous = ${synchronous}`);
    connection.pragma('foreign_keys = ON');
    // Overwrites deleted data with zeros, so that secrets of deleted webhooks do not stay in the file.
    connection.pragma('secure_delete = ON');
    // Each change is a savepoint, for which SQLite copies changed pages, by default to a temporary file.
    connection.pragma('temp_store = MEMORY');
    migrate(connection);
    if (maxPages !== undefined) connection.pragma(`max_page_count = ${maxPages}`);
    connection.pragma(`wal_autocheckpoint = ${checkpointAfter(priority)}`);
    // From here on SQLite must not wait for a lock, because that would block every request.
    connection.pragma('busy_timeout = 0');
    return connection;
  } catch (error) {
    connection.close();
    throw translateOpeningError(file, error);
  }
}

/** Identifies the file that a path leads to. Plain text, so that it can be passed to a thread. */
export type FileId = string;

function toFileId({ dev, ino }: BigIntStats): FileId {
  return `${dev}:${ino}`;
}

/** Returns the file that a path leads to; null if it does not exist or cannot be read. */
export function readFileId(path: string): FileId | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : toFileId(stats);
  } catch {
    return null;
  }
}

/**
 * Checks that a path leads to a certain file.
 *
 * @param file The database that the path belongs to.
 * @throws StoreUnavailableError
 */
export function requireFile(path: string, expected: FileId | null, file: string = path): void {
  if (readFileId(path) === expected) return;
  throw new StoreUnavailableError(
    `${path} was deleted or replaced while the database ${file} was open. Nothing more is written. Put the original file back, or restart the server to use the new one.`,
  );
}

/**
 * Remembers the files of a database. A file that is deleted or replaced while it is open stays open: what is committed to it
 * is lost with the process, and no other process sees it. Neither SQLite nor the operating system reports that.
 */
export class FileIdentity {
  readonly #file: string;
  readonly #ids: (readonly [path: string, id: FileId | null])[];

  /** @param file An open database in WAL mode: its -wal and -shm files exist. */
  constructor(file: string) {
    this.#file = file;
    // With a symbolic link, SQLite's own files are next to its target.
    const target = realpathSync(file);
    const paths = [file, `${target}-wal`, `${target}-shm`];
    this.#ids = paths.map((path) => [path, readFileId(path)]);
  }

  /**
   * Checks that the files are still in place.
   *
   * @throws StoreUnavailableError
   */
  verify(): void {
    for (const [path, id] of this.#ids) requireFile(path, id, this.#file);
  }
}

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

/** Converts SQLite's environment errors to `StoreUnavailableError`. Returns other errors unchanged. */
export function translateError(error: unknown): unknown {
  if (!isTransient(error)) return error;
  return new StoreUnavailableError(`SQLite: ${error.message} (${error.code})`, { cause: error });
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
