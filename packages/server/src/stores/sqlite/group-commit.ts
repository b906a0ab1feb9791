import type Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../store-unavailable-error';
import type { SqliteOptions } from './open-connection';
import { isLocked, translateError } from './sqlite-errors';
import { maxYieldMs, turnMemory, WriteTurns } from './write-turns';

const lockPatience = 2_000;
const defaultLargestGroup = 100;

/** A change that waits for its commit. */
interface Change {
  work: () => unknown;
  /** Whether it has to survive a loss of power. */
  lasting: boolean;
  /** Until when it waits for a lock that another process holds: a time of `performance.now()`. */
  patienceEnds: number;
  fulfil: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** What became of a change inside of its transaction. It is told only after the commit. */
type Settlement = () => void;

/**
 * Changes that arrive together share one transaction, each in a savepoint of its own, and are answered
 * after its commit: also those that were refused, since what they saw may have been a neighbour's change.
 * Nothing waits for company: the first change takes along what arrived in the same turn.
 */
export class GroupCommit {
  readonly #connection: Database.Database;
  readonly #verifyFile: () => void;
  readonly #largestGroup: number;
  readonly #synchronous: 'full' | 'off';
  readonly #turns: WriteTurns;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #rollback: Database.Statement;
  readonly #save: Database.Statement;
  readonly #release: Database.Statement;
  readonly #undo: Database.Statement;
  #hasWaited = false;
  #waits = true;
  #waiting: Change[] = [];
  #working: Promise<void> | null = null;

  /** @param verifyFile Throws when what is committed would be lost, since the file is not there any more. */
  constructor(
    connection: Database.Database,
    { largestGroup = defaultLargestGroup, synchronous = 'full', turns }: SqliteOptions = {},
    verifyFile: () => void = () => {},
  ) {
    this.#verifyFile = verifyFile;
    this.#connection = connection;
    this.#turns = new WriteTurns(turns ?? { memory: turnMemory(), yields: false });
    this.#largestGroup = largestGroup;
    this.#synchronous = synchronous;
    // Immediate: a transaction that reads first and writes later could find itself outrun.
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#commit = connection.prepare('COMMIT');
    this.#rollback = connection.prepare('ROLLBACK');
    this.#save = connection.prepare('SAVEPOINT change');
    this.#release = connection.prepare('RELEASE change');
    this.#undo = connection.prepare('ROLLBACK TO change');
  }

  /**
   * Does work in the next commit. Fulfils with its result once that is on disk, or rejects with what it
   * threw. A change that is not `lasting` does not wait for the disk: a loss of power may undo it, as long
   * as no later one was waited for, and nothing else can.
   */
  add<Result>(work: () => Result, lasting = true): Promise<Result> {
    return new Promise((resolve, reject) => {
      const fulfil = (result: unknown) => resolve(result as Result);
      const patienceEnds = performance.now() + lockPatience;
      this.#waiting.push({ work, lasting, patienceEnds, fulfil, reject });
      this.#turns.want(true);
      this.#working ??= this.#workOff();
    });
  }

  /** Whether the transaction in progress, or else the last one, had to wait for another thread or process. */
  get hasWaitedForOthers(): boolean {
    return this.#hasWaited;
  }

  /** Whether another thread is to write before this one. */
  get mustYield(): boolean {
    return this.#turns.mustYield;
  }

  /** Fulfils when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#working) await this.#working;
  }

  async #workOff(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What else arrived by the end of this turn of the event loop comes along.
      await new Promise((done) => setImmediate(done));
      const group = this.#waiting.splice(0, this.#largestGroup);
      try {
        for (const change of await this.#write(group)) await this.#write([change]);
      } catch (error) {
        // Not even a rollback went through. Those that were told already are not told again.
        for (const change of group) change.reject(translateError(error));
      }
    }
    this.#working = null;
    this.#turns.want(false);
  }

  /**
   * Writes a group in one transaction, or in several when another thread comes in between that goes
   * first. While another holds the lock, each change waits as long as it has patience.
   *
   * @returns What is to be tried alone, since the transaction failed; never a change that came alone.
   */
  async #write(group: Change[]): Promise<Change[]> {
    let yieldsUntil = performance.now() + maxYieldMs;
    this.#hasWaited = false;
    for (let waiting = group; waiting.length > 0; ) {
      const mayBeCut = await this.#turns.yield(yieldsUntil);
      if (!mayBeCut) this.#hasWaited = true;
      try {
        const settlements = this.#transact(waiting, mayBeCut);
        this.#turns.end();
        for (const settle of settlements) settle();
        waiting = waiting.slice(settlements.length);
        // Not after a lock that another took meanwhile: there may be no end of those.
        yieldsUntil = performance.now() + maxYieldMs;
      } catch (error) {
        if (this.#connection.inTransaction) this.#rollback.run();
        this.#turns.end();
        // Of a group, one change may be to blame, such as the one that no room is left for.
        const isOfAll = isLocked(error) || error instanceof StoreUnavailableError;
        if (waiting.length > 1 && !isOfAll) return waiting;
        const now = performance.now();
        const goesOn = ({ patienceEnds }: Change) => isLocked(error) && now < patienceEnds;
        for (const change of waiting) if (!goesOn(change)) change.reject(translateError(error));
        waiting = waiting.filter(goesOn);
        this.#hasWaited = true;
        if (waiting.length > 0) await this.#turns.otherEnds();
      }
    }
    return [];
  }

  /**
   * @returns What became of the first changes of the group: of all, unless it was cut.
   * @throws what SQLite throws when the transaction as a whole fails; then nothing was written.
   */
  #transact(group: Change[], mayBeCut: boolean): Settlement[] {
    this.#verifyFile();
    this.#waitForDisk(group.some(({ lasting }) => lasting));
    this.#begin.run();
    const settlements: Settlement[] = [];
    for (const change of group) {
      settlements.push(this.#try(change));
      if (mayBeCut && this.#turns.mustYield) break;
    }
    this.#commit.run();
    // Nobody is told of a change before it is known to be in the file that others see.
    this.#verifyFile();
    return settlements;
  }

  #waitForDisk(waits: boolean): void {
    if (this.#synchronous === 'off' || waits === this.#waits) return;
    this.#connection.pragma(`synchronous = ${waits ? 'full' : 'normal'}`);
    this.#waits = waits;
  }

  #try({ work, fulfil, reject }: Change): Settlement {
    this.#save.run();
    try {
      const result = work();
      if (result instanceof Promise) throw new TypeError('A change in a transaction cannot wait.');
      this.#release.run();
      return () => fulfil(result);
    } catch (error) {
      // A full disk ends the whole transaction, savepoints and all.
      if (!this.#connection.inTransaction) throw error;
      this.#undo.run();
      this.#release.run();
      return () => reject(translateError(error));
    }
  }
}
