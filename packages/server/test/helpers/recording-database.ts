import Database from 'better-sqlite3';
import { SqliteDatabase } from '../../src/stores/sqlite/database';

/** A recorded query. */
export interface RecordedQuery {
  sql: string;
  values: unknown[];
}

/** A database that records every query that reads. */
export class RecordingDatabase extends SqliteDatabase {
  readonly queries: RecordedQuery[] = [];

  override all<Row>(sql: string, ...values: unknown[]): Row[] {
    this.queries.push({ sql, values });
    return super.all<Row>(sql, ...values);
  }

  override tuples<Row extends unknown[]>(sql: string, ...values: unknown[]): Row[] {
    this.queries.push({ sql, values });
    return super.tuples<Row>(sql, ...values);
  }

  override tuple<Row extends unknown[]>(sql: string, ...values: unknown[]): Row | undefined {
    this.queries.push({ sql, values });
    return super.tuple<Row>(sql, ...values);
  }

  override get<Row>(sql: string, ...values: unknown[]): Row | undefined {
    this.queries.push({ sql, values });
    return super.get<Row>(sql, ...values);
  }
}

/** The cost of a query. */
export interface QueryCost {
  sql: string;
  /** The number of rows that SQLite scanned in the range of the index. */
  visited: number;
  returned: number;
}

/** Repeats queries and counts the rows that they scan, whether or not they return them. */
export class CostMeter {
  readonly #connection: Database.Database;
  #visited = 0;

  constructor(file: string) {
    this.#connection = new Database(file, { readonly: true });
    this.#connection.function('visited', { deterministic: false }, () => {
      this.#visited += 1;
      return 1;
    });
  }

  /** Adds a function as the first condition: SQLite calls it for every row in the range. */
  measure({ sql, values }: RecordedQuery): QueryCost {
    const at = sql.lastIndexOf('WHERE ') + 'WHERE '.length;
    this.#visited = 0;
    const counting = `${sql.slice(0, at)}visited() AND ${sql.slice(at)}`;
    const returned = this.#connection.prepare(counting).all(...values).length;
    return { sql, visited: this.#visited, returned };
  }

  close(): void {
    this.#connection.close();
  }
}
