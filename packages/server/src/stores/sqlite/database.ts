import { type BigIntStats, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DeliveryRoom } from '@tradepost/domain/deliveries/open-deliveries';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type Database from 'better-sqlite3';
import { SecretCipher, type SecretKey } from '../encryption';
import type { Fields, NewRow, RowUpdate, Table } from '../records/fields';
import type { ChangeTracer } from '../store';
import { resolveLink } from './abandoned-log';
import { readFreeBytes, requireFreeDisk, requireFreePages } from './free-space';
import { type CommitOptions, GroupCommit } from './group-commit';
import {
  type FileId,
  type OpenOptions,
  openConnection,
  openCurrentForReading,
} from './open-connection';
import { translateError } from './sqlite-errors';
import { TracedChanges } from './traced-changes';

const verifyIntervalMs = 1_000;
/** How often flushing the log is tried while others read or write. */
const flushAttempts = 50;
const flushPauseMs = 2;

/** Options of a SQLite store. */
export interface SqliteOptions extends CommitOptions, OpenOptions {
  /**
   * The keys that encrypt endpoint secrets, as returned by `parseSecretKeys`: the first one encrypts, all decrypt.
   * @default none: new secrets are stored in plain text
   */
  secretKeys?: readonly SecretKey[];
  /**
   * Whether endpoint secrets are read or written. Otherwise the file can be opened without their keys.
   * @default true
   */
  usesSecrets?: boolean;
  /**
   * How many pending deliveries the webhooks of an account may have together, unless it has a limit of its own.
   * @default 1000000
   */
  maxOpenDeliveries?: number | undefined;
  /**
   * Only read an existing database of the current schema, which may be a backup or on read-only media. Nothing is written to it,
   * and its journal mode stays.
   * @default false
   */
  readOnly?: boolean;
  /** Returns how many bytes are free on the disk of a folder; null if unknown. By default the system says it. */
  readFreeBytes?: typeof readFreeBytes;
}

function toFileId({ dev, ino }: BigIntStats): FileId {
  return `${dev}:${ino}`;
}

/** Returns the file that a path leads to; null if it does not exist or cannot be read. */
export function readFileId(path: string): FileId | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : toFileId(stats);
  } catch {
    return null;
  }
}

/**
 * Checks that a path leads to a certain file.
 *
 * @param file The database that the path belongs to.
 * @throws StoreUnavailableError
 */
function requireFile(path: string, expected: FileId | null, file: string = path): void {
  if (readFileId(path) === expected) return;
  throw new StoreUnavailableError(
    `${path} was deleted or replaced while the database ${file} was open. Nothing more is written. Put the original file back, or restart the server to use the new one.`,
  );
}

/**
 * Remembers the files of a database. A file that is deleted or replaced while it is open stays open: what is committed to it
 * is lost with the process, and no other process sees it. Neither SQLite nor the operating system reports that.
 */
class FileIdentity {
  readonly #file: string;
  readonly #ids: (readonly [path: string, id: FileId | null])[];

  /** @param file An open database in WAL mode: its -wal and -shm files exist. */
  constructor(file: string) {
    this.#file = file;
    // With a symbolic link, SQLite's own files are next to its target.
    const target = realpathSync(file);
    const paths = [file, `${target}-wal`, `${target}-shm`];
    this.#ids = paths.map((path) => [path, readFileId(path)]);
  }

  /**
   * Checks that the files are still in place.
   *
   * @throws StoreUnavailableError
   */
  verify(): void {
    for (const [path, id] of this.#ids) requireFile(path, id, this.#file);
  }
}

type Statement = Database.Statement<unknown[], unknown>;
type Statements = Map<string, Statement>;

interface QueuedRead {
  work: () => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** Returns the query that selects fields: the same string each time, so that its statement is found fast. */
function completeQuery<Row extends object>({ select, queries }: Fields<Row>, rest: string): string {
  let query = queries.get(rest);
  if (query === undefined) {
    query = `SELECT ${select} ${rest}`;
    queries.set(rest, query);
  }
  return query;
}

/** An open SQLite database: prepared statements, reads, and writes that share commits. */
export class SqliteDatabase {
  readonly #connection: Database.Database;
  readonly #commits: GroupCommit;
  readonly #identity: FileIdentity | null;
  /** The folder of the file; null in memory. */
  readonly #folder: string | null;
  readonly #readFreeBytes: typeof readFreeBytes;
  #verifiedAt = Number.NEGATIVE_INFINITY;
  readonly #statements: Statements = new Map();
  readonly #tupleStatements: Statements = new Map();
  #reads: QueuedRead[] = [];
  /** How many statements that write were run. */
  #writes = 0;
  /** Encrypts and decrypts the secrets in the rows. */
  readonly secrets: SecretCipher;
  /** How many deliveries accounts may still queue. */
  readonly deliveryRoom: DeliveryRoom;

