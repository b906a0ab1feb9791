import { closeSync, openSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../store-unavailable-error';
import { migrate } from './migrate';

const lockPatience = 2_000;
const lockPause = 10;
const walTries = 100;

/** Codes of SQLite by which it says that it cannot work now, through no fault of the statement. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|NOMEM|PROTOCOL)/;

function isPassing(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && passing.test(error.code);
}

/** Whether another process holds the lock: nothing was done, and soon it may be. */
function isLocked(error: unknown): boolean {
  return isPassing(error) && error.code.startsWith('SQLITE_BUSY');
}

/** Makes the file if need be, for its owner alone: it holds endpoint secrets. SQLite's own files beside it follow suit. */
function makePrivateFile(file: string): void {
  if (file.trim() === '') throw new StoreUnavailableError('The name of the database is blank.');
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
}

/** Turns SQLite's own failures into the store's error and leaves all others as they are. */
function translate(error: unknown): unknown {
  if (!isPassing(error)) return error;
  return new StoreUnavailableError(`SQLite: ${error.message} (${error.code})`, { cause: error });
}

/** Node's own: the folder is not there, or may not be written to. */
function isOfFileSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/** The same for a file that is being opened, which it names. */
function translateOpening(file: string, error: unknown): unknown {
  if (!(isPassing(error) || isOfFileSystem(error))) return error;
  return new StoreUnavailableError(
    `${file} cannot be opened as a database: ${error.message}. See that the path is right and no other program holds the file, or name another --database.`,
    { cause: error },
  );
}

/**
 * Makes a database keep a write-ahead log. While another process does the same to a new file, SQLite
 * answers "busy" at once, whatever the timeout; so this waits for its turn to write and tries again.
 */
function useWriteAheadLog(connection: Database.Database): void {
  for (let tries = 1; ; tries += 1) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isLocked(error) || tries === walTries) throw error;
      connection.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
}

/** One open SQLite database: prepared statements, and transactions one after another. */
export class SqliteDatabase {
  readonly #connection: Database.Database;
  readonly #statements = new Map<string, Database.Statement<unknown[], unknown>>();

  /**
   * @param mustExist Refuse to make the file.
   * @throws StoreUnavailableError when the file cannot be opened, or is no database of ours.
   */
  constructor(file: string, mustExist = false) {
    try {
      if (!mustExist) makePrivateFile(file);
      this.#connection = new Database(file, { timeout: lockPatience, fileMustExist: true });
    } catch (error) {
      throw translateOpening(file, error);
    }
    try {
      useWriteAheadLog(this.#connection);
      this.#connection.pragma('synchronous = FULL');
      this.#connection.pragma('foreign_keys = ON');
      migrate(this.#connection);
      // From here on nothing waits for a lock inside of SQLite: that would hold up every request.
      this.#connection.pragma('busy_timeout = 0');
    } catch (error) {
      this.#connection.close();
      throw translateOpening(file, error);
    }
  }

  /** All rows that a query finds. */
  all<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
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
      return work();
    } catch (error) {
      throw translate(error);
    }
  }

  /** Does work in one transaction: all of it is on disk when the promise fulfils, or none of it ever is. */
  async write<Result>(work: () => Result): Promise<Result> {
    const patienceEnds = performance.now() + lockPatience;
    for (;;) {
      try {
        // Immediate: a transaction that reads first and writes later could find itself outrun.
        return this.#connection.transaction(work).immediate();
      } catch (error) {
        if (!isLocked(error) || performance.now() >= patienceEnds) throw translate(error);
      }
      await setTimeout(lockPause);
    }
  }

  close(): void {
    this.#connection.close();
  }

  #prepare(sql: string): Database.Statement<unknown[], unknown> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
