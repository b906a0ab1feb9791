import { setTimeout } from 'node:timers/promises';
import { DeliveryRoom } from '@tradepost/domain/deliveries/open-deliveries';
import { OutcomeUnknownError } from '@tradepost/domain/kernel/errors';
import type pg from 'pg';
import type { Logger } from 'pino';
import { createLog } from '../../kernel/log';
import { SecretCipher, type SecretKey } from '../encryption';
import type { Fields } from '../records/fields';
import type { ChangeTrace, ChangeTracer, ConnectionStatus, RetryReason } from '../store';
import { PendingChanges } from './pending-changes';
import {
  connectTimeoutMs,
  createPool,
  gatherStatements,
  type HostClient,
  Hosts,
  type PoolOptions,
  serverRun,
  takeId,
  takeTime,
} from './pool';
import {
  getCode,
  isDeadlock,
  isKeyTaken,
  isLockTimeout,
  isPoolExhausted,
  isRetryable,
  isUnavailable,
  isUnusable,
  translateError,
} from './postgres-errors';

/** Options of a PostgreSQL store. */
export interface PostgresOptions extends PoolOptions {
  /**
   * The keys that encrypt endpoint secrets, as returned by `parseSecretKeys`: the first one encrypts, all decrypt.
   * @default none: new secrets are stored in plain text
   */
  secretKeys?: readonly SecretKey[];
  /**
   * How many pending deliveries the webhooks of an account may have together, unless it has a limit of its own.
   * @default 1000000
   */
  maxOpenDeliveries?: number | undefined;
  /**
   * Whether endpoint secrets are read or written. Otherwise the store can be opened without their keys.
   * @default true
   */
  usesSecrets?: boolean;
  /**
   * Whether an older schema is migrated. Otherwise it is rejected, because servers of the old version may use it.
   * @default true
   */
  mayMigrate?: boolean;
  /**
   * Whether the tables must exist. Otherwise they are created in an empty database.
   * @default false
   */
  mustExist?: boolean;
  /**
   * Gets a line when connections lead to another server.
   * @default none
   */
  log?: Logger;
}

/** How often a transaction is tried that conflicts with others. */
const maxTries = 20;
/** The same for several changes, which are written one by one after that. */
const maxTriesOfGroup = 2;
/** The longest pause before a transaction is tried again, in milliseconds. It is random, so that two do not meet again. */
const maxPauseMs = 50;

/** The pause before connecting again, and before asking again what became of a commit, in milliseconds. */
const reconnectPauseMs = 50;
/** How long the outcome of a commit is searched for, in milliseconds. */
const resolveTimeoutMs = 5_000;

/** Thrown if the transaction of several changes failed although the database is available: one of them may be the cause. */
export class GroupFailed extends Error {
  override name = 'GroupFailed' as const;
  /** Whether it waited too long for a lock. */
  readonly isLockTimeout: boolean;

  constructor(override readonly cause: unknown) {
    super('The transaction of several changes failed.', { cause });
    this.isLockTimeout = isLockTimeout(cause);
  }
}

/**
 * SQLSTATEs of a prepared statement that the session does not have, or has already: a pooler that does not know named statements
 * gave the session to another client. PgBouncer before version 1.21 is one.
 */
const unsupportedNames = /^(26000|42P05)$/;

const statementNames = new Map<string, string>();

/** Returns the name under which each connection prepares a statement once. The texts of statements are constants, so they are few. */
function nameStatement(sql: string): string {
  const known = statementNames.get(sql);
  if (known !== undefined) return known;
  const name = `tradepost_${statementNames.size + 1}`;
  statementNames.set(sql, name);
  return name;
}

/** Returns a statement with its parameters, named or not. */
type ToQuery = (text: string, values: unknown[]) => pg.QueryConfig;

/** Runs statements. */
export abstract class Queries {
  /** Returns all rows of a statement. Its parameters are $1, $2 and so on. */
  abstract rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;

