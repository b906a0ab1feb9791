import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../kernel/errors';
import {
  FileIdentity,
  isLocked,
  openConnection,
  type SqliteOptions,
  translateError,
} from './open-connection';
import { createPriorityMemory, maxYieldMs, WritePriority } from './write-priority';

const verifyIntervalMs = 1_000;
/** How often flushing the log is tried while others read or write. */
const flushAttempts = 50;
const flushPauseMs = 2;

type Statement = Database.Statement<unknown[], unknown>;
type Statements = Map<string, Statement>;

/** An open SQLite database: prepared statements, reads, and writes that share commits. */
export class SqliteDatabase {
  readonly #connection: Database.Database;
  readonly #commits: GroupCommit;
  readonly #identity: FileIdentity | null;
  #verifiedAt = Number.NEGATIVE_INFINITY;
  readonly #statements: Statements = new Map();
  readonly #tupleStatements: Statements = new Map();

  /** @throws StoreUnavailableError if the file cannot be opened or belongs to another program. */
  constructor(file: string, options: SqliteOptions = {}) {
    this.#connection = openConnection(file, options);
    this.#identity = file === ':memory:' ? null : new FileIdentity(file);
    this.#commits = new GroupCommit(this.#connection, options, () => this.#identity?.verify());
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

  /** Whether the current transaction had to wait for another thread or process. */
  get hasWaitedForOthers(): boolean {
    return this.#commits.hasWaitedForOthers;
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

  #prepare(sql: string, statements: Statements = this.#statements): Statement {
    let statement = statements.get(sql);
    if (statement === undefined) {
      // For a bare parameter SQLite plans the query again for each value.
      statement = this.#connection.prepare(sql.replaceAll('LIMIT ?', 'LIMIT 0 + ?'));
      statements.set(sql, statement);
    }
    return statement;
  }
}

/** How long a write waits for a lock of another process. */
const lockTimeoutMs = 2_000;
const defaultLargestGroup = 100;

/** A change that waits for its commit. */
interface QueuedChange {
  work: () => unknown;
  /** Whether it must survive a power failure. */
  durable: boolean;
  /** When it stops waiting for a lock of another process: a time of `performance.now()`. */
  deadline: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** Settles the promise of a change. Called only after the commit. */
type CommitCallback = () => void;

/**
 * Commits changes that arrive together in one transaction, each in its own savepoint, and settles their promises after the
 * commit. Rejections wait too, because a rejected change may have read what another one of the group wrote. A change does not
 * wait for others to arrive: it takes along those of the same turn of the event loop.
 */
export class GroupCommit {
  readonly #connection: Database.Database;
  readonly #verifyFile: () => void;
  readonly #largestGroup: number;
  readonly #synchronous: 'full' | 'off';
  readonly #priority: WritePriority;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  readonly #save: Database.Statement;
  readonly #release: Database.Statement;
  readonly #undo: Database.Statement;
  #hasWaited = false;
  #isDurable = true;
  #waiting: QueuedChange[] = [];
  #working: Promise<void> | null = null;

  /** @param verifyFile Throws if the file was deleted or replaced, so that a commit would be lost. */
  constructor(
    connection: Database.Database,
    { largestGroup = defaultLargestGroup, synchronous = 'full', priority }: SqliteOptions = {},
    verifyFile: () => void = () => {},
  ) {
    this.#verifyFile = verifyFile;
    this.#connection = connection;
    this.#priority = new WritePriority(
      priority ?? { memory: createPriorityMemory(), yields: false },
    );
    this.#largestGroup = largestGroup;
    this.#synchronous = synchronous;
    // Immediate: a deferred transaction that reads first fails if another process writes before it does.
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#commit = connection.prepare('COMMIT');
    this.#rollback = connection.prepare('ROLLBACK');
    this.#save = connection.prepare('SAVEPOINT change');
    this.#release = connection.prepare('RELEASE change');
    this.#undo = connection.prepare('ROLLBACK TO change');
  }

