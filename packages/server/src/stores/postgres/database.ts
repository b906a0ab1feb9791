import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { SecretCipher, type SecretKey } from '../encryption';
import type { ChangeTrace, ChangeTracer } from '../store';
import { createPool, type PoolOptions } from './pool';
import { isRetryable, isUnusable, translateError } from './postgres-errors';

/** Options of a PostgreSQL store. */
export interface PostgresOptions extends PoolOptions {
  /**
   * The keys that encrypt endpoint secrets, as returned by `parseSecretKeys`: the first one encrypts, all decrypt.
   * @default none: new secrets are stored in plain text
   */
  secretKeys?: readonly SecretKey[];
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
}

/** How often a transaction is tried that conflicts with others. */
const maxTries = 20;
/** The longest pause before a transaction is tried again, in milliseconds. It is random, so that two do not meet again. */
const maxPauseMs = 50;

/** Thrown by a change that found what another transaction has just committed. It is tried again. */
export class Conflict extends Error {
  override name = 'Conflict' as const;
}

const statementNames = new Map<string, string>();

/** Returns the name under which each connection prepares a statement once. The texts of statements are constants, so they are few. */
function nameStatement(sql: string): string {
  const known = statementNames.get(sql);
  if (known !== undefined) return known;
  const name = `tradepost_${statementNames.size + 1}`;
  statementNames.set(sql, name);
  return name;
}

/** Runs statements. */
export interface Queries {
  /** Returns all rows of a statement. Its parameters are $1, $2 and so on. */
  rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]>;
  /** Returns the first row of a statement. */
  row<Row>(sql: string, ...values: unknown[]): Promise<Row | undefined>;
  /** Runs a statement that writes. Returns how many rows it changed. */
  run(sql: string, ...values: unknown[]): Promise<number>;
}

/** A transaction in which a change is written. Each statement sees what was committed before it started. */
export class Transaction implements Queries {
  readonly #client: pg.ClientBase;
  readonly #sent: Promise<unknown>[] = [];
  /** The trace context of the change, for the deliveries that it queues; null if it is not traced. */
  readonly traceContext: string | null;

  constructor(client: pg.ClientBase, traceContext: string | null) {
    this.#client = client;
    this.traceContext = traceContext;
  }

  async rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#query(sql, values)).rows as Row[];
  }

  async row<Row>(sql: string, ...values: unknown[]): Promise<Row | undefined> {
    return (await this.rows<Row>(sql, ...values))[0];
  }

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

  #query(text: string, values: unknown[]): Promise<pg.QueryResult> {
    return this.#client.query({ name: nameStatement(text), text, values });
  }
}

/** A change that waits for a connection or is being written. */
interface PendingChange {
  requestedAt: number;
}

/** An open PostgreSQL database: reads, and changes in transactions. */
export class PostgresDatabase implements Queries {
  readonly #pool: pg.Pool;
  readonly #begin: string;
  readonly #pending = new Set<PendingChange>();
  #tracer: ChangeTracer | undefined;
  #closed: Promise<void> | undefined;
  /** Encrypts and decrypts the secrets in the rows. */
  readonly secrets: SecretCipher;

  /** @param url The URL of the database, such as `postgres://tradepost@db.example/tradepost`. */
  constructor(
    readonly url: string,
    options: PostgresOptions = {},
  ) {
    this.secrets = new SecretCipher(options.secretKeys ?? []);
    const { pool, begin } = createPool(url, options);
    this.#pool = pool;
    this.#begin = begin;
  }

  async rows<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#read(sql, values)).rows as Row[];
  }

  async row<Row>(sql: string, ...values: unknown[]): Promise<Row | undefined> {
    return (await this.rows<Row>(sql, ...values))[0];
  }

  async run(sql: string, ...values: unknown[]): Promise<number> {
    return (await this.#read(sql, values)).rowCount ?? 0;
  }

  /**
   * Runs work in a transaction. When the promise resolves, its changes are committed. After a conflict with another transaction
   * the work runs again, so it must have no effects outside the database.
   */
  async write<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const change: PendingChange = { requestedAt: performance.now() };
    this.#pending.add(change);
    const trace = this.#tracer?.startChange() ?? null;
    try {
      const result = await this.#writeWithRetries(work, trace);
      trace?.end();
      return result;
    } catch (error) {
      const translated = translateError(error);
      trace?.end(translated);
      throw translated;
    } finally {
      this.#pending.delete(change);
    }
  }

  /** From now on, changes are traced. */
  traceChanges(tracer: ChangeTracer): void {
    this.#tracer = tracer;
  }

  /** For how long the oldest pending change has waited, in milliseconds; 0 if none waits. */
  get writeDelay(): number {
    const [oldest] = this.#pending;
    return oldest === undefined ? 0 : performance.now() - oldest.requestedAt;
  }

  /** Runs work on a connection that no one else uses meanwhile. */
  async withConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      client.release(isUnusable(error));
      throw error;
    }
  }

  /** Waits for the changes and reads in progress, and closes all connections. */
  close(): Promise<void> {
    this.#closed ??= this.#pool.end();
    return this.#closed;
  }

  async #read(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const query = { name: nameStatement(text), text, values };
    try {
      try {
        return await this.withConnection((client) => client.query(query));
      } catch (error) {
        // A connection of the pool may have been closed since it was used last, for example by a restart of the database.
        if (!isUnusable(error)) throw error;
        return await this.withConnection((client) => client.query(query));
      }
    } catch (error) {
      throw translateError(error);
    }
  }

  async #writeWithRetries<Result>(
    work: (tx: Transaction) => Promise<Result>,
    trace: ChangeTrace | null,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.withConnection((client) => this.#transact(client, work, trace));
      } catch (error) {
        if (attempt === maxTries || !(error instanceof Conflict || isRetryable(error))) throw error;
        await setTimeout(Math.random() * Math.min(attempt * attempt, maxPauseMs));
      }
    }
  }

  async #transact<Result>(
    client: pg.PoolClient,
    work: (tx: Transaction) => Promise<Result>,
    trace: ChangeTrace | null,
  ): Promise<Result> {
    const traced = trace === null ? null : this.#tracer?.startTransaction('postgresql', [trace]);
    const tx = new Transaction(client, trace?.context ?? null);
    try {
      // The first statement is sent with it.
      const started = client.query(this.#begin);
      started.catch(() => {});
      const result = await work(tx);
      const committed = client.query('COMMIT');
      committed.catch(() => {});
      await started;
      await tx.settled();
      await committed;
      traced?.end(1);
      return result;
    } catch (error) {
      traced?.end(0, error);
      // If even this fails, the connection is broken, and the server rolls back.
      if (!isUnusable(error)) await client.query('ROLLBACK');
      throw error;
    }
  }
}
