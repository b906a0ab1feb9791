import { type BigIntStats, statSync } from 'node:fs';
import { StoreUnavailableError } from '../../store-unavailable-error';

/** Which file a path leads to, as plain text: so that it can be handed to a thread. */
export type FileId = string;

function toFileId({ dev, ino }: BigIntStats): FileId {
  return `${dev}:${ino}`;
}

/** Which file a path leads to now; null when there is none, or none that may be looked at. */
export function readFileId(path: string): FileId | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : toFileId(stats);
  } catch {
    return null;
  }
}

/**
 * Remembers which files a database consists of. A file that is deleted or replaced while it is open stays open: what
 * is committed to it is lost with the process, and nobody else ever sees it. Neither SQLite nor the system tells.
 */
export class FileIdentity {
  readonly #paths: string[];
  readonly #ids: (FileId | null)[];

  /**
   * @param file An open database in WAL mode: its log and its shared memory are there.
   * @param expected The file that it must be, if that is known.
   * @throws StoreUnavailableError when it is another one.
   */
  constructor(
    readonly file: string,
    expected?: FileId,
  ) {
    this.#paths = [file, `${file}-wal`, `${file}-shm`];
    this.#ids = this.#paths.map(readFileId);
    if (expected !== undefined && this.#ids[0] !== expected) throw this.#gone(file);
  }

  /**
   * Makes sure that the files are where they were.
   *
   * @throws StoreUnavailableError
   */
  verify(): void {
    for (const [index, path] of this.#paths.entries()) {
      if (readFileId(path) !== this.#ids[index]) throw this.#gone(path);
    }
  }

  #gone(path: string): StoreUnavailableError {
    return new StoreUnavailableError(
      `${path} was deleted or replaced while the database ${this.file} was open; nothing is written any more. Put the original file back, or restart to work with what is there now.`,
    );
  }
}