  /** Returns the first row of a statement. */
  async row<Row>(sql: string, ...values: unknown[]): Promise<Row | undefined> {
    return (await this.rows<Row>(sql, ...values))[0];
  }

  /** Returns all records of a query. `rest` is what follows its select list. */
  async list<Row extends object>(
    fields: Fields<Row>,
    rest: string,
    ...values: unknown[]
  ): Promise<Row[]> {
    return fields.readAll(await this.rows<Row>(`SELECT ${fields.select} ${rest}`, ...values));
  }

  /** Returns the first record of a query, or null. `rest` is what follows its select list. */
  async find<Row extends object>(
    fields: Fields<Row>,
    rest: string,
    ...values: unknown[]
  ): Promise<Row | null> {
    return (await this.list(fields, rest, ...values))[0] ?? null;
  }
}

/** What a transaction needs of its connection. */
type TransactionClient = pg.ClientBase & Pick<HostClient, 'timeline'>;

/** A transaction in which a change is written. Each statement sees what was committed before it started. */
export class Transaction extends Queries {
  readonly #client: TransactionClient;
  readonly #toQuery: ToQuery;
  readonly #sent: Promise<unknown>[] = [];
  #failure: unknown;
  /** The trace context of the change, for the deliveries that it queues; null if it is not traced. */
  readonly traceContext: string | null;
  /** With the option `takesTime`, the time of the change; null if the database does not show its transactions in progress. */
  time: Promise<number | null> = Promise.resolve(null);

  constructor(client: TransactionClient, toQuery: ToQuery, traceContext: string | null) {
    super();
    this.#client = client;
    this.#toQuery = toQuery;
    this.traceContext = traceContext;
  }

  /** Identifies the connection. */
  get connection(): object {
    return this.#client;
  }

  /** Identifies the history of the database, once a statement has returned. Null where that is unknown. */
  get timeline(): string | null {
    return this.#client.timeline;
  }

