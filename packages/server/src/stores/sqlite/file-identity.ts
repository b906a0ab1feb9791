import { type BigIntStats, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StoreUnavailableError } from '../../kernel/errors';

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

/** Returns the target of a symbolic link, which may be missing, or the path itself: SQLite's own files are beside the target. */
export function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The target of a link may have been moved away.
  }
  try {
    return resolve(dirname(path), readlinkSync(path));
  } catch {
    return path;
  }
}

/** Returns whether a file exists. Unlike `existsSync`, it throws if that may not be known, for example without permission. */
export function fileExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Returns whether a file exists and is not empty. */
function hasContent(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Checks that a missing or empty database has no log. SQLite would discard it, and with it the changes of the database to which
 * it belongs, which may be moved back, or still be open in a server.
 *
 * @throws StoreUnavailableError
 */
export function requireNoAbandonedLog(file: string): void {
  const log = `${resolveLink(file)}-wal`;
  if (hasContent(file) || !hasContent(log)) return;
  // Another process may just have created both: it writes to the database first.
  if (hasContent(file)) return;
  const isMissing = !fileExists(file);
  throw new StoreUnavailableError(
    `The database ${file} ${isMissing ? `does not exist, but ${log} does` : `is empty, but ${log} is not`}: it has changes of a database that was moved or deleted, perhaps under a running server. Put the file back. If it is lost, stop all servers that use it, then remove ${log}.`,
  );
}
