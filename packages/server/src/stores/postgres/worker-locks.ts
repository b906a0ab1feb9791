import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { PostgresDatabase } from './database';
import { getLocalPort } from './pool';

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
  /** Null if locks cannot be relied on. */
  #serverRun: string | null = null;
  readonly #own = new Set<string>();

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  /**
   * Registers a worker of this process. Without a lock it works as well, but others cannot notice its end.
   *
   * @returns Its ID, which is never used again.
   */
  async register(): Promise<string> {
    const id = randomUUID();
    const session = await this.#open();
    this.#own.add(id);
    await this.#takeLock(session, id);
    return id;
  }

  /** Ends a registration. The worker must have ended all attempts. */
  async unregister(id: string): Promise<void> {
    await this.remove([id]);
    this.#own.delete(id);
    if (this.#own.size === 0) await this.close();
  }

  /** Returns the IDs of workers that have certainly ended without unregistering. */
  async findEnded(): Promise<string[]> {
    if (this.#session === null && this.#own.size > 0) await this.#restore();
    const others = await this.#db.rows<WorkerRow>(
      `SELECT id, lock_key::text AS "lockKey", server_run AS "serverRun" FROM workers
       WHERE server_run <> '' AND NOT (id = ANY ($1::text[]))`,
      [...this.#own],
    );
    if (others.length === 0) return [];
    const session = await this.#open();
    const known = others.filter(({ serverRun }) => serverRun === this.#serverRun);
    // Taking and returning them takes no time in which a living worker could miss its lock: it has it all the time.
    const { rows } = await session.query<{ id: string }>(
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
    const session = this.#session;
    this.#session = null;
    await session?.end();
  }

  async #open(): Promise<pg.Client> {
    if (this.#session !== null) return this.#session;
    const session = new pg.Client(this.#db.connectionConfig);
    session.on('error', () => {
      // A restart of the database or a broken network; the locks are gone.
      if (this.#session === session) this.#session = null;
    });
    await session.connect();
    this.#session = session;
    this.#serverRun = await this.#readServerRun(session);
    return session;
  }

  /** Takes the locks again after the session was lost. */
  async #restore(): Promise<void> {
    const session = await this.#open();
    for (const id of this.#own) await this.#takeLock(session, id);
  }

  /** Takes the lock of a worker, and records in which run of the server, or that it has none. */
  async #takeLock(session: pg.Client, id: string): Promise<void> {
    const key = toLockKey(id);
    const isLocked = this.#serverRun !== null && (await this.#lock(session, key));
    await this.#db.write(
      (tx) =>
        tx.run(
          `INSERT INTO workers (id, lock_key, server_run) VALUES ($1, $2, $3)
           ON CONFLICT (id) DO UPDATE SET server_run = excluded.server_run`,
          id,
          key,
          isLocked ? this.#serverRun : '',
        ),
      { isRepeatable: true },
    );
  }

  async #readServerRun(session: pg.Client): Promise<string | null> {
    try {
      const { rows } = await session.query<{ run: string | null }>(readServerRun, [
        getLocalPort(session) ?? null,
      ]);
      return rows[0]?.run ?? null;
    } catch {
      // A database that speaks the protocol of PostgreSQL but has none of these functions.
      return null;
    }
  }

  /** Takes a lock for the session. Returns whether others notice it. */
  async #lock(session: pg.Client, key: string): Promise<boolean> {
    try {
      const { rows } = await session.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock($1::bigint) AS taken',
        [key],
      );
      if (rows[0]?.taken !== true) return false;
      // Some databases have the function for compatibility only: it always succeeds.
      const other = await this.#db.row<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock($1::bigint) AS taken',
        key,
      );
      return other?.taken === false;
    } catch {
      return false;
    }
  }
}
