import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import pg from 'pg';
import {
  type DatabaseHost,
  type DatabaseUrl,
  parseDatabaseUrl,
  readTlsOptions,
} from './connection-url';
import { isUnusable, ReadOnlyError } from './postgres-errors';

/** Options of the connections to PostgreSQL. */
export interface PoolOptions {
  /**
   * How many connections a process may open. Changes and reads that find none free wait for one.
   * @default 10
   */
  maxConnections?: number;
  /** What the process is, such as `worker`: sessions are named after it and its host. */
  sessionRole?: string;
}

const defaultMaxConnections = 10;
/** How long a change or a read waits for a connection, in milliseconds: as long as a change to SQLite waits for a lock. */
export const connectTimeoutMs = 2_000;
/** How long an unused connection stays open, in milliseconds. */
const idleTimeoutMs = 30_000;
/** How long a connection is used at most, in seconds, so that new servers behind a proxy get some. */
const maxLifetimeSeconds = 1_800;
/** How long a statement may take, in milliseconds. */
const statementTimeoutMs = 5_000;
/** How long a statement waits for a lock of another transaction, in milliseconds. */
export const lockTimeoutMs = 2_000;
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

const limits = {
  statement_timeout: statementTimeoutMs,
  lock_timeout: lockTimeoutMs,
  idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
};

function setLimits(scope: 'LOCAL' | 'SESSION'): string {
  return Object.entries(limits)
    .map(([name, value]) => `SET ${scope} ${name} = ${value}`)
    .join('; ');
}

