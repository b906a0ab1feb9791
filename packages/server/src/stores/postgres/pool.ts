import pg from 'pg';

/** Options of the connections to PostgreSQL. */
export interface PoolOptions {
  /**
   * How many connections a process may open. Changes and reads that find none free wait for one.
   * @default 10
   */
  maxConnections?: number;
  /** Called with the error of a connection that broke while it was not used. The next use opens another one. */
  onConnectionLost?: (error: Error) => void;
}

const defaultMaxConnections = 10;
/** How long a change or a read waits for a connection, in milliseconds: as long as a change to SQLite waits for a lock. */
const connectTimeoutMs = 2_000;
/** How long an unused connection stays open, in milliseconds. */
const idleTimeoutMs = 30_000;
/** How long a statement may take, in milliseconds. */
const statementTimeoutMs = 5_000;
/** How long a statement waits for a lock of another transaction, in milliseconds. */
const lockTimeoutMs = 2_000;
/** How long a transaction may wait for its next statement, in milliseconds: after that, its process is gone or hangs. */
const idleInTransactionTimeoutMs = 10_000;
/** Longer than the server's own timeout, which ends the statement in an orderly way. */
const queryTimeoutMs = statementTimeoutMs + 2_000;

const int8 = 20;

/** Reads 64-bit integers as numbers: all of the schema's are milliseconds, counts or sequence numbers below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * Starts each transaction, and limits how long it may keep others waiting. Only for the transaction, because behind a pooler such
 * as PgBouncer another client gets the session next. Other isolation levels may be the default of a database.
 */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`;

/** Returns the settings of a connection. */
export function toConnectionConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'tradepost',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  };
}

/** Creates the pool of connections to a database. Nothing is connected yet. */
export function createPool(url: string, options: PoolOptions): { pool: pg.Pool; begin: string } {
  const pool = new pg.Pool({
    ...toConnectionConfig(url),
    query_timeout: queryTimeoutMs,
    pipeline: true,
    max: options.maxConnections ?? defaultMaxConnections,
    idleTimeoutMillis: idleTimeoutMs,
    allowExitOnIdle: true,
  });
  // Without a listener, the error of an unused connection would end the process.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  return { pool, begin };
}
