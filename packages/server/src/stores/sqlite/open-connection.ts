import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../store-unavailable-error';
import { type FileId, requireFile } from './file-identity';
import { migrate } from './migrate';
import { isLocked, translateOpeningError } from './sqlite-errors';
import type { TurnSettings } from './write-turns';

const openingPatience = 2_000;
const walTries = 100;

/** How a SQLite file is to be kept. */
export interface SqliteOptions {
  /** Refuse to make the file: for work that makes sense only on what is there. False unless told. */
  mustExist?: boolean;
  /** The file that it must be, as `readFileId` tells: none is made then. Any by default. */
  expectedFile?: FileId;
  /** `full` unless told: what was answered survives a loss of power. `off` leaves that to the system. */
  synchronous?: 'full' | 'off';
  /** How many pages of 4,096 bytes the file may have; without it, as many as the disk holds. */
  maxPages?: number;
  /** How many changes may share one commit; 100 unless told, 1 for a commit each. */
  largestGroup?: number;
  /** How it takes turns with other threads that write to the same file; without it, as it comes. */
  turns?: TurnSettings;
}

/**
 * Makes the file if need be, for its owner alone: it holds endpoint secrets. SQLite's own files beside it follow suit.
 * One that is there is not opened: to close it again would take this process's locks on it away.
 */
function makePrivateFile(file: string): void {
  if (file.trim() === '') throw new StoreUnavailableError('The name of the database is blank.');
  if (file === ':memory:') return;
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Makes a database keep a write-ahead log. While another process does the same to a new file, SQLite
 * answers "busy" at once, whatever the timeout; so this waits for its turn to write and tries again.
 */
function useWriteAheadLog(connection: Database.Database): void {
  for (let tries = 1; ; tries += 1) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isLocked(error) || tries === walTries) throw error;
      connection.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
}

/**
 * After how many pages in the log whoever commits copies them into the file, which takes several times as long as the
 * commit. A thread that others wait for leaves that to the one that yields, unless it has not come to it for long.
 */
function checkpointAfter(turns: TurnSettings | undefined): number {
  if (turns === undefined) return 1_000;
  return turns.yields ? 2_000 : 8_000;
}

/**
 * Opens a connection to a SQLite file of the newest schema.
 *
 * @throws StoreUnavailableError when the file cannot be opened, or is no database of ours.
 */
export function openConnection(
  file: string,
  { mustExist = false, expectedFile, synchronous = 'full', maxPages, turns }: SqliteOptions,
): Database.Database {
  let connection: Database.Database;
  try {
    if (!(mustExist || expectedFile !== undefined)) makePrivateFile(file);
    connection = new Database(file, { timeout: openingPatience, fileMustExist: true });
  } catch (error) {
    throw translateOpeningError(file, error);
  }
  try {
    // Before anything is written into it.
    if (expectedFile !== undefined) requireFile(file, expectedFile);
    useWriteAheadLog(connection);
    connection.pragma(`synchronous = ${synchronous}`);
    connection.pragma('foreign_keys = ON');
    // What is deleted is overwritten with zeros: secrets of deleted webhooks must not stay in the file.
    connection.pragma('secure_delete = ON');
    // Each change is a savepoint, for which SQLite copies the pages that it changes: to a file unless kept in memory.
    connection.pragma('temp_store = MEMORY');
    migrate(connection);
    if (maxPages !== undefined) connection.pragma(`max_page_count = ${maxPages}`);
    connection.pragma(`wal_autocheckpoint = ${checkpointAfter(turns)}`);
    // From here on nothing waits for a lock inside of SQLite: that would hold up every request.
    connection.pragma('busy_timeout = 0');
    return connection;
  } catch (error) {
    connection.close();
    throw translateOpeningError(file, error);
  }
}