/** Prepares a session that no one else uses. Another isolation level may be the default of the database. */
const prepareSession = `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED; ${setLimits('SESSION')}`;
/** Starts a transaction in a session that is prepared. */
const beginPrepared = 'BEGIN';
/** An expression for a time in milliseconds since 1970. */
export const milliseconds = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::bigint`;
/** Takes the time of a change, in a transaction that has an ID. */
export const takeTime = `SELECT ${milliseconds('clock_timestamp()')} AS time`;
/** Starts a transaction behind a pooler such as PgBouncer, where another client gets the session next. */
const beginPooled = `BEGIN ISOLATION LEVEL READ COMMITTED; ${setLimits('LOCAL')}`;

/** The names of all sessions of this program start like this, also if its URL has another name: see `final-time.ts`. */
export const sessionName = 'tradepost';

/** PostgreSQL cuts longer names. */
const maxNameLength = 63;

/** @param name That of the URL, in place of role and host. */
function toSessionName(name: string | undefined, role: string | undefined): string {
  if (name?.startsWith(sessionName)) return name;
  const rest = name === undefined ? [role, hostname()] : [name];
  return [sessionName, ...rest.filter(Boolean)].join(' ').slice(0, maxNameLength);
}

/**
 * Returns the settings of a connection to one host. They have no connection string: the driver would read it in a way of its own.
 *
 * @throws StoreUnavailableError if a file of TLS cannot be read.
 */
function toConnectionConfig(
  url: DatabaseUrl,
  { host, port }: DatabaseHost,
  role?: string,
): pg.ClientConfig {
  const { user, password, database, options, applicationName, tls } = url;
  const isSocket = (host ?? process.env.PGHOST)?.startsWith('/') === true;
  return {
    host,
    port,
    user,
    password,
    database,
    options,
    // Never undefined, or the driver would give PGSSLMODE another meaning.
    ssl: tls === null || isSocket ? false : readTlsOptions(tls),
    ...(tls?.isDirect && !isSocket && { sslnegotiation: 'direct' }),
    application_name: toSessionName(applicationName, role),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  };
}

/** @throws StoreUnavailableError if it is not a URL, or has unsupported settings. */
function parseUrl(url: string): DatabaseUrl {
  try {
    return parseDatabaseUrl(url);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new StoreUnavailableError(`The database is not valid. ${error.message}`);
  }
}

/** The hosts of a database. All connections of a process lead to the host that was found to accept changes. */
export class Hosts {
  readonly #url: DatabaseUrl;
  readonly #role: string | undefined;
  #current = 0;

  /** @throws StoreUnavailableError if the URL has unsupported settings, or files that cannot be read. */
  constructor(url: string, { sessionRole }: PoolOptions = {}) {
    this.#url = parseUrl(url);
    this.#role = sessionRole;
    for (const host of this.#url.hosts) toConnectionConfig(this.#url, host);
  }

  /** The settings of the next connection. */
  get config(): pg.ClientConfig {
    const { hosts } = this.#url;
    return toConnectionConfig(
      this.#url,
      hosts[this.#current] ?? { host: undefined, port: undefined },
      this.#role,
    );
  }

  /** Tries another host next, unless that has happened since this one was used. */
  passOver(host: number): void {
    if (host === this.#current) this.#current = (this.#current + 1) % this.#url.hosts.length;
  }

  /** The number of the host that is used. */
  get current(): number {
    return this.#current;
  }
}

/** A connection that knows which host it leads to. */
export interface HostClient extends pg.ClientBase {
  hostNumber: number;
  /** Starts a transaction, and limits how long it may keep others waiting. */
  begin: string;
  /**
   * Identifies the history of the database: a standby that is promoted starts another one, in which what was not replicated did not
   * happen. Null where that is unknown.
   */
  timeline: string | null;
}

/** Returns whether a server is a standby; false if it does not know. */
async function isStandby(client: pg.ClientBase): Promise<boolean> {
  try {
    const { rows } = await client.query<{ standby: boolean }>(
      'SELECT pg_is_in_recovery() AS standby',
    );
    return rows[0]?.standby === true;
  } catch (error) {
    if (isUnusable(error)) throw error;
    // Another database that speaks the protocol and has no such function.
    return false;
  }
}

/** Checks that a new connection leads to a server that accepts changes. */
async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    'SHOW transaction_read_only',
  );
  if (rows[0]?.transaction_read_only !== 'on') return;
  throw new ReadOnlyError(await isStandby(client));
}

/** Returns the socket of a connection, which its types hide. */
function getSocket(client: pg.ClientBase): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}

/** Returns the TCP port of a connection on this side; undefined for a Unix socket. */
export function getLocalPort(client: pg.ClientBase): number | undefined {
  return getSocket(client).localPort;
}

/** Sends the statements together that follow before the process does something else: each packet costs both sides time. */
export function gatherStatements(client: pg.ClientBase): void {
  const socket = getSocket(client);
  socket.cork();
  process.nextTick(() => socket.uncork());
}

/** Learns what a connection leads to, and prepares it. */
async function prepare(client: HostClient): Promise<void> {
  await requireWritable(client);
  try {
    const { rows } = await client.query<{ timeline: string; port: number | null }>(
      `SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline,
         inet_client_port() AS port`,
    );
    const [row] = rows;
    client.timeline = row?.timeline ?? null;
    // Behind a pooler or a proxy, the server sees the port of that.
    if (row === undefined || row.port === null || row.port !== getLocalPort(client)) return;
  } catch (error) {
    if (isUnusable(error)) throw error;
    // Another database that speaks the protocol and has no such functions.
    return;
  }
  await client.query(prepareSession);
  client.begin = beginPrepared;
}

/** Creates the pool of connections to a database. Nothing is connected yet. */
export function createPool(hosts: Hosts, { maxConnections }: PoolOptions): pg.Pool {
  class Client extends pg.Client implements HostClient {
    readonly hostNumber = hosts.current;
    begin = beginPooled;
    timeline: string | null = null;

    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, ...hosts.config });
      // While a connection is used, its statements report the error. Without a listener it would also end the process.
      this.on('error', () => {});
    }
  }
  const pool = new pg.Pool({
    Client,
    pipeline: true,
    max: maxConnections ?? defaultMaxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleTimeoutMs,
    maxLifetimeSeconds,
    allowExitOnIdle: true,
    async onConnect(client) {
      const connected = client as HostClient;
      try {
        await prepare(connected);
      } catch (error) {
        hosts.passOver(connected.hostNumber);
        throw error;
      }
    },
  });
  // The same for a connection that is not used. The next use opens another one.
  pool.on('error', () => {});
  return pool;
}