  /** @throws StoreUnavailableError if the file cannot be opened or belongs to another program. */
  constructor(
    /** The path of the file; `:memory:` without one. */
    readonly file: string,
    options: SqliteOptions = {},
  ) {
    this.secrets = new SecretCipher(options.secretKeys ?? []);
    this.deliveryRoom = new DeliveryRoom(options.maxOpenDeliveries);
    const { readOnly = false } = options;
    this.#connection = readOnly
      ? openCurrentForReading(file)
      : openConnection(file, options, (expectedFile) => requireFile(file, expectedFile));
    // Without a write-ahead log, SQLite's own files come and go. What is only read cannot be lost.
    this.#identity = readOnly || file === ':memory:' ? null : new FileIdentity(file);
    this.#folder = file === ':memory:' ? null : dirname(resolveLink(file));
    this.#readFreeBytes = options.readFreeBytes ?? readFreeBytes;
    this.#commits = new GroupCommit(this.#connection, options, {
      verifyFile: () => this.#identity?.verify(),
      countWrites: () => this.#writes,
    });
  }

  /** Returns all rows of a query. */
  all<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  /** Returns all rows as arrays of values. For many rows, objects cost more than the query. */
  tuples<Row extends unknown[]>(sql: string, ...values: unknown[]): Row[] {
    return this.#prepare(sql, this.#tupleStatements)
      .raw()
      .all(...values) as Row[];
  }

