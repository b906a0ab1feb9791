import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { FileIdentity } from './file-identity';
import { GroupCommit } from './group-commit';
import { openConnection, type SqliteOptions } from './open-connection';
import { translateError } from './sqlite-errors';

const verifyIntervalMs = 1_000;
/** How often the log is tried to be flushed while others read or write, which takes them moments. */
const flushTries = 50;
const flushPauseMs = 2;

type Statement = Database.Statement<unknown[], unknown>;
type Statements = Map<string, Statement>;

/** One open SQLite database: prepared statements, reads, and changes that share commits. */
export class SqliteDatabase {
  readonly #connection: Database.Database;
  readonly #commits: GroupCommit;
  readonly #identity: FileIdentity | null;
  #verifiedAt = Number.NEGATIVE_INFINITY;
  readonly #statements: Statements = new Map();
  readonly #tupleStatements: Statements = new Map();

  /** @throws StoreUnavailableError when the file cannot be opened, or is no database of ours. */
  constructor(file: string, options: SqliteOptions = {}) {
    this.#connection = openConnection(file, options);
    this.#identity = file === ':memory:' ? null : new FileIdentity(file);
    this.#commits = new GroupCommit(this.#connection, options, () => this.#identity?.verify());
  }

  /** All rows that a query finds. */
  all<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  /** The same as arrays of values: where there are many, objects cost more than the finding. */
  tuples<Row extends unknown[]>(sql: string, ...values: unknown[]): Row[] {
    return this.#prepare(sql, this.#tupleStatements)
      .raw()
      .all(...values) as Row[];
  }

  /** The first row that a query finds. */
  get<Row>(sql: string, ...values: unknown[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  /** Runs a statement that writes, and tells how many rows it changed. */
  run(sql: string, ...values: unknown[]): number {
    return this.#prepare(sql).run(...values).changes;
  }

  /** Does reads outside of a transaction. */
  async read<Result>(work: () => Result): Promise<Result> {
    try {
      this.#verifyNowAndThen();
      return work();
    } catch (error) {
      throw translateError(error);
    }
  }

  /** Does reads that all see one state, whatever other processes commit meanwhile. */
  async view<Result>(work: () => Result): Promise<Result> {
    try {
      this.#verifyNowAndThen();
      return this.#connection.transaction(work).deferred();
    } catch (error) {
      throw translateError(error);
    }
  }

  /**
   * Does work that is written whole or not at all: all of it is on disk when the promise fulfils. The
   * work may be done again, so it must have no effect outside of the database.
   */
  write<Result>(work: () => Result): Promise<Result> {
    return this.#commits.add(work);
  }

  /**
   * The same for work that a loss of power may undo: a claim on a delivery, say, of which no worker is
   * left then. It does not wait for the disk.
   */
  writeFleeting<Result>(work: () => Result): Promise<Result> {
    return this.#commits.add(work, false);
  }

  /** Whether the transaction in progress had to wait for another thread or process. */
  get hasWaitedForOthers(): boolean {
    return this.#commits.hasWaitedForOthers;
  }

  /** Whether another thread is to write before this one. */
  get mustYield(): boolean {
    return this.#commits.mustYield;
  }

  /**
   * Makes sure that the file is in place and can be read.
   *
   * @throws StoreUnavailableError
   */
  async check(): Promise<void> {
    this.#verifiedAt = Number.NEGATIVE_INFINITY;
    await this.read(() => this.get('SELECT 1 FROM accounts LIMIT 1'));
  }

  /**
   * Copies the write-ahead log into the file and empties it: what was overwritten is then in neither.
   *
   * @returns Whether it went through; false while others read or write.
   */
  async flushLog(): Promise<boolean> {
    const checkpoint = () =>
      this.#connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    // Most of it beside those that write, so that the rest keeps them waiting for a moment only.
    await this.read(() => this.#connection.pragma('wal_checkpoint(PASSIVE)'));
    for (let tries = 0; tries < flushTries; tries += 1) {
      const [result] = await this.read(checkpoint);
      if (result?.busy === 0) return true;
      await setTimeout(flushPauseMs);
    }
    return false;
  }

  /** Finishes the changes that were asked for, and lets go of the file. */
  async close(): Promise<void> {
    await this.#commits.settled();
    this.#connection.close();
  }

  /** Reads are many and cheap: what they see may be a second out of place. */
  #verifyNowAndThen(): void {
    const now = performance.now();
    if (now - this.#verifiedAt < verifyIntervalMs) return;
    this.#identity?.verify();
    this.#verifiedAt = now;
  }

  #prepare(sql: string, statements: Statements = this.#statements): Statement {
    let statement = statements.get(sql);
    if (statement === undefined) {
      // For a bare parameter SQLite plans anew each time that one is given, to suit the number.
      statement = this.#connection.prepare(sql.replaceAll('LIMIT ?', 'LIMIT 0 + ?'));
      statements.set(sql, statement);
    }
    return statement;
  }
}
