import { type BigIntStats, closeSync, existsSync, openSync, realpathSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../kernel/errors';
import { SecretCipher, type SecretKey } from '../encryption';
import type { ChangeTracer } from '../store';
import { type CommitOptions, GroupCommit, type WritePrioritySettings } from './group-commit';
import { migrate } from './migrate';
import { isLocked, missingFile, translateError, translateOpeningError } from './sqlite-errors';
import { TracedChanges } from './traced-changes';

const openTimeoutMs = 2_000;
const walAttempts = 100;
const verifyIntervalMs = 1_000;
/** How often flushing the log is tried while others read or write. */
const flushAttempts = 50;
const flushPauseMs = 2;

/** Options of a SQLite store. */
export interface SqliteOptions extends CommitOptions {
  /**
   * Fail if the file does not exist, for commands that need existing data.
   * @default false
   */
  mustExist?: boolean;
  /** The file that it must be, as returned by `readFileId`. It is not created then. Any file by default. */
  expectedFile?: FileId;
  /** The maximum size of the file in pages of 4,096 bytes. Unlimited by default. */
  maxPages?: number;
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
}

/**
 * Creates the file if necessary, readable only by its owner, because it may contain endpoint secrets. SQLite gives its own files
 * the same permissions. An existing file is not opened: closing it would drop this process's locks on it.
 */
function makePrivateFile(file: string): void {
  if (file.trim() === '') throw new StoreUnavailableError('The database path is empty.');
  if (file === ':memory:') return;
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Enables the write-ahead log. While another process does the same to a new file, SQLite returns "busy" at once regardless of
 * the timeout, so this waits for the write lock and retries.
 */
function useWriteAheadLog(connection: Database.Database): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isLocked(error) || attempt === walAttempts) throw error;
      connection.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
}

/**
 * Returns the number of pages in the log after which a commit copies them into the file, which takes several times as long as
 * the commit. A thread with priority leaves that to the yielding thread, unless the log gets too long.
 */
function checkpointAfter(priority: WritePrioritySettings | undefined): number {
  if (priority === undefined) return 1_000;
  return priority.yields ? 2_000 : 8_000;
}

/**
 * Opens a connection to a SQLite file and migrates it to the current schema.
 *
 * @throws StoreUnavailableError if the file cannot be opened or belongs to another program.
 */
function openConnection(
  file: string,
  { mustExist = false, expectedFile, synchronous = 'full', maxPages, priority }: SqliteOptions,
): Database.Database {
  let connection: Database.Database;
  try {
    if (mustExist && !existsSync(file)) throw missingFile(file);
    if (!(mustExist || expectedFile !== undefined)) makePrivateFile(file);
    connection = new Database(file, { timeout: openTimeoutMs, fileMustExist: true });
  } catch (error) {
    throw translateOpeningError(file, error);
  }
  try {
    // Before anything is written to it.
    if (expectedFile !== undefined) requireFile(file, expectedFile);
    useWriteAheadLog(connection);
    connection.pragma(`synchronous = ${synchronous}`);
    connection.pragma('foreign_keys = ON');
    // Overwrites deleted data with zeros, so that secrets of deleted webhooks do not stay in the file.
    connection.pragma('secure_delete = ON');
    // Each change is a savepoint, for which SQLite copies changed pages, by default to a temporary file.
    connection.pragma('temp_store = MEMORY');
    migrate(connection);
    if (maxPages !== undefined) connection.pragma(`max_page_count = ${maxPages}`);
    connection.pragma(`wal_autocheckpoint = ${checkpointAfter(priority)}`);
    // From here on SQLite must not wait for a lock, because that would block every request.
    connection.pragma('busy_timeout = 0');
    return connection;
  } catch (error) {
    connection.close();
    throw translateOpeningError(file, error);
  }
}

/** Identifies the file that a path leads to. Plain text, so that it can be passed to a thread. */
export type FileId = string;

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
export function requireFile(path: string, expected: FileId | null, file: string = path): void {
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

/** An open SQLite database: prepared statements, reads, and writes that share commits. */
export class SqliteDatabase {
  readonly #connection: Database.Database;
  readonly #commits: GroupCommit;
  readonly #identity: FileIdentity | null;
  #verifiedAt = Number.NEGATIVE_INFINITY;
  readonly #statements: Statements = new Map();
  readonly #tupleStatements: Statements = new Map();
  #reads: QueuedRead[] = [];
  /** How many statements that write were run. */
  #writes = 0;
  /** Encrypts and decrypts the secrets in the rows. */
  readonly secrets: SecretCipher;

  /** @throws StoreUnavailableError if the file cannot be opened or belongs to another program. */
  constructor(
    /** The path of the file; `:memory:` without one. */
    readonly file: string,
    options: SqliteOptions = {},
  ) {
    this.secrets = new SecretCipher(options.secretKeys ?? []);
    this.#connection = openConnection(file, options);
    this.#identity = file === ':memory:' ? null : new FileIdentity(file);
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
   * does not wait for the disk.
   *
   * @throws StoreUnavailableError if not, for example because the disk is full or the file has its maximum size.
   */
  async checkWritable(): Promise<void> {
    const pragma = (name: string) => this.#connection.pragma(name, { simple: true });
    const isFull = await this.writeRelaxed(() => {
      this.#connection.pragma(`user_version = ${pragma('user_version')}`);
      return pragma('page_count') === pragma('max_page_count') && pragma('freelist_count') === 0;
    });
    if (isFull) throw new StoreUnavailableError('The database has its maximum size.');
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
