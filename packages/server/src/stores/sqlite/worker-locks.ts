import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { createLock, tryLock } from './file-lock';

/** How often registering is tried again, because another process removed the new file before it was locked. */
const registerAttempts = 3;
const hostIdLength = 12;
/** The IDs of workers: a host ID and a UUID. Other files may have names that start like those of locks, such as a backup. */
const idPattern = /^[\da-f]{12}-[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/**
 * Identifies the running kernel, on Linux: containers of one host share it, and with it the locks on files. A reboot changes it.
 * Other systems have no such ID, so there it is the host name.
 */
function readHostId(): string {
  let id = hostname();
  try {
    id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Not Linux.
  }
  return createHash('sha256').update(id).digest('hex').slice(0, hostIdLength);
}

/** A worker that has ended without removing its lock file. Its lock is taken, so that no other process handles it too. */
export interface EndedWorker {
  id: string;
  /**
   * Whether it certainly ran under this kernel, and so has certainly ended. Locks of another host are perhaps not visible
   * here.
   */
  isOfThisHost: boolean;
  /** Removes its lock file. Call `close` afterwards. */
  remove(): void;
  /** Gives the lock back. */
  close(): void;
}

/**
 * Shows which workers are alive. Each has an empty file beside the database, `<database>-worker-<id>`, and an exclusive SQLite
 * lock on it, which the operating system drops when the process ends, however that happens; and SQLite drops it when only the
 * thread ends. A stopped or hung process keeps it. It depends on neither process IDs, which containers reuse, nor clocks.
 *
 * SQLite itself manages the locks of several connections in one process. The file must never be opened in another way: closing
 * it would drop the lock.
 */
export class WorkerLocks {
  /** The path of all lock files, up to the ID; null for a database in memory, which ends with its only process. */
  readonly #prefix: string | null;
  readonly #hostId = readHostId();
  readonly #own = new Map<string, Database.Database | null>();

  /** @param file The database. */
  constructor(file: string) {
    // With a symbolic link, SQLite's own files are next to its target, too.
    this.#prefix = file === ':memory:' ? null : `${realpathSync(file)}-worker-`;
  }

  /**
   * Registers a worker of this thread. Without a lock, for example because no file can be created, it works as well, but others
   * cannot notice its end.
   *
   * @returns Its ID, which is never used again.
   */
  register(): string {
    for (let attempt = 1; ; attempt += 1) {
      const id = `${this.#hostId}-${randomUUID()}`;
      const lock = this.#createLock(id);
      if (lock === null && attempt < registerAttempts) continue;
      this.#own.set(id, lock);
      return id;
    }
  }

  /** Ends a registration. The worker must have ended all attempts. */
  unregister(id: string): void {
    const lock = this.#own.get(id);
    if (lock) rmSync(this.#getPath(id), { force: true });
    this.#release(id);
  }

  /** Takes the locks of all workers that have ended without unregistering. Call `close` on each. */
  lockEnded(): EndedWorker[] {
    if (this.#prefix === null) return [];
    return this.#listIds(this.#prefix)
      .filter((id) => !this.#own.has(id))
      .flatMap((id) => {
        const path = this.#getPath(id);
        const lock = tryLock(path);
        if (lock === null) return [];
        return {
          id,
          isOfThisHost: id.startsWith(`${this.#hostId}-`),
          // While the lock is taken, so that a worker that is about to take it notices.
          remove: () => rmSync(path, { force: true }),
          close: () => void lock.close(),
        };
      });
  }

  #listIds(prefix: string): string[] {
    const namePrefix = basename(prefix);
    try {
      return readdirSync(dirname(prefix))
        .filter((name) => name.startsWith(namePrefix))
        .map((name) => name.slice(namePrefix.length))
        .filter((id) => idPattern.test(id));
    } catch {
      // A folder that may not be listed: no worker is known to have ended.
      return [];
    }
  }

  /** Gives up all locks of this thread. Their files stay, so that others notice the end of workers that are still registered. */
  close(): void {
    for (const id of [...this.#own.keys()]) this.#release(id);
  }

  #release(id: string): void {
    this.#own.get(id)?.close();
    this.#own.delete(id);
  }

  #getPath(id: string): string {
    return `${this.#prefix}${id}`;
  }

  #createLock(id: string): Database.Database | null {
    if (this.#prefix === null) return null;
    // Without one, for example in a read-only folder, the leases of this worker last until they end.
    return createLock(this.#getPath(id));
  }
}
