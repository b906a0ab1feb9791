import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import {
  type CopiedTable,
  copiedTableNames,
  type RowBatch,
  type RowPosition,
  type TableDigest,
  TableHash,
} from '../copied-tables';
import { copiedTables } from '../records/tables';
import { resolveLink } from './abandoned-log';
import { verifyContents } from './database-file';
import { selectEventLogs } from './events';
import { requireMigrated } from './migrate';
import { openForReading } from './open-connection';
import { explainReadError, isLocked } from './sqlite-errors';

/** How long the export waits for other commands to finish, in milliseconds. A server does not finish. */
const lockTimeoutMs = 1_000;

/** Where the rows of PostgreSQL's tables come from that have columns or rows of their own there. */
const sources: Partial<Record<CopiedTable, string>> = {
  account_events: `(SELECT l.event_id, l.account_id, coalesce(e.created_at, 0) AS created_at, l.seq
    FROM account_events AS l LEFT JOIN events AS e ON e.id = l.event_id)`,
  event_logs: `(${selectEventLogs})`,
  queues: '(SELECT *, 0 AS due_from FROM queues)',
  pending_deliveries: "(SELECT * FROM deliveries WHERE state = 'pending')",
  deliveries: "(SELECT * FROM deliveries WHERE state <> 'pending')",
  attempts: `(SELECT d.id AS delivery_id, a.* FROM deliveries AS d CROSS JOIN attempts AS a ON a.delivery_seq = d.seq)`,
};

/** Returns the query of a table, in the order of its key: its key, and its columns, with booleans as 0 and 1. */
function buildQuery(name: CopiedTable, after: RowPosition | null = null): string {
  const { key, names } = copiedTables[name];
  const keys = key.join(', ');
  const where = after === null ? '' : `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
  return `SELECT ${keys}, ${names.join(', ')} FROM ${sources[name] ?? name} AS source ${where} ORDER BY ${keys}`;
}

/** After how many rows other work gets a turn: a few milliseconds. */
const rowsPerTurn = 2_000;

/** PostgreSQL stores no text with this character, which a receiver may have sent. */
function withoutNull<Value>(value: Value): Value | string {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Returns whether a database has changes in its write-ahead log, as after a crash of the server. */
function hasLog(file: string): boolean {
  const log = statSync(`${resolveLink(file)}-wal`, { throwIfNoEntry: false });
  return log !== undefined && log.size > 0;
}

/**
 * A database that is read completely while no one else uses it. It stays as it is: not even the changes in its write-ahead log
 * are copied into the file.
 */
export class ExportedDatabase {
  readonly #connection: Database.Database;
  readonly #hasLog: boolean;

  /**
   * Opens a database, locks it and verifies it.
   *
   * @throws StoreUnavailableError if it cannot be read, is damaged, has an older schema, or another process has it open.
   */
  constructor(readonly file: string) {
    this.#hasLog = hasLog(file);
    this.#connection = openForReading(file);
    try {
      requireMigrated(this.#connection);
      this.#lock();
      verifyContents(this.#connection, file);
    } catch (error) {
      this.close();
      if (isLocked(error)) {
        throw new StoreUnavailableError(
          `${file} is in use by another process. Stop the server, and try again.`,
        );
      }
      throw explainReadError(file, error);
    }
  }

  /** Takes the lock of the file until it is closed. In this mode that requires that no other connection is open. */
  #lock(): void {
    this.#connection.pragma(`busy_timeout = ${lockTimeoutMs}`);
    this.#connection.pragma('locking_mode = EXCLUSIVE');
    // Writes nothing, but a connection that may not write must not lock either.
    this.#connection.pragma('query_only = OFF');
    this.#connection.exec('BEGIN EXCLUSIVE; COMMIT');
    this.#connection.pragma('query_only = ON');
  }

  /**
   * Computes the digest of each table, as PostgreSQL should have it.
   *
   * @param signal Stops it.
   */
  async digest(signal?: AbortSignal): Promise<Record<CopiedTable, TableDigest>> {
    const digests: Partial<Record<CopiedTable, TableDigest>> = {};
    const takeTurn = async () => {
      await nextTurn();
      signal?.throwIfAborted();
    };
    for (const table of copiedTableNames) {
      const hash = new TableHash();
      const { key } = copiedTables[table];
      let count = 0;
      const rows = this.#connection.prepare<[], unknown[]>(buildQuery(table)).raw().iterate();
      for (const row of rows) {
        hash.add(row.slice(key.length).map(withoutNull));
        count += 1;
        if (count % rowsPerTurn === 0) await takeTurn();
      }
      await takeTurn();
      digests[table] = hash.finish();
    }
    return digests as Record<CopiedTable, TableDigest>;
  }

  /**
   * Reads a table in the order in which it is copied.
   *
   * @param after The position after which to start; null for all rows.
   * @param maxRows How many rows a batch has at most.
   * @param maxLength How many characters of text a batch has at most, if it has several rows.
   */
  *readBatches(
    table: CopiedTable,
    after: RowPosition | null,
    { maxRows, maxLength }: { maxRows: number; maxLength: number },
  ): Generator<RowBatch> {
    const { key, names, booleans } = copiedTables[table];
    const rows = this.#connection
      .prepare<unknown[], (string | number | null)[]>(buildQuery(table, after))
      .raw()
      .iterate(...(after ?? []));
    let batch: RowBatch = { rows: [], position: [] };
    let length = 0;
    for (const tuple of rows) {
      const values = tuple.slice(key.length).map(withoutNull);
      const size = values.reduce<number>(
        (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
        0,
      );
      if (batch.rows.length > 0 && (batch.rows.length === maxRows || length + size > maxLength)) {
        yield batch;
        batch = { rows: [], position: [] };
        length = 0;
      }
      const row = names.map((name, index) => [
        name,
        booleans.includes(name) ? values[index] !== 0 : (values[index] ?? null),
      ]);
      batch.rows.push(Object.fromEntries(row));
      batch.position = tuple.slice(0, key.length) as RowPosition;
      length += size;
    }
    if (batch.rows.length > 0) yield batch;
  }

  /** Gives the lock back and closes the file. */
  close(): void {
    // The last connection that may write would copy the log into the file. One that may not takes its place.
    const reader = this.#hasLog ? this.#openReader() : null;
    this.#connection.close();
    reader?.close();
  }

  #openReader(): Database.Database {
    const read = 'SELECT count(*) FROM sqlite_schema';
    const reader = new Database(this.file, { readonly: true, fileMustExist: true });
    try {
      this.#connection.pragma('locking_mode = NORMAL');
      this.#connection.prepare(read).get();
      reader.prepare(read).get();
    } catch {
      // A damaged database, which the constructor has reported.
    }
    return reader;
  }
}