  /**
   * Runs work in the next commit. Resolves with its result once that is on disk, or rejects with its error.
   *
   * @param durable Whether to wait for the disk. Otherwise a power failure, and nothing else, may undo the change, as long as no
   *   later durable change was committed.
   */
  add<Result>(work: () => Result, durable = true): Promise<Result> {
    return new Promise((resolveResult, reject) => {
      const resolve = (result: unknown) => resolveResult(result as Result);
      const deadline = performance.now() + lockTimeoutMs;
      this.#waiting.push({ work, durable, deadline, resolve, reject });
      this.#priority.setPending(true);
      this.#working ??= this.#processQueue();
    });
  }

  /** Whether the current transaction, or else the last one, had to wait for another thread or process. */
  get hasWaitedForOthers(): boolean {
    return this.#hasWaited;
  }

  /** Whether another thread should write before this one. */
  get shouldYield(): boolean {
    return this.#priority.shouldYield;
  }

  /** Resolves when no change is waiting. */
  async flushed(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async #processQueue(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Changes that arrive by the end of this turn of the event loop join the group.
      await new Promise((resolve) => setImmediate(resolve));
      const group = this.#waiting.splice(0, this.#largestGroup);
      try {
        for (const change of await this.#write(group)) await this.#write([change]);
      } catch (error) {
        // Even the rollback failed. Rejecting a settled promise has no effect.
        for (const change of group) change.reject(translateError(error));
      }
    }
    this.#working = null;
    this.#priority.setPending(false);
  }

  /**
   * Writes a group in one transaction, or in several if a thread with priority comes in between. While another process has the
   * lock, each change waits until its deadline.
   *
   * @returns The changes to try one by one, because the transaction failed; never a change that was alone.
   */
  async #write(group: QueuedChange[]): Promise<QueuedChange[]> {
    let yieldsUntil = performance.now() + maxYieldMs;
    this.#hasWaited = false;
    for (let waiting = group; waiting.length > 0; ) {
      const mayBeCut = await this.#priority.yield(yieldsUntil);
      if (!mayBeCut) this.#hasWaited = true;
      try {
        const callbacks = this.#transact(waiting, mayBeCut);
        this.#priority.end();
        for (const settle of callbacks) settle();
        waiting = waiting.slice(callbacks.length);
        // Not after waiting for a lock, because that could be repeated without end.
        yieldsUntil = performance.now() + maxYieldMs;
      } catch (error) {
        if (this.#connection.inTransaction) this.#rollback.run();
        this.#priority.end();
        // One change of the group may be the cause, such as one for which there is no disk space.
        const isOfAll = isLocked(error) || error instanceof StoreUnavailableError;
        if (waiting.length > 1 && !isOfAll) return waiting;
        const now = performance.now();
        const mayRetry = ({ deadline }: QueuedChange) => isLocked(error) && now < deadline;
        for (const change of waiting) if (!mayRetry(change)) change.reject(translateError(error));
        waiting = waiting.filter(mayRetry);
        this.#hasWaited = true;
        if (waiting.length > 0) await this.#priority.waitForOtherWrite();
      }
    }
    return [];
  }

  /**
   * @returns The callbacks of the first changes of the group: of all, unless it was cut short.
   * @throws The error of SQLite if the whole transaction failed; nothing was written then.
   */
  #transact(group: QueuedChange[], mayBeCut: boolean): CommitCallback[] {
    this.#verifyFile();
    this.#setDurable(group.some(({ durable }) => durable));
    this.#begin.run();
    const callbacks: CommitCallback[] = [];
    for (const change of group) {
      callbacks.push(this.#try(change));
      if (mayBeCut && this.#priority.shouldYield) break;
    }
    this.#commit.run();
    // No promise is settled before the change is known to be in the file that others see.
    this.#verifyFile();
    return callbacks;
  }

  #setDurable(durable: boolean): void {
    if (this.#synchronous === 'off' || durable === this.#isDurable) return;
    this.#connection.pragma(`synchronous = ${durable ? 'full' : 'normal'}`);
    this.#isDurable = durable;
  }

  #try({ work, resolve, reject }: QueuedChange): CommitCallback {
    this.#save.run();
    try {
      const result = work();
      if (result instanceof Promise) throw new TypeError('A change must not be asynchronous.');
      this.#release.run();
      return () => resolve(result);
    } catch (error) {
      // A full disk ends the whole transaction with all savepoints.
      if (!this.#connection.inTransaction) throw error;
      this.#undo.run();
      this.#release.run();
      return () => reject(translateError(error));
    }
  }
}
