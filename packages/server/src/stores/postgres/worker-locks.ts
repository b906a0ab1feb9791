import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import pg from 'pg';
import type { PostgresDatabase } from './database';
import { getLocalPort } from './pool';
import { getCode, isUnusable } from './postgres-errors';

/** The key of a worker's lock: 63 bits of a hash of its ID, as PostgreSQL has one space of keys for all programs. */
function toLockKey(id: string): string {
  const hash = createHash('sha256').update(`tradepost worker ${id}`).digest();
  return (hash.readBigUInt64BE() >> 1n).toString();
}

/**
 * Identifies the run of the server that has the session: when it started, and whether it is a standby that was promoted. Null if the
 * session is not with the server itself: behind a pooler, other clients use it too, and it may end while this process lives.
 */
const readServerRun = `SELECT CASE WHEN inet_client_port() = $1
  THEN pg_postmaster_start_time()::text END AS run`;

interface WorkerRow {
  id: string;
  lockKey: string;
  serverRun: string;
}

/** How long a lock must have been free before its worker counts as dead, in milliseconds: longer than it takes to take it again. */
const confirmMs = 500;
/** The pause before a lost session is opened again, in milliseconds, if that failed. */
const reopenPauseMs = 100;

/** What became of an attempt to take a lock. Without support, others cannot notice it. */
type LockResult = 'taken' | 'busy' | 'unsupported';

/** Returns whether a failure says nothing about what the database supports: the connection broke, or the server is overloaded. */
function isTemporary(error: unknown): boolean {
  const cause = error instanceof StoreUnavailableError ? error.cause : error;
  return isUnusable(cause) || /^(53|57)/.test(getCode(cause));
}

/**
 * Shows which workers are alive. Each has a row, and a session of its own that holds an advisory lock, which PostgreSQL drops when
 * the session ends, however that happens. A stopped or hung process keeps it.
 *
 * Where sessions or their locks cannot be relied on, because there is a pooler in between or the database has no such locks, and
 * after the database was restarted, no worker is known to have ended: its leases last until they end.
 */
export class WorkerLocks {
  readonly #db: PostgresDatabase;
  #session: pg.Client | null = null;
  #opening: Promise<pg.Client> | null = null;
  /** Null if locks cannot be relied on. */
  #serverRun: string | null = null;
  readonly #own = new Set<string>();
  /** What the rows of own workers have to say, once the session has their locks or cannot have them. */
  readonly #recorded = new Map<string, string>();
  /** Since when the locks of other workers have been free: times of `performance.now()`. */
  readonly #freeSince = new Map<string, number>();
  #isClosed = false;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  /**
   * Registers a worker of this process. Without a lock it works as well, but others cannot notice its end.
   *
   * @returns Its ID, which is never used again.
   */
  async register(): Promise<string> {
    // Stored with each lease.
    const id = randomBytes(12).toString('base64url');
    const session = await this.#open();
    this.#own.add(id);
    try {
      await this.#takeLock(session, id);
    } catch (error) {
      this.#own.delete(id);
      throw error;
    }
    return id;
  }

