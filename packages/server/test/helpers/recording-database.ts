import Database from 'better-sqlite3';
import { SqliteDatabase } from '../../src/stores/sqlite/database';

/** A query as it was made. */
export interface RecordedQuery {
  sql: string;
  values: unknown[];
}

/** A database that keeps every query that reads from it. */
export class RecordingDatabase extends SqliteDatabase {
  readonly queries: RecordedQuery[] = [];

  override all<Row>(sql: string, ...values: unknown[]): Row[] {
    this.queries.push({ sql, values });
    return super.all<Row>(sql, ...values);
  }

  override get<Row>(sql: string, ...values: unknown[]): Row | undefined {
    this.queries.push({ sql, values });
    return super.get<Row>(sql, ...values);
  }
}

/** What a query cost. */
export interface QueryCost {
  sql: string;
  /** How many rows SQLite stepped on in the range of its index. */
  visited: number;
  returned: number;
}

/** Makes queries again and counts the rows that they step on, whether or not they return them. */
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

  /** As its first condition beside the range, SQLite calls a function for every row in the range. */
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