  /** Returns the first row of a query. */
  get<Row>(sql: string, ...values: unknown[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  /** Returns the first row as an array of values. */
  tuple<Row extends unknown[]>(sql: string, ...values: unknown[]): Row | undefined {
    return this.#prepare(sql, this.#tupleStatements)
      .raw()
      .get(...values) as Row | undefined;
  }

  /** Returns all records of a query. `rest` is what follows its select list. */
  list<Row extends object>(fields: Fields<Row>, rest: string, ...values: unknown[]): Row[] {
    return this.tuples(completeQuery(fields, rest), ...values).map(fields.read);
  }

  /** Returns the first record of a query, or null. `rest` is what follows its select list. */
  find<Row extends object>(fields: Fields<Row>, rest: string, ...values: unknown[]): Row | null {
    const tuple = this.tuple(completeQuery(fields, rest), ...values);
    return tuple === undefined ? null : fields.read(tuple);
  }

  /** Inserts a row. */
  insert<Row extends object>(table: Table<Row>, row: NewRow<Row>): void {
    // The driver takes an array for its parameters, which saves two copies of it.
    this.run(table.insert, table.write(row));
  }

  /** Updates a row. */
  update<Row>({ sql, write }: RowUpdate<Row>, row: Row): void {
    this.run(sql, write(row));
  }

  /** Inserts a few rows by one statement. */
  insertAll<Row extends object>(table: Table<Row>, rows: readonly NewRow<Row>[]): void {
    if (rows.length === 0) return;
    const values: unknown[] = [];
    for (const row of rows) values.push(...table.write(row));
    const places = Array.from(rows, () => table.places).join(', ');
    this.run(`${table.insertRows} ${places}`, values);
  }

  /** Runs a statement that writes. Returns how many rows it changed. */
  run(sql: string, ...values: unknown[]): number {
    return this.#prepare(sql).run(...values).changes;
  }

  /** Runs reads outside a transaction. */
  async read<Result>(work: () => Result): Promise<Result> {
    try {
      this.#verifyFilePeriodically();
      return work();
    } catch (error) {
      throw translateError(error);
    }
  }

  /**
   * Runs a small read at the end of this turn of the event loop, in one transaction with all others of this turn: taking the
   * lock costs more than the read. It sees everything that was committed before the turn ended.
   */
  readTogether<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#reads.length === 0) setImmediate(() => this.#runReads());
      this.#reads.push({ work, resolve: resolve as QueuedRead['resolve'], reject });
    });
  }

  /** Runs reads that all see the same state, even if other processes commit meanwhile. */
  async view<Result>(work: () => Result): Promise<Result> {
    try {
      this.#verifyFilePeriodically();
      return this.#connection.transaction(work).deferred();
    } catch (error) {
      throw translateError(error);
    }
  }

  /**
   * Runs work atomically. When the promise resolves, its changes are on disk. The work may run again, so it must have no effects
   * outside the database.
   */
  write<Result>(work: () => Result): Promise<Result> {
    return this.#commits.add(work);
  }

  /**
   * Like `write`, but does not wait for the disk: a power failure may undo the work. For leases, for example, of which no worker
   * is left then.
   */
  writeRelaxed<Result>(work: () => Result): Promise<Result> {
    return this.#commits.add(work, false);
  }

  /** From now on, changes are traced. */
  traceChanges(tracer: ChangeTracer): void {
    this.#commits.traced = new TracedChanges(tracer);
  }

  /** The trace context of the change that is being written, for the deliveries that it queues; null if it is not traced. */
  get traceContext(): string | null {
    return this.#commits.traced?.context ?? null;
  }

  /** Whether the current transaction had to wait for another thread or process. */
  get hasWaitedForOthers(): boolean {
    return this.#commits.hasWaitedForOthers;
  }

  /** For how long the oldest pending change has waited, in milliseconds; 0 if none waits. */
  get writeDelay(): number {
    return this.#commits.delay;
  }

  /** The number of the current transaction, or else of the last one. */
  get transaction(): number {
    return this.#commits.transaction;
  }

  /** Whether another thread should write before this one. */
  get shouldYield(): boolean {
    return this.#commits.shouldYield;
  }

  /**
   * Checks that the file is in place and readable.
   *
   * @throws StoreUnavailableError
   */
  async check(): Promise<void> {
    this.#verifiedAt = Number.NEGATIVE_INFINITY;
    await this.read(() => this.get('SELECT 1 FROM accounts LIMIT 1'));
  }

  /**
   * Checks that changes can be committed: writes the schema version again, for which SQLite writes a page to the log, and
   * does not wait for the disk. One page may still fit where a change no longer does, so the free space is checked, too.
   *
   * @throws StoreFullError if the disk is full, or the file has its maximum size.
   * @throws StoreUnavailableError if not for another reason, for example because the disk is read-only.
   */
  async checkWritable(): Promise<void> {
    if (this.#folder !== null) requireFreeDisk(await this.#readFreeBytes(this.#folder));
    await this.writeRelaxed(() => {
      const version = this.#connection.pragma('user_version', { simple: true });
      this.#connection.pragma(`user_version = ${version}`);
      requireFreePages(this.#connection);
    });
  }

  /**
   * Copies the write-ahead log into the file and empties it, so that overwritten data is in neither.
   *
   * @returns False if others read or wrote all the time.
   */
  async flushLog(): Promise<boolean> {
    const checkpoint = () =>
      this.#connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    // Most of it without blocking writers, so that the rest blocks them only briefly.
    await this.read(() => this.#connection.pragma('wal_checkpoint(PASSIVE)'));
    for (let attempt = 0; attempt < flushAttempts; attempt += 1) {
      const [result] = await this.read(checkpoint);
      if (result?.busy === 0) return true;
      await setTimeout(flushPauseMs);
    }
    return false;
  }

  /** Finishes the pending writes and closes the file. */
  async close(): Promise<void> {
    await this.#commits.flushed();
    this.#connection.close();
  }

  /** Reads are frequent and cheap, so they may notice a replaced file up to a second late. */
  #verifyFilePeriodically(): void {
    const now = performance.now();
    if (now - this.#verifiedAt < verifyIntervalMs) return;
    this.#identity?.verify();
    this.#verifiedAt = now;
  }

  #runReads(): void {
    const reads = this.#reads;
    this.#reads = [];
    try {
      this.#verifyFilePeriodically();
      this.#connection
        .transaction(() => {
          for (const { work, resolve, reject } of reads) {
            try {
              resolve(work());
            } catch (error) {
              reject(translateError(error));
            }
          }
        })
        .deferred();
    } catch (error) {
      for (const { reject } of reads) reject(translateError(error));
    }
  }

  #prepare(sql: string, statements: Statements = this.#statements): Statement {
    let statement = statements.get(sql);
    if (statement === undefined) {
      // For a bare parameter SQLite plans the query again for each value.
      statement = this.#connection.prepare(sql.replaceAll('LIMIT ?', 'LIMIT 0 + ?'));
      statements.set(sql, statement);
    }
    if (!statement.readonly) this.#writes += 1;
    return statement;
  }
}
