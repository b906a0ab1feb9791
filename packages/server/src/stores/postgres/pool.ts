import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import pg from 'pg';
import type { Logger } from 'pino';
import {
  type DatabaseHost,
  type DatabaseUrl,
  describeHost,
  parseDatabaseUrl,
  readTlsOptions,
  usesTls,
} from './connection-url';
import { isUnusable, RejectedServerError } from './postgres-errors';
import { selectTimeline, Timelines } from './timelines';

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
/**
 * Plans each statement of a transaction once for all parameters, because planning takes as long as running it: each row is looked up
 * by an index. A plan that was made while a table was small would otherwise scan it, for as long as the session lasts or until the
 * table is analyzed.
 */
const planOnce = [
  "set_config('plan_cache_mode', 'force_generic_plan', TRUE)",
  ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map(
    (method) => `set_config('enable_${method}', 'off', TRUE)`,
  ),
].join(', ');
/** An expression for a time in milliseconds since 1970. */
export const milliseconds = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)::bigint`;
/** Identifies a run of the server: after a crash, PostgreSQL gives IDs of transactions that were lost to others. */
export const serverRun = 'pg_postmaster_start_time()::text';
/** What a transaction selects when it starts: its ID, and then the time of the change. */
export const takeId = `pg_current_xact_id()::text AS xid, ${serverRun} AS run`;
export const takeTime = `${milliseconds('clock_timestamp()')} AS time`;
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
  const usedTls = tls !== null && usesTls(tls, host) ? tls : null;
  return {
    host,
    port,
    user,
    password,
    database,
    options,
    // Never undefined, or the driver would give PGSSLMODE another meaning.
    ssl: usedTls !== null && readTlsOptions(usedTls),
    ...(usedTls?.isDirect && { sslnegotiation: 'direct' }),
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
  /** Which of them may be used. */
  readonly timelines: Timelines;

  /** @throws StoreUnavailableError if the URL has unsupported settings, or files that cannot be read. */
  constructor(url: string, log: Logger, role?: string) {
    this.#url = parseUrl(url);
    this.#role = role;
    const { hosts } = this.#url;
    for (const host of hosts) toConnectionConfig(this.#url, host);
    this.timelines = new Timelines(
      (used) =>
        hosts
          .filter((_, number) => number !== used)
          .map((host) => toConnectionConfig(this.#url, host, role)),
      log,
    );
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
  /**
   * Starts a transaction, and limits how long it may keep others waiting.
   *
   * @param columns What it selects at once, if the connection has a timeline.
   * @throws RejectedServerError if a pooler has given the connection a session on an old primary server.
   */
  begin<Row>(columns?: readonly string[]): Promise<Partial<Row>>;
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
  throw (await isStandby(client))
    ? new RejectedServerError(
        'The server accepts no changes: it is a standby.',
        'Use the URL of the primary server, or one with all hosts.',
      )
    : new RejectedServerError(
        'The server accepts no changes: default_transaction_read_only is on.',
        'Turn it off for the role, the database or the server, for example with ALTER DATABASE … SET default_transaction_read_only = off. Some providers turn it on when the disk is full.',
      );
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

/** What a connection leads to. */
interface SessionRow {
  timeline: string;
  /** The TCP port of the other side. Behind a pooler or a proxy, it is the port of that. */
  port: number | null;
}

async function readSession(client: pg.ClientBase): Promise<SessionRow | null> {
  try {
    const { rows } = await client.query<SessionRow>(
      `SELECT ${selectTimeline} AS timeline, inet_client_port() AS port`,
    );
    return rows[0] ?? null;
  } catch (error) {
    if (isUnusable(error)) throw error;
    // Another database that speaks the protocol and has no such functions.
    return null;
  }
}

/**
 * Creates the pool of connections to a database. Nothing is connected yet.
 *
 * @param timeoutMs How long the driver waits for the result of a statement, in milliseconds; 0 for ever.
 */
export function createPool(
  hosts: Hosts,
  { maxConnections }: PoolOptions,
  timeoutMs = queryTimeoutMs,
): pg.Pool {
  class Client extends pg.Client implements HostClient {
    readonly hostNumber = hosts.current;
    timeline: string | null = null;
    #isPrepared = false;

    constructor(config: pg.ClientConfig = {}) {
      super({ ...config, ...hosts.config, query_timeout: timeoutMs });
      // While a connection is used, its statements report the error. Without a listener it would also end the process.
      this.on('error', () => {});
    }

    async begin<Row>(columns: readonly string[] = []): Promise<Partial<Row>> {
      const statements = this.#isPrepared
        ? ['BEGIN']
        : [beginPooled, ...(this.timeline === null ? [] : [hosts.timelines.guard])];
      // Another database that speaks the protocol has no such settings.
      if (this.timeline !== null) statements.push(`SELECT ${[planOnce, ...columns].join(', ')}`);
      // A query of several statements has several results.
      const results = [await this.query(statements.join('; '))].flat() as pg.QueryResult[];
      const row = Object.assign({}, ...results.map(({ rows }) => rows[0]));
      if (row.timeline) await this.#setTimeline(row.timeline);
      return row;
    }

    /** Notes where the connection leads, and checks that it may lead there. */
    async #setTimeline(timeline: string): Promise<void> {
      if (timeline === this.timeline) return;
      this.timeline = timeline;
      await hosts.timelines.admit({ host: describeHost(this), timeline }, this.hostNumber);
    }

    /** Learns what the connection leads to, and prepares it. */
    async prepare(): Promise<void> {
      await requireWritable(this);
      const session = await readSession(this);
      if (session === null) return;
      await this.#setTimeline(session.timeline);
      if (session.port === null || session.port !== getLocalPort(this)) return;
      await this.query(prepareSession);
      this.#isPrepared = true;
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
      const connected = client as Client;
      try {
        await connected.prepare();
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
