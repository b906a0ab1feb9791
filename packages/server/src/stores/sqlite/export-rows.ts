import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import Database from 'better-sqlite3';
import {
  type CopiedTable,
  copiedTables,
  type RowBatch,
  type RowPosition,
  type TableDigest,
} from '../copied-tables';
import { resolveLink } from './abandoned-log';
import { verifyContents } from './database-file';
import { digestRows } from './digest-rows';
import { selectEventLogs } from './events';
import { requireMigrated } from './migrate';
import { openForReading } from './open-connection';
import { explainReadError, isLocked } from './sqlite-errors';

/** How long the export waits for other commands to finish, in milliseconds. A server does not finish. */
const lockTimeoutMs = 1_000;

/** How a table is read for PostgreSQL. */
interface TableExport {
  from: string;
  /** What orders the rows, and so says how far a copy is. */
  key: string[];
  /** The expression of each column of PostgreSQL. */
  columns: Record<string, string>;
  /** The columns that are 0 or 1 here. */
  booleans?: string[];
}

/** Columns that have the same names here. */
function same(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

const exports: Record<CopiedTable, TableExport> = {
  accounts: { from: 'accounts', key: ['id'], columns: same('id', 'kind', 'name', 'created_at') },
  api_keys: {
    from: 'api_keys',
    key: ['id'],
    columns: {
      ...same('id', 'account_id', 'hash', 'read_only', 'created_at', 'expires_at', 'revoked_at'),
      ...same('last_used_at'),
      prefix: 'prefix',
    },
    booleans: ['read_only'],
  },
  listings: {
    from: 'listings',
    key: ['id'],
    columns: {
      ...same('id', 'seller_id', 'agent_id', 'available_quantity', 'supplied_quantity'),
      ...same('low_threshold', 'created_at', 'title'),
      low_stock_notified: 'low_stock_notified',
    },
    booleans: ['low_stock_notified'],
  },
  orders: {
    from: 'orders',
    key: ['id'],
    columns: {
      ...same('id', 'status', 'buyer_id', 'seller_id', 'agent_id', 'listing_id', 'quantity'),
      ...same('version', 'created_at', 'updated_at'),
    },
  },
  tasks: {
    from: 'tasks',
    key: ['id'],
    columns: same('id', 'order_id', 'agent_id', 'created_at', 'completed_at'),
  },
  events: {
    from: 'events',
    key: ['id'],
    columns: {
      ...same('id', 'order_id', 'body', 'created_at', 'order_version'),
      event_type: 'event_type',
    },
  },
  // In the order of the log, in which PostgreSQL numbers the rows.
  account_events: {
    from: 'account_events AS l LEFT JOIN events AS e ON e.id = l.event_id',
    key: ['l.seq'],
    columns: {
      event_id: 'l.event_id',
      account_id: 'l.account_id',
      seq: 'l.seq',
      created_at: 'coalesce(e.created_at, 0)',
    },
  },
  event_logs: {
    from: `(${selectEventLogs})`,
    key: ['account_id'],
    columns: same('account_id', 'last_seq', 'pruned_seq'),
  },
  notifications: {
    from: 'notifications',
    key: ['id'],
    columns: same(
      ...['id', 'account_id', 'event_id', 'type', 'order_id', 'message', 'read', 'created_at'],
    ),
    booleans: ['read'],
  },
  webhooks: {
    from: 'webhooks',
    key: ['id'],
    columns: {
      ...same('id', 'account_id', 'url', 'status', 'secret', 'staged_secret', 'staged_at'),
      ...same('created_at', 'updated_at', 'deleted_at'),
    },
  },
  webhook_events: {
    from: 'webhook_events',
    key: ['account_id', 'event_type', 'webhook_id'],
    columns: { ...same('account_id', 'webhook_id'), event_type: 'event_type' },
  },
  queues: {
    from: 'queues',
    key: ['webhook_id'],
    columns: {
      ...same('webhook_id', 'depth', 'in_flight', 'paused', 'failures', 'failed_at', 'next_at'),
      concurrency_limit: 'concurrency_limit',
      backoff_until: 'backoff_until',
    },
    booleans: ['paused'],
  },
  deliveries: {
    from: 'deliveries',
    key: ['seq'],
    columns: {
      ...same('id', 'event_id', 'webhook_id', 'test', 'state', 'attempts', 'tries', 'due_at'),
      ...same('scheduled_at', 'deadline_at', 'lease_token', 'lease_until', 'lease_counts'),
      ...same('last_status', 'last_error', 'created_at', 'finished_at', 'trace_context'),
      event_type: 'event_type',
    },
    booleans: ['test', 'lease_counts'],
  },
  attempts: {
    from: 'attempts AS a CROSS JOIN deliveries AS d ON d.seq = a.delivery_seq',
    key: ['a.delivery_seq', 'a.number'],
    columns: {
      delivery_id: 'd.id',
      number: 'a.number',
      started_at: 'a.started_at',
      duration_ms: 'a.duration_ms',
      url: 'a.url',
      headers: 'a.headers',
      status: 'a.status',
      error: 'a.error',
      response_snippet: 'a.response_snippet',
    },
  },
  idempotency_keys: {
    from: 'idempotency_keys',
    key: ['account_id', 'operation', 'key'],
    columns: {
      ...same('account_id', 'operation', 'key', 'fingerprint', 'expires_at', 'webhook_id'),
      response: 'response',
    },
  },
};

/** Returns the query of a table, from after a position. */
function buildQuery({ from, key, columns }: TableExport, after: RowPosition | null): string {
  const keys = key.join(', ');
  const where = after === null ? '' : `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
  return `SELECT ${keys}, ${Object.values(columns).join(', ')} FROM ${from} ${where} ORDER BY ${keys}`;
}

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
    for (const table of copiedTables) {
      digests[table] = await digestRows(this.#connection, table, async () => {
        await nextTurn();
        signal?.throwIfAborted();
      });
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
    const { key, columns, booleans = [] } = exports[table];
    const names = Object.keys(columns);
    const rows = this.#connection
      .prepare<unknown[], (string | number | null)[]>(buildQuery(exports[table], after))
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
