import { type BigIntStats, realpathSync, statSync } from 'node:fs';
import { StoreUnavailableError } from '../../store-unavailable-error';

/** Which file a path leads to, as plain text: so that it can be handed to a thread. */
export type FileId = string;

function toFileId({ dev, ino }: BigIntStats): FileId {
  return `${dev}:${ino}`;
}

/** Returns which file a path leads to now; null when there is none, or none that may be read. */
export function readFileId(path: string): FileId | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : toFileId(stats);
  } catch {
    return null;
  }
}

/**
 * Makes sure that a path leads to a certain file.
 *
 * @param file The database that it belongs to.
 * @throws StoreUnavailableError
 */
export function requireFile(path: string, expected: FileId | null, file: string = path): void {
  if (readFileId(path) === expected) return;
  throw new StoreUnavailableError(
    `${path} was deleted or replaced while the database ${file} was open; nothing is written any more. Put the original file back, or restart to work with what is there now.`,
  );
}

/**
 * Remembers which files a database consists of. A file that is deleted or replaced while it is open stays open: what
 * is committed to it is lost with the process, and no other process ever sees it. Neither SQLite nor the system
 * reports that.
 */
export class FileIdentity {
  readonly #file: string;
  readonly #ids: (readonly [path: string, id: FileId | null])[];

  /** @param file An open database in WAL mode: its log and its shared memory exist. */
  constructor(file: string) {
    this.#file = file;
    // Behind a link, SQLite's own files are beside the file that it leads to.
    const target = realpathSync(file);
    const paths = [file, `${target}-wal`, `${target}-shm`];
    this.#ids = paths.map((path) => [path, readFileId(path)]);
  }

  /**
   * Makes sure that the files are where they were.
   *
   * @throws StoreUnavailableError
   */
  verify(): void {
    for (const [path, id] of this.#ids) requireFile(path, id, this.#file);
  }
}