  /** Ends a registration. The worker must have ended all attempts. */
  async unregister(id: string): Promise<void> {
    await this.remove([id]);
    this.#own.delete(id);
    if (this.#own.size === 0) await this.close();
  }

  /**
   * Returns the IDs of workers that have ended without unregistering: those whose locks were free, and still are half a second later,
   * because a living worker whose session was ended takes its lock again at once. Takes lost locks of own workers again.
   */
  async findEnded(): Promise<string[]> {
    const workers = await this.#db.rows<WorkerRow>(
      `SELECT id, lock_key::text AS "lockKey", server_run AS "serverRun" FROM workers
       WHERE server_run <> '' OR id = ANY ($1::text[])`,
      [...this.#own],
    );
    await this.#restore(workers);
    const others = workers.filter(({ id, serverRun }) => serverRun !== '' && !this.#own.has(id));
    const free = others.length === 0 ? [] : await this.#findFree(others);
    for (const id of this.#freeSince.keys()) if (!free.includes(id)) this.#freeSince.delete(id);
    const now = performance.now();
    return free.filter((id) => {
      const since = this.#freeSince.get(id) ?? now;
      this.#freeSince.set(id, since);
      return now - since >= confirmMs;
    });
  }

  /** Returns the IDs of the workers whose locks are free. */
  async #findFree(workers: readonly WorkerRow[]): Promise<string[]> {
    const session = await this.#open();
    const known = workers.filter(({ serverRun }) => serverRun === this.#serverRun);
    // Taking and returning them takes no time in which a living worker could miss its lock: it has it all the time.
    const rows = await this.#query<{ id: string }>(
      session,
      `SELECT w.id FROM unnest($1::text[], $2::bigint[]) AS w (id, key)
       WHERE CASE WHEN pg_try_advisory_lock(w.key) THEN pg_advisory_unlock(w.key) ELSE FALSE END`,
      [known.map(({ id }) => id), known.map(({ lockKey }) => lockKey)],
    );
    return rows.map(({ id }) => id);
  }

  /** Removes workers that have ended and whose leases were released. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.#db.write((tx) => tx.run('DELETE FROM workers WHERE id = ANY ($1::text[])', ids), {
      isRepeatable: true,
    });
  }

  /** Ends the session, and with it all locks of this process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const session = this.#session;
    if (session === null) return;
    this.#forget(session);
    await session.end();
  }

  /** Returns the session. All who need one at the same time get the same. */
  #open(): Promise<pg.Client> {
    if (this.#session !== null) return Promise.resolve(this.#session);
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connect(): Promise<pg.Client> {
    const session = new pg.Client(this.#db.connectionConfig);
    // A restart of the database or a broken network; the locks are gone.
    session.on('error', () => void this.#reopen(session));
    session.on('end', () => void this.#reopen(session));
    await session.connect();
    this.#session = session;
    this.#serverRun = await this.#readServerRun(session);
    return session;
  }

  /** Takes the locks of a lost session again at once, before other workers find them free for too long. */
  async #reopen(lost: pg.Client): Promise<void> {
    if (!this.#forget(lost)) return;
    while (this.#own.size > 0 && this.#session === null && !this.#isClosed) {
      try {
        await this.#restore(await this.#selectOwn());
      } catch {
        await setTimeout(reopenPauseMs);
      }
    }
  }

  #selectOwn(): Promise<WorkerRow[]> {
    return this.#db.rows<WorkerRow>(
      `SELECT id, lock_key::text AS "lockKey", server_run AS "serverRun" FROM workers
       WHERE id = ANY ($1::text[])`,
      [...this.#own],
    );
  }

  /** From now on, another session is used. Returns whether this one was. */
  #forget(session: pg.Client): boolean {
    if (this.#session !== session) return false;
    this.#session = null;
    this.#recorded.clear();
    return true;
  }

  /** Runs a statement in a session. If it is of no more use, its locks are lost. */
  async #query<Row>(session: pg.Client, sql: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await session.query(sql, values)).rows as Row[];
    } catch (error) {
      if (isUnusable(error)) {
        session.end().catch(() => {});
        void this.#reopen(session);
      }
      throw error;
    }
  }

  /** Takes the locks again that were lost with the session, and registers workers again that others considered dead meanwhile. */
  async #restore(rows: readonly WorkerRow[]): Promise<void> {
    for (const id of this.#own) {
      const session = await this.#open();
      const row = rows.find((worker) => worker.id === id);
      if (row === undefined || row.serverRun !== this.#recorded.get(id)) {
        await this.#takeLock(session, id);
      }
    }
  }

  /** Takes the lock of a worker, and records in which run of the server, or that it has none. */
  async #takeLock(session: pg.Client, id: string): Promise<void> {
    const key = toLockKey(id);
    const result = this.#serverRun === null ? 'unsupported' : await this.#lock(session, key);
    const serverRun = (result === 'taken' && this.#serverRun) || '';
    await this.#db.write(
      (tx) =>
        tx.run(
          `INSERT INTO workers (id, lock_key, server_run) VALUES ($1, $2, $3)
           ON CONFLICT (id) DO UPDATE SET server_run = excluded.server_run`,
          id,
          key,
          serverRun,
        ),
      { isRepeatable: true },
    );
    // Another process may have it, which checks whether this worker lives: it is tried again.
    if (result !== 'busy' && this.#session === session) this.#recorded.set(id, serverRun);
  }

  async #readServerRun(session: pg.Client): Promise<string | null> {
    try {
      const [row] = await this.#query<{ run: string | null }>(session, readServerRun, [
        getLocalPort(session) ?? null,
      ]);
      return row?.run ?? null;
    } catch (error) {
      if (isTemporary(error)) {
        this.#forget(session);
        session.end().catch(() => {});
        throw error;
      }
      // A database that speaks the protocol of PostgreSQL but has none of these functions.
      return null;
    }
  }

  /** Takes the lock for the session. */
  async #lock(session: pg.Client, key: string): Promise<LockResult> {
    try {
      const [own] = await this.#query<{ taken: boolean }>(
        session,
        'SELECT pg_try_advisory_lock($1::bigint) AS taken',
        [key],
      );
      if (own?.taken !== true) return 'busy';
      // Some databases have the function for compatibility only: it always succeeds.
      const other = await this.#db.row<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock($1::bigint) AS taken',
        key,
      );
      return other?.taken === false ? 'taken' : 'unsupported';
    } catch (error) {
      if (isTemporary(error)) throw error;
      return 'unsupported';
    }
  }
}
