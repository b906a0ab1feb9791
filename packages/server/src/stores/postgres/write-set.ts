import type { NewRow, RowUpdate, Table } from '../records/fields';
import type { Transaction } from './database';

/**
 * Collects statements that write, to run as one: what a statement costs besides its rows is paid once. None of them sees what
 * another one writes, and no two may change the same row.
 */
export class WriteSet {
  readonly #values: unknown[] = [];
  readonly #statements: string[] = [];

  /** Adds a value and returns its parameter, such as `$3`. */
  bind(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }

  /** Adds rows as JSON and returns the parameter. */
  bindRows(rows: readonly object[]): string {
    return `${this.bind(JSON.stringify(rows))}::json`;
  }

  /** Adds the insert of rows. Values that are missing are null. */
  insert<Row extends object>(table: Table<Row>, rows: readonly NewRow<Row>[]): void {
    if (rows.length > 0) this.add(table.insertJson(this.bindRows(rows.map(table.toJson))));
  }

  /**
   * Adds the update of rows, each of them once. They are passed as arrays: of these the planner expects a few rows, and looks up each
   * by an index. Of `json_to_recordset` it expects a hundred, for which it may scan the table.
   */
  update<Row>({ fields, from }: RowUpdate<Row>, rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const arrays = fields.map(
      ([field, type]) => `${this.bind(rows.map((row) => row[field]))}::${type}[]`,
    );
    const names = fields.map(([field]) => `"${String(field)}"`);
    this.add(from(`unnest(${arrays.join(', ')}) AS r (${names.join(', ')})`));
  }

  /** Adds a statement, whose parameters were returned by `bind`. */
  add(statement: string): void {
    this.#statements.push(statement);
  }

  /** Sends all statements. */
  send(tx: Transaction): void {
    const [first, ...others] = this.#statements;
    if (first === undefined) return;
    const parts = this.#statements.map((statement, index) => `w${index} AS (${statement})`);
    const statement = others.length === 0 ? first : `WITH ${parts.join(', ')} SELECT 1`;
    tx.send(statement, ...this.#values);
  }
}

/** Updates a row by a statement of its own. */
export function update<Row>(tx: Transaction, change: RowUpdate<Row>, row: Row): void {
  const writes = new WriteSet();
  writes.update(change, [row]);
  writes.send(tx);
}

/** Inserts rows by a statement of its own. */
export function insert<Row extends object>(
  tx: Transaction,
  table: Table<Row>,
  rows: readonly NewRow<Row>[],
): void {
  const writes = new WriteSet();
  writes.insert(table, rows);
  writes.send(tx);
}
