import { realpathSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import {
  type DatabaseContents,
  damaged,
  readContents,
  verifyContents,
  withSnapshot,
} from './database-file';
import { openForReading } from './open-connection';
import { listCompanionPaths, resolveFile, writeDatabaseFile } from './replace-file';
import { isCorrupt } from './sqlite-errors';

/** How much is copied before other work gets a turn: 16 MiB. */
const pagesPerStep = 4_096;

/** What is copied where. */
export interface CopyRequest {
  /** The database that is read. */
  from: string;
  /** The file that is written. */
  to: string;
  /**
   * Whether an existing file may be replaced, unless a server uses it.
   * @default false
   */
  overwrite?: boolean;
  /** Stops it while it copies. Nothing is changed then. */
  signal?: AbortSignal;
}

/** A complete copy of a database. */
export interface DatabaseCopy extends DatabaseContents {
  /** The absolute path of the copy, with symbolic links resolved. */
  file: string;
  /** Its size. */
  bytes: number;
}

/**
 * Copies a database to a file, while servers may write to it: the copy has exactly what was committed when it began. The copy
 * is verified, on disk and readable only by its owner when it gets its name. Until then the file is unchanged.
 *
 * @throws StoreUnavailableError if it cannot be read or written, or is damaged.
 */
export async function backUpDatabase(request: CopyRequest): Promise<DatabaseCopy> {
  return copyDatabase({ ...request, keepPermissions: false });
}

/**
 * Replaces a database by a backup of it, in one step. The backup is copied and verified first. Leases in it need no attention:
 * a worker that starts does not count them, and makes those attempts again when they end.
 *
 * @throws StoreUnavailableError if the backup cannot be used, or if a server has the database open.
 */
export async function restoreDatabase(request: CopyRequest): Promise<DatabaseCopy> {
  return copyDatabase({ ...request, keepPermissions: true });
}

async function copyDatabase({
  from,
  to,
  overwrite = false,
  keepPermissions,
  signal,
}: CopyRequest & { keepPermissions: boolean }): Promise<DatabaseCopy> {
  const source = openForReading(from);
  try {
    const file = resolveFile(to);
    const origin = realpathSync(from);
    if (file === origin) {
      throw new StoreUnavailableError(`${to} is the database itself. Pass another file.`);
    }
    if (listCompanionPaths(origin).includes(file)) {
      throw new StoreUnavailableError(`${to} belongs to the database ${from}. Pass another file.`);
    }
    const contents = await writeDatabaseFile(file, {
      overwrite,
      keepPermissions,
      async write(partialFile) {
        try {
          const copied = await copyPages(source, partialFile, signal);
          const found = verifyCopy(partialFile, from);
          if (!isDeepStrictEqual(found, copied)) {
            throw damaged(from, 'its copy has other rows than it');
          }
          signal?.throwIfAborted();
          return found;
        } catch (error) {
          throw isCorrupt(error) ? damaged(from, error.message) : error;
        }
      },
    });
    return { file, bytes: statSync(file).size, ...contents };
  } finally {
    source.close();
  }
}

/**
 * Copies what is committed now. Without a transaction, SQLite starts again whenever another process commits, and never ends
 * beside a busy server. The transaction blocks no other process; the write-ahead log grows until it ends.
 *
 * @returns What the database has, to compare with the copy.
 */
async function copyPages(
  source: Database.Database,
  file: string,
  signal: AbortSignal | undefined,
): Promise<DatabaseContents> {
  return await withSnapshot(source, async () => {
    await source.backup(file, {
      progress() {
        signal?.throwIfAborted();
        return pagesPerStep;
      },
    });
    return readContents(source);
  });
}

function verifyCopy(file: string, from: string): DatabaseContents {
  const copy = new Database(file, { fileMustExist: true });
  try {
    // One file that can be copied and read anywhere. The next server that opens it uses a write-ahead log again.
    copy.pragma('journal_mode = DELETE');
    return verifyContents(copy, from);
  } finally {
    copy.close();
  }
}
