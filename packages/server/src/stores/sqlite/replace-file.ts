import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import process from 'node:process';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import { createLock, tryLock } from './file-lock';
import { isEmpty, isTradepost } from './migrate';
import { lockAlone } from './open-connection';
import { explainWriteError, inUse, isCorrupt, isLocked } from './sqlite-errors';

/** The files that SQLite keeps next to a database: its write-ahead log, its shared memory and its rollback journal. */
const companionSuffixes = ['-wal', '-shm', '-journal'];

/** How long replacing a file waits for other commands to finish, in milliseconds. A server does not finish. */
const lockTimeoutMs = 1_000;

/** Returns the file that a path leads to, or will. The folder of a new file is resolved when it is written. */
export function resolveFile(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** Lists where SQLite's own files of a database are, if they exist. */
export function listCompanionPaths(file: string): string[] {
  return companionSuffixes.map((suffix) => `${file}${suffix}`);
}

function findCompanions(file: string): string[] {
  return listCompanionPaths(file).filter((path) => existsSync(path));
}

function removeWithCompanions(file: string): void {
  for (const path of [file, ...findCompanions(file)]) rmSync(path, { force: true });
}

/** Writes a file or a folder to the disk. */
function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function syncFolder(folder: string): void {
  // Windows cannot open folders, and does not need it.
  if (process.platform !== 'win32') syncToDisk(folder);
}

/** How often a name for the new file is tried, because another process removed its lock before it was taken. */
const lockAttempts = 3;

const getLockPath = (partialFile: string) => `${partialFile}-lock`;

/**
 * Creates the new file under a name of its own, with a lock that ends with this process. The ID of the process would not do:
 * those of two containers may be equal.
 */
function createPartialFile(file: string): { partialFile: string; remove: () => void } {
  for (let attempt = 1; ; attempt += 1) {
    const partialFile = `${file}.${randomUUID()}.partial`;
    const lock = createLock(getLockPath(partialFile));
    if (lock === null && attempt < lockAttempts) continue;
    // Fails, with the reason, where no file can be created.
    closeSync(openSync(partialFile, 'wx', 0o600));
    return {
      partialFile,
      remove() {
        removeWithCompanions(partialFile);
        rmSync(getLockPath(partialFile), { force: true });
        lock?.close();
      },
    };
  }
}

/** Removes what processes that were killed left of the same file. */
function removeAbandonedParts(file: string): void {
  const start = `${basename(file)}.`;
  for (const name of readdirSync(dirname(file))) {
    const [, id] = /^([\da-f-]{36})\.partial-lock$/.exec(name.slice(start.length)) ?? [];
    if (id === undefined || !name.startsWith(start)) continue;
    const partialFile = `${file}.${id}.partial`;
    const lock = tryLock(getLockPath(partialFile));
    if (lock === null) continue;
    removeWithCompanions(partialFile);
    rmSync(getLockPath(partialFile), { force: true });
    lock.close();
  }
}

/** How a file is written. */
export interface WriteOptions<Result> {
  /** Whether an existing file may be replaced. */
  overwrite: boolean;
  /** Whether the permissions and the owner of an existing file are kept. Otherwise only its owner can read it. */
  keepPermissions: boolean;
  /** Writes the content to another file in the same folder. That file exists and is empty. */
  write(partialFile: string): Promise<Result>;
}

/**
 * Writes a database completely or not at all: to a file beside it, which is renamed at the end. Whatever ends the process, the
 * old file or the new one is there, never a part.
 *
 * @throws StoreUnavailableError if the file exists and may not be replaced, is in use, or cannot be written.
 */
export async function writeDatabaseFile<Result>(
  file: string,
  { overwrite, keepPermissions, write }: WriteOptions<Result>,
): Promise<Result> {
  try {
    requireReplaceable(file, overwrite);
    // Locked again at the end. It would be a pity to notice only then that a server uses it.
    if (existsSync(file)) requireUnused(file);
    removeAbandonedParts(file);
    const { partialFile, remove } = createPartialFile(file);
    try {
      const result = await write(partialFile);
      if (keepPermissions && existsSync(file)) copyPermissions(file, partialFile);
      syncToDisk(partialFile);
      moveIntoPlace(partialFile, file, overwrite);
      // Not needed any more; and the folder is written to the disk without the lock file.
      remove();
      syncFolder(dirname(file));
      return result;
    } finally {
      remove();
    }
  } catch (error) {
    throw explainWriteError(`Cannot write ${file}`, error);
  }
}

function copyPermissions(from: string, to: string): void {
  const { mode, uid, gid } = statSync(from);
  chmodSync(to, mode & 0o777);
  // Otherwise a restore by root would leave a file that the server cannot open.
  if (process.getuid?.() === 0) chownSync(to, uid, gid);
}

/** Rejects a file that must not be replaced, before anything is written and again before the new file is moved into place. */
function requireReplaceable(file: string, overwrite: boolean): void {
  if (!existsSync(file)) {
    const [log] = findCompanions(file);
    if (log === undefined || overwrite) return;
    throw new StoreUnavailableError(
      `${file} does not exist, but ${log} does. It belongs to a database that was deleted, perhaps under a running server. Stop that server, then pass --force to remove it.`,
    );
  }
  if (!statSync(file).isFile()) throw new StoreUnavailableError(`${file} is not a file.`);
  if (!overwrite) {
    throw new StoreUnavailableError(
      `${file} exists and was not changed. Pass --force to replace it, or another file.`,
    );
  }
}

/**
 * Opens a database that is to be replaced, and locks it.
 *
 * @throws StoreUnavailableError if another process has it open, or if it is not a Tradepost database.
 */
function openLocked(
  file: string,
  lock: (connection: Database.Database) => void,
): Database.Database {
  const connection = new Database(file, { timeout: lockTimeoutMs, fileMustExist: true });
  try {
    if (!(isTradepost(connection) || isEmpty(connection))) {
      throw new StoreUnavailableError(
        `${file} is a database of another program and was not changed. Pass another file.`,
      );
    }
    lock(connection);
    return connection;
  } catch (error) {
    connection.close();
    if (isLocked(error)) throw inUse(file);
    if (isCorrupt(error)) {
      throw new StoreUnavailableError(
        `${file} was not replaced: it is not a readable database (${error.message}), so it is unknown whether a server uses it. Stop the server, move the file and ${basename(file)}-wal away, and try again.`,
      );
    }
    throw error;
  }
}

/** Rejects a database that another process has open, as a server has all the time. Changes nothing. */
function requireUnused(file: string): void {
  openLocked(file, lockAlone).close();
}

/**
 * Locks a database until its connection is closed. Its write-ahead log is copied into it and removed first: left behind, it
 * would be applied to the new file.
 */
function lockForReplacement(file: string): Database.Database {
  return openLocked(file, (connection) => {
    // Leaving WAL mode requires that no other connection is open.
    connection.pragma('journal_mode = DELETE');
    connection.exec('BEGIN EXCLUSIVE');
    // Another process may have opened it in between.
    if (connection.pragma('journal_mode', { simple: true }) !== 'delete') throw inUse(file);
  });
}

function moveIntoPlace(partialFile: string, file: string, overwrite: boolean): void {
  requireReplaceable(file, overwrite);
  // A process that opens the old file now waits for the lock. Once the file is replaced, SQLite does not let it write.
  const lock = existsSync(file) ? lockForReplacement(file) : null;
  try {
    // Windows does not replace an open file.
    if (process.platform === 'win32') lock?.close();
    for (const path of findCompanions(file)) rmSync(path, { force: true });
    renameSync(partialFile, file);
  } finally {
    lock?.close();
  }
}
