import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { readFileId } from './database';

/**
 * Opens a lock file and takes its lock. The connection has the lock until it is closed: an open transaction that never writes.
 * The operating system drops the lock when the process ends, however that happens.
 *
 * @returns Null if another connection has the lock, or if it cannot be known, for example because there is no such file.
 */
export function tryLock(path: string): Database.Database | null {
  let connection: Database.Database | undefined;
  try {
    connection = new Database(path, { timeout: 0, fileMustExist: true });
    // Nothing is written, so no file for a rollback is needed.
    connection.pragma('journal_mode = MEMORY');
    connection.exec('BEGIN EXCLUSIVE');
    return connection;
  } catch {
    connection?.close();
    return null;
  }
}

/**
 * Creates a lock file and takes its lock.
 *
 * @returns Null if the file cannot be created, or if another process found it before it was locked, and perhaps removed it.
 */
export function createLock(path: string): Database.Database | null {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    return null;
  }
  const created = readFileId(path);
  const lock = tryLock(path);
  if (lock !== null && created !== null && readFileId(path) === created) return lock;
  lock?.close();
  return null;
}
