import { setTimeout } from 'node:timers/promises';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type Database from 'better-sqlite3';
import { isLocked, translateError } from './sqlite-errors';
import type { TracedChanges } from './traced-changes';

const pendingCell = 0;
const endedCell = 1;
const cellCount = 2;
/** How often a waiting thread polls if it is not woken, in milliseconds. */
const pollMs = 2;
/** The total time for which a thread yields, in milliseconds: the other threads may slow it down, but not stop it. */
export const maxYieldMs = 10;

/** What the threads of one process that write to one database share. */
export interface WritePrioritySettings {
  /** Created by `createPriorityMemory`, the same for all threads. */
  memory: SharedArrayBuffer;
  /** Whether this thread lets the other threads write first. */
  yields: boolean;
}

/** Creates the shared memory of the threads. */
export function createPriorityMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(cellCount * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Decides which of two threads writes first. SQLite has no queue: a thread that finds the lock taken has to retry, and nearly
 * always finds a thread that writes continuously holding it.
 */
export class WritePriority {
  readonly #cells: Int32Array;
  readonly #yields: boolean;
  #isPending = false;

  constructor({ memory, yields }: WritePrioritySettings) {
    this.#cells = new Int32Array(memory);
    this.#yields = yields;
  }

  /** Sets whether this thread has changes to write. */
  setPending(isPending: boolean): void {
    if (this.#yields || isPending === this.#isPending) return;
    this.#isPending = isPending;
    Atomics.add(this.#cells, pendingCell, isPending ? 1 : -1);
    Atomics.notify(this.#cells, pendingCell);
  }

  /** Signals that a transaction of this thread has ended. */
  end(): void {
    Atomics.add(this.#cells, endedCell, 1);
    Atomics.notify(this.#cells, endedCell);
  }

  /** Whether another thread should write before this one. */
  get shouldYield(): boolean {
    return this.#yields && Atomics.load(this.#cells, pendingCell) > 0;
  }

  /**
   * Lets the other threads write first.
   *
   * @param until The latest end of the wait: a time of `performance.now()`.
   * @returns False if the other threads were not done by then.
   */
  async yield(until: number = performance.now() + maxYieldMs): Promise<boolean> {
    while (this.shouldYield) {
      if (performance.now() >= until) return false;
      await this.#waitForChange(pendingCell);
    }
    return true;
  }

  /** Waits until a transaction of another thread has ended, at most a few milliseconds. */
  waitForOtherWrite(): Promise<void> {
    return this.#waitForChange(endedCell);
  }

  async #waitForChange(cell: number): Promise<void> {
    const change = Atomics.waitAsync(this.#cells, cell, Atomics.load(this.#cells, cell), pollMs);
    // Other processes do not wake this one, and only a timer keeps a process alive.
    if (change.async) await Promise.race([change.value, setTimeout(pollMs)]);
  }
}

/** How changes are committed. */
export interface CommitOptions {
  /**
   * With `full`, committed data survives a power failure. `off` leaves that to the operating system.
   * @default 'full'
   */
  synchronous?: 'full' | 'off';
  /**
   * How many changes may share one commit. With 1, each change has its own commit.
   * @default 100
   */
  largestGroup?: number;
  /** How threads that write to the same file take turns. By default they do not coordinate. */
  priority?: WritePrioritySettings;
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

/** What a group commit needs to know of its connection. */
export interface CommitChecks {
  /** Throws if the file was deleted or replaced, so that a commit would be lost. */
  verifyFile: () => void;
  /** Returns how many statements that write were run so far. */
  countWrites: () => number;
}

/** Thrown inside a transaction by a change that failed after it had written something. */
class PartialChange extends Error {}

/** Settles the promise of a change. Called only after the commit. */
type CommitCallback = () => void;

/**
 * Commits changes that arrive together in one transaction, and settles their promises after the commit. Rejections wait too,
 * because a rejected change may have read what another one of the group wrote. A change does not wait for others to arrive: it
 * takes along those of the same turn of the event loop.
 *
 * Nearly all changes that fail do so before they write anything. Only if one fails later, the transaction is repeated with a
 * savepoint for each change: savepoints cost as much as a third of the statements between them.
 */
export class GroupCommit {
  readonly #connection: Database.Database;
  readonly #checks: CommitChecks;
  readonly #largestGroup: number;
  readonly #synchronous: 'full' | 'off';
  readonly #priority: WritePriority;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  readonly #save: Database.Statement;
  readonly #release: Database.Statement;
  readonly #undo: Database.Statement;
  /** Undefined unless requests are traced. */
  traced: TracedChanges | undefined;
  /** The number of the current transaction, or else of the last one. */
  transaction = 0;
  #hasWaited = false;
  #isDurable = true;
  #waiting: QueuedChange[] = [];
  /** The changes of the transaction that is being written. */
  #writing: QueuedChange[] = [];
  #working: Promise<void> | null = null;

  constructor(
    connection: Database.Database,
    { largestGroup = defaultLargestGroup, synchronous = 'full', priority }: CommitOptions,
    checks: CommitChecks,
  ) {
    this.#checks = checks;
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
      const change: QueuedChange = { work, durable, deadline, resolve, reject };
      this.#waiting.push(this.traced === undefined ? change : this.traced.follow(change));
      this.#priority.setPending(true);
      this.#working ??= this.#processQueue();
    });
  }

  /** For how long the oldest pending change has waited, in milliseconds; 0 if none waits. */
  get delay(): number {
    const first = this.#writing[0] ?? this.#waiting[0];
    return first === undefined ? 0 : performance.now() + lockTimeoutMs - first.deadline;
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
      this.#writing = group;
      try {
        for (const change of await this.#write(group)) await this.#write([change]);
      } catch (error) {
        // Even the rollback failed. Rejecting a settled promise has no effect.
        for (const change of group) change.reject(translateError(error));
      }
      this.#writing = [];
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
    let usesSavepoints = false;
    for (let waiting = group; waiting.length > 0; ) {
      const mayBeCut = await this.#priority.yield(yieldsUntil);
      if (!mayBeCut) this.#hasWaited = true;
      const trace = this.traced?.begin(waiting);
      try {
        const callbacks = this.#transact(waiting, mayBeCut, usesSavepoints);
        this.#priority.end();
        trace?.end(callbacks.length);
        for (const settle of callbacks) settle();
        waiting = waiting.slice(callbacks.length);
        // Not after waiting for a lock, because that could be repeated without end.
        yieldsUntil = performance.now() + maxYieldMs;
      } catch (error) {
        if (this.#connection.inTransaction) this.#rollback.run();
        this.#priority.end();
        trace?.end(0, error);
        if (error instanceof PartialChange) {
          usesSavepoints = true;
          continue;
        }
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
   * @throws The error of SQLite if the whole transaction failed, or `PartialChange`; nothing was written then.
   */
  #transact(group: QueuedChange[], mayBeCut: boolean, usesSavepoints: boolean): CommitCallback[] {
    this.#checks.verifyFile();
    this.#setDurable(group.some(({ durable }) => durable));
    this.#begin.run();
    this.transaction += 1;
    const callbacks: CommitCallback[] = [];
    for (const change of group) {
      callbacks.push(usesSavepoints ? this.#tryInSavepoint(change) : this.#try(change));
      if (mayBeCut && this.#priority.shouldYield) break;
    }
    this.#commit.run();
    // No promise is settled before the change is known to be in the file that others see.
    this.#checks.verifyFile();
    return callbacks;
  }

  #setDurable(durable: boolean): void {
    if (this.#synchronous === 'off' || durable === this.#isDurable) return;
    this.#connection.pragma(`synchronous = ${durable ? 'full' : 'normal'}`);
    this.#isDurable = durable;
  }

  /** @throws PartialChange if it failed after it had written something. */
  #try({ work, resolve, reject }: QueuedChange): CommitCallback {
    const writes = this.#checks.countWrites();
    try {
      const result = requireSynchronous(work());
      return () => resolve(result);
    } catch (error) {
      if (!this.#connection.inTransaction) throw error;
      if (this.#checks.countWrites() !== writes) throw new PartialChange();
      return () => reject(translateError(error));
    }
  }

  #tryInSavepoint({ work, resolve, reject }: QueuedChange): CommitCallback {
    this.#save.run();
    try {
      const result = requireSynchronous(work());
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

function requireSynchronous(result: unknown): unknown {
  if (result instanceof Promise) throw new TypeError('A change must not be asynchronous.');
  return result;
}