  async rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#query(sql, values)).rows as Row[];
  }

  /** Runs a statement that writes. Returns how many rows it changed. */
  async run(sql: string, ...values: unknown[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  /** Runs a statement without waiting for it: the next one, or the commit, is sent at once. If it fails, so does the commit. */
  send(sql: string, ...values: unknown[]): void {
    const sent = this.#query(sql, values);
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  /** Resolves when all statements that were sent have succeeded. */
  async settled(): Promise<void> {
    await Promise.all(this.#sent);
  }

  /** After a failed statement, all others fail because of it: they report its error. */
  async #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    gatherStatements(this.#client);
    try {
      return await this.#client.query(this.#toQuery(text, values));
    } catch (error) {
      this.#failure ??= error;
      throw this.#failure;
    }
  }
}

/** How a change is written. */
export interface WriteOptions {
  /**
   * Whether the change may run again after it perhaps was committed, because it has no further effect then.
   * @default false
   */
  isRepeatable?: boolean;
  /**
   * Whether to take the time of the change from the database: see `final-time.ts`.
   * @default false
   */
  takesTime?: boolean;
  /**
   * Whether it has several changes. Then it is repeated once after a conflict, because one of them may be the cause.
   * @default false
   */
  isGroup?: boolean;
  /**
   * Whether it sends all its statements at once, so that the commit can follow without waiting for their results.
   * @default false
   */
  isSentAtOnce?: boolean;
  /** Called if it may have been committed, but that could not be found out. */
  onCommitUnknown?: () => void;
}

/** What identifies a transaction: its ID, and the run of the server that gave it. */
interface TransactionId {
  xid: string;
  run: string;
}

/** How a transaction was started. */
interface Started {
  /** Null unless it is needed, and the database can tell later what became of the transaction. */
  id: TransactionId | null;
  time: number | null;
}

/** Thrown if a connection broke after the commit of a change was sent. */
class CommitInterrupted extends Error {
  constructor(
    /** What to return if it was committed. */
    readonly result: unknown,
    /** Null if it is unknown. */
    readonly id: TransactionId | null,
    cause: unknown,
  ) {
    super('The connection broke during a commit.', { cause });
  }
}

function isConflict(error: unknown): boolean {
  return isRetryable(error) || isKeyTaken(error);
}

/** Returns why a transaction runs again after an error. */
function getRetryReason(error: unknown): RetryReason {
  if (isKeyTaken(error)) return 'conflict';
  if (isDeadlock(error)) return 'deadlock';
  // If a prepared statement is missing, a pooler has given the session to another client: that is also a matter of the connection.
  return isRetryable(error) ? 'serialization' : 'connection';
}

/** Converts the error of a change, or of its repetition, after a commit whose outcome could not be found. */
export function toOutcomeUnknown(cause: unknown): OutcomeUnknownError {
  return new OutcomeUnknownError('PostgreSQL: the connection broke during a commit.', { cause });
}

/** An open PostgreSQL database: reads, and changes in transactions. */
export class PostgresDatabase extends Queries {
  readonly #hosts: Hosts;
  readonly #pool: pg.Pool;
  readonly pending = new PendingChanges();
  readonly #retries = { serialization: 0, deadlock: 0, conflict: 0, connection: 0 };
  #tracer: ChangeTracer | undefined;
  #closed: Promise<void> | undefined;
  /** Whether statements are prepared once for each connection, which saves the server a third of its time. */
  #namesStatements = true;
  /** Encrypts and decrypts the secrets in the rows. */
  readonly secrets: SecretCipher;
  /** How many deliveries accounts may still queue. */
  readonly deliveryRoom: DeliveryRoom;

  /**
   * @param url The URL of the database, such as `postgres://tradepost@db.example/tradepost`.
   * @throws StoreUnavailableError if the URL has unsupported settings.
   */
  constructor(
    readonly url: string,
    options: PostgresOptions = {},
  ) {
    super();
    this.secrets = new SecretCipher(options.secretKeys ?? []);
    this.deliveryRoom = new DeliveryRoom(options.maxOpenDeliveries);
    this.#hosts = new Hosts(url, options.log ?? createLog('silent'), options.sessionRole);
    this.#pool = createPool(this.#hosts, options);
  }

  async rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#read(sql, values)).rows as Row[];
  }

  /**
   * Runs work in a transaction. When the promise resolves, its changes are committed. After a conflict with another transaction, and
   * after a connection broke before the commit, the work runs again, so it must have no effects outside the database.
   *
   * @throws OutcomeUnknownError if the connection broke during the commit and its outcome could not be found, nor could the work be
   *   repeated.
   */
  async write<Result>(
    work: (tx: Transaction) => Promise<Result>,
    options: WriteOptions = {},
  ): Promise<Result> {
    const pending = this.pending.add();
    const trace = this.startTrace();
    const run = (tx: Transaction) => {
      this.pending.remove(pending);
      return work(tx);
    };
    try {
      const result = await this.writeTraced(run, trace === null ? [] : [trace], 1, options);
      trace?.end();
      return result;
    } catch (error) {
      trace?.end(error);
      throw error;
    } finally {
      this.pending.remove(pending);
    }
  }

  /** Like `write`, for several changes with the traces of those that are traced. */
  async writeTraced<Result>(
    work: (tx: Transaction) => Promise<Result>,
    traces: readonly ChangeTrace[],
    changes: number,
    options: WriteOptions,
  ): Promise<Result> {
    try {
      return await this.#writeWithRetries(work, traces, changes, options);
    } catch (error) {
      if (options.isGroup && (isConflict(error) || isLockTimeout(error)))
        throw new GroupFailed(error);
      throw translateError(error);
    }
  }

  /** Starts the trace of a change; null if it is not traced. */
  startTrace(): ChangeTrace | null {
    return this.#tracer?.startChange() ?? null;
  }

  /** From now on, changes are traced. */
  traceChanges(tracer: ChangeTracer): void {
    this.#tracer = tracer;
  }

  /** How many connections it opens at most. */
  get maxConnections(): number {
    return this.#pool.options.max;
  }

  /** How the connections of the pool are used. */
  get connectionStatus(): ConnectionStatus {
    const { idleCount, totalCount, waitingCount } = this.#pool;
    const max = this.maxConnections;
    const used = totalCount - idleCount;
    // The pool passes on idle connections in the next turn: what was just requested does not wait.
    const starting = Math.min(waitingCount, max - used);
    return {
      max,
      idle: Math.max(0, idleCount - starting),
      inUse: used + starting,
      waiting: waitingCount - starting,
      retries: { ...this.#retries },
      server: this.#hosts.timelines.used,
    };
  }

  /** The settings of a connection outside the pool, to the host that is used now. */
  get connectionConfig(): pg.ClientConfig {
    return this.#hosts.config;
  }

  /** Runs work on a connection that no one else uses meanwhile. */
  async withConnection<Result>(work: (client: HostClient) => Promise<Result>): Promise<Result> {
    const client = await this.#connect();
    try {
      const result = await work(client as unknown as HostClient);
      client.release();
      return result;
    } catch (error) {
      client.release(isUnusable(error) || error instanceof CommitInterrupted);
      throw error;
    }
  }

  /** Runs work on a connection of its own, which is closed then. The driver does not limit how long its statements take. */
  async withUnlimitedConnection<Result>(
    work: (client: pg.ClientBase) => Promise<Result>,
  ): Promise<Result> {
    const pool = createPool(this.#hosts, { maxConnections: 1 }, 0);
    try {
      const client = await this.#connect(pool);
      return await work(client).finally(() => client.release(true));
    } finally {
      await pool.end();
    }
  }

  /** Waits for the changes and reads in progress, and closes all connections. */
  close(): Promise<void> {
    this.#closed ??= this.#pool.end().then(() => this.#hosts.timelines.settled());
    return this.#closed;
  }

  /** Gets a connection, perhaps to another host, or after the database was restarted. */
  async #connect(pool = this.#pool): Promise<pg.PoolClient> {
    const deadline = performance.now() + connectTimeoutMs;
    for (;;) {
      const host = this.#hosts.current;
      try {
        const client = await pool.connect();
        if (this.#hosts.timelines.allows(client as unknown as HostClient)) return client;
        client.release(true);
      } catch (error) {
        if (!isUnusable(error) || isPoolExhausted(error)) throw error;
        if (performance.now() >= deadline) throw error;
        this.#hosts.passOver(host);
        await setTimeout(reconnectPauseMs);
      }
    }
  }

  readonly #toQuery: ToQuery = (text, values) =>
    this.#namesStatements ? { name: nameStatement(text), text, values } : { text, values };

  /** Stops naming statements if that is the reason of an error. Returns whether it was. */
  #stopNaming(error: unknown): boolean {
    if (!unsupportedNames.test(getCode(error))) return false;
    this.#namesStatements = false;
    return true;
  }

  async #read(text: string, values: unknown[]): Promise<pg.QueryResult> {
    let isConnected = false;
    const read = () =>
      this.withConnection((client) => {
        isConnected = true;
        return client.query(this.#toQuery(text, values));
      });
    try {
      return await read().catch((error: unknown) => {
        // A connection of the pool may have been closed since it was used last, for example by a restart of the database. Without any
        // connection, the read has waited for one already.
        if ((isConnected && isUnusable(error)) || this.#stopNaming(error)) return read();
        throw error;
      });
    } catch (error) {
      throw translateError(error);
    }
  }

  async #writeWithRetries<Result>(
    work: (tx: Transaction) => Promise<Result>,
    traces: readonly ChangeTrace[],
    changes: number,
    options: WriteOptions,
  ): Promise<Result> {
    const maxConflicts = options.isGroup ? maxTriesOfGroup : maxTries;
    let conflicts = 0;
    const deadline = performance.now() + connectTimeoutMs;
    let mayBeCommitted = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.withConnection(async (client) => {
          const traced =
            traces.length === 0 ? null : this.#tracer?.startTransaction('postgresql', traces);
          try {
            const result = await this.#transact(client, work, traces[0]?.context ?? null, options);
            traced?.end(changes);
            return result;
          } catch (error) {
            traced?.end(0, error);
            throw error;
          }
        });
      } catch (error) {
        if (error instanceof CommitInterrupted) {
          const outcome = await this.#findOutcome(error);
          if (outcome === 'committed') return error.result as Result;
          if (outcome === 'unknown') {
            mayBeCommitted = true;
            options.onCommitUnknown?.();
          }
          if (mayBeCommitted && !options.isRepeatable) throw toOutcomeUnknown(error.cause);
        } else if (isUnusable(error)) {
          // Nothing was committed. The connection may have been broken before it was used.
          if (isPoolExhausted(error) || performance.now() >= deadline) {
            throw mayBeCommitted ? toOutcomeUnknown(error) : error;
          }
        } else if (isConflict(error)) {
          conflicts += 1;
          if (conflicts === maxConflicts && options.isGroup) throw error;
        } else if (!this.#stopNaming(error)) {
          throw mayBeCommitted && isUnavailable(error) && !options.isGroup
            ? toOutcomeUnknown(error)
            : error;
        }
        if (attempt === maxTries) throw mayBeCommitted ? toOutcomeUnknown(error) : error;
        this.#retries[getRetryReason(error)] += 1;
        await setTimeout(Math.random() * Math.min(attempt * attempt, maxPauseMs));
      }
    }
  }

  async #transact<Result>(
    client: HostClient,
    work: (tx: Transaction) => Promise<Result>,
    traceContext: string | null,
    options: WriteOptions,
  ): Promise<Result> {
    const tx = new Transaction(client, this.#toQuery, traceContext);
    let id: TransactionId | null = null;
    gatherStatements(client);
    try {
      // The first statement is sent with it.
      const started = this.#begin(client, options).then((begin) => {
        id = begin.id;
        return begin.time;
      });
      started.catch(() => {});
      tx.time = started;
      const working = work(tx);
      let committed = options.isSentAtOnce ? client.query('COMMIT') : null;
      committed?.catch(() => {});
      const result = await working;
      await started;
      try {
        committed ??= client.query('COMMIT');
        committed.catch(() => {});
        await tx.settled();
        await committed;
      } catch (error) {
        if (!isUnusable(error)) throw error;
        throw new CommitInterrupted(result, id, error);
      }
      return result;
    } catch (error) {
      // If even this fails, the connection is broken, and the server rolls back.
      if (!(isUnusable(error) || error instanceof CommitInterrupted)) {
        await client.query('ROLLBACK');
      }
      throw error;
    }
  }

  async #begin(client: HostClient, { isRepeatable, takesTime }: WriteOptions): Promise<Started> {
    if ((isRepeatable && !takesTime) || client.timeline === null) {
      await client.begin();
      return { id: null, time: null };
    }
    const columns = takesTime ? [takeId, takeTime] : [takeId];
    const { xid, run, time = null } = await client.begin<TransactionId & { time: number }>(columns);
    return { id: xid === undefined || run === undefined ? null : { xid, run }, time };
  }

  /** Finds out what became of a transaction whose commit was interrupted, if the server has not been restarted since. */
  async #findOutcome({ id }: CommitInterrupted): Promise<'committed' | 'aborted' | 'unknown'> {
    if (id === null) return 'unknown';
    const deadline = performance.now() + resolveTimeoutMs;
    for (; performance.now() < deadline; await setTimeout(reconnectPauseMs)) {
      try {
        const status = await this.withConnection(async (client) => {
          const { rows } = await client.query<{ status: string | null }>(
            `SELECT CASE WHEN ${serverRun} = $2 THEN pg_xact_status($1::xid8) END AS status`,
            [id.xid, id.run],
          );
          return rows[0]?.status;
        });
        // The server may not have noticed yet that the connection broke.
        if (status === 'in progress') continue;
        return status === 'committed' || status === 'aborted' ? status : 'unknown';
      } catch (error) {
        if (!isUnusable(error)) return 'unknown';
      }
    }
    return 'unknown';
  }
}
