import { closeSync, openSync } from 'node:fs';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import { fileExists, requireNoAbandonedLog } from './abandoned-log';
import type { CommitOptions, WritePrioritySettings } from './group-commit';
import {
  isTradepost,
  migrate,
  requireKnownSchema,
  requireMigrated,
  requireUsable,
} from './migrate';
import {
  explainReadError,
  inUse,
  isLocked,
  missingFile,
  translateOpeningError,
} from './sqlite-errors';

/** How long opening a file waits for a lock of another process, in milliseconds. */
const openTimeoutMs = 2_000;
/** How often a file is tried while another process creates it. */
const lockAttempts = 100;

/** Identifies the file that a path leads to. Plain text, so that it can be passed to a thread. */
export type FileId = string;

/** How a connection is opened. */
export interface OpenOptions extends Pick<CommitOptions, 'synchronous' | 'priority'> {
  /**
   * Fail if the file does not exist, for commands that need existing data.
   * @default false
   */
  mustExist?: boolean;
  /** The file that it must be, as returned by `readFileId`. It is not created then. Any file by default. */
  expectedFile?: FileId;
  /**
   * Whether an existing database with an older schema is migrated. Otherwise it is rejected and not changed.
   * @default true
   */
  mayMigrate?: boolean;
  /**
   * Whether no other process may use the database meanwhile.
   * @default false
   */
  isAlone?: boolean;
  /** The maximum size of the file in pages of 4,096 bytes. Unlimited by default. */
  maxPages?: number;
}

/**
 * Locks a database until the connection is closed.
 *
 * @throws StoreUnavailableError if another process has it open, as a server has all the time.
 */
export function lockAlone(connection: Database.Database): void {
  try {
    // In this mode even a database with a write-ahead log can be locked only while no other connection is open.
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    throw isLocked(error) ? inUse(connection.name) : error;
  }
}

/**
 * Creates the file if necessary, readable only by its owner, because it may contain endpoint secrets. SQLite gives its own files
 * the same permissions. An existing file is not opened: closing it would drop this process's locks on it.
 */
function makePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Creates the file if it may, and checks that SQLite will not discard the log of another one. */
function prepareFile(file: string, mustExist: boolean): void {
  if (file.trim() === '') throw new StoreUnavailableError('The database path is empty.');
  if (file === ':memory:') return;
  requireNoAbandonedLog(file);
  if (!mustExist) makePrivateFile(file);
  else if (!fileExists(file)) throw missingFile(file);
}

/**
 * Runs work on a file that is perhaps new. While another process enables the write-ahead log of a new file, SQLite returns "busy"
 * at once regardless of the timeout, so this waits for the write lock and retries.
 */
function retryWhileLocked(connection: Database.Database, work: () => void): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      work();
      return;
    } catch (error) {
      if (!isLocked(error) || attempt === lockAttempts) throw error;
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
 * Opens a connection to a SQLite file, which has the current schema then.
 *
 * @param requireFile Throws if the path does not lead to this file.
 * @throws StoreUnavailableError if the file cannot be opened or belongs to another program.
 */
export function openConnection(
  file: string,
  options: OpenOptions,
  requireFile: (expected: FileId) => void,
): Database.Database {
  const { mustExist = false, expectedFile, mayMigrate = true, synchronous = 'full' } = options;
  const { maxPages, priority } = options;
  let connection: Database.Database;
  try {
    if (expectedFile === undefined) prepareFile(file, mustExist);
    connection = new Database(file, { timeout: openTimeoutMs, fileMustExist: true });
  } catch (error) {
    throw translateOpeningError(file, error);
  }
  try {
    // Before anything is written to it.
    if (expectedFile !== undefined) requireFile(expectedFile);
    if (options.isAlone) lockAlone(connection);
    retryWhileLocked(connection, () => {
      requireUsable(connection);
      if (!mayMigrate) requireMigrated(connection);
      connection.pragma('journal_mode = WAL');
    });
    connection.pragma(`synchronous = ${synchronous}`);
    connection.pragma('foreign_keys = ON');
    // Overwrites deleted data with zeros, so that secrets of deleted webhooks do not stay in the file.
    connection.pragma('secure_delete = ON');
    // Where changes have savepoints, SQLite copies changed pages, by default to a temporary file.
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

/**
 * Opens a Tradepost database to read it as it is: its schema is not migrated and nothing is written. Other processes may use it.
 *
 * @throws StoreUnavailableError if it does not exist, is not a Tradepost database, or has a newer schema.
 */
export function openForReading(file: string): Database.Database {
  let connection: Database.Database;
  try {
    requireNoAbandonedLog(file);
    if (!fileExists(file)) {
      throw new StoreUnavailableError(`The database ${file} does not exist. Check the path.`);
    }
    connection = new Database(file, { timeout: openTimeoutMs, fileMustExist: true });
  } catch (error) {
    throw explainReadError(file, error);
  }
  try {
    // Not opened as read-only: then SQLite could not read the log of a server that crashed, and would leave files behind.
    connection.pragma('query_only = ON');
    requireDatabase(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw explainReadError(file, error);
  }
}

/**
 * Like `openForReading`, for queries that need the current schema.
 *
 * @throws StoreUnavailableError also if the schema is older.
 */
export function openCurrentForReading(file: string): Database.Database {
  const connection = openForReading(file);
  try {
    requireMigrated(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw explainReadError(file, error);
  }
}

function requireDatabase(connection: Database.Database): void {
  if (!isTradepost(connection)) {
    throw new StoreUnavailableError(
      `${connection.name} is not a Tradepost database. Check the path.`,
    );
  }
  requireKnownSchema(connection);
}
