import Database from 'better-sqlite3';
import { StoreUnavailableError } from '../../store-unavailable-error';
import { migrate } from './migrate';

const lockPatience = 2_000;
const walTries = 100;

/** Codes of SQLite by which it says that it cannot work now, through no fault of the statement. */
const passing = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT|NOMEM|PROTOCOL)/;

function isPassing(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError && passing.test(error.code);
}

/** Turns SQLite's own failures into the store's error and leaves all others as they are. */
function translate(error: unknown): unknown {
  if (!isPassing(error)) return error;
  return new StoreUnavailableError(`SQLite: ${error.message} (${error.code})`, { cause: error });
}

/** The same for a file that is being opened, which it names. */
function translateOpening(file: string, error: unknown): unknown {
  // better-sqlite3 says by a TypeError that the folder does not exist.
  if (!(isPassing(error) || error instanceof TypeError)) return error;
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
      const isBusy = isPassing(error) && error.code.startsWith('SQLITE_BUSY');
      if (!isBusy || tries === walTries) throw error;
      connection.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
}

/** One open SQLite database: prepared statements, and transactions one after another. */
export class SqliteDatabase {
  readonly #connection: Database.Database;
  readonly #statements = new Map<string, Database.Statement<unknown[], unknown>>();

  /** @throws StoreUnavailableError when the file cannot be opened, or is no database of ours. */
  constructor(file: string) {
    try {
      this.#connection = new Database(file, { timeout: lockPatience });
    } catch (error) {
      throw translateOpening(file, error);
    }
    try {
      useWriteAheadLog(this.#connection);
      this.#connection.pragma('synchronous = FULL');
      this.#connection.pragma('foreign_keys = ON');
      migrate(this.#connection);
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
    try {
      // Immediate: a transaction that reads first and writes later could find itself outrun.
      return this.#connection.transaction(work).immediate();
    } catch (error) {
      throw translate(error);
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
