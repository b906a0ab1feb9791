import { createHash, type Hash } from 'node:crypto';
import { copiedTables } from './records/tables';

/** A table that is copied, by its name. */
export type CopiedTable = keyof typeof copiedTables;

/** The names of the tables that are copied, in the order of their references. */
export const copiedTableNames = Object.keys(copiedTables) as CopiedTable[];

/** Where a row is in the order in which its table is copied. */
export type RowPosition = (string | number)[];

/** A row to copy: its values by the names of their columns. */
export type CopiedRow = Record<string, string | number | boolean | null>;

/** Rows that follow each other. */
export interface RowBatch {
  rows: CopiedRow[];
  /** The position of the last row. */
  position: RowPosition;
}

/** What all rows of a table amount to. Two tables with equal digests have equal rows. */
export interface TableDigest {
  rows: number;
  /** SHA-256 of all rows in the order of the table's key, in hex. */
  sha256: string;
}

/** Computes the digest of a table. Add its rows in the order of the table's key. */
export class TableHash {
  readonly #hash: Hash = createHash('sha256');
  #rows = 0;

  /** Adds a row: its values in the order of the columns, with booleans as 0 and 1. */
  add(values: readonly unknown[]): void {
    this.#hash.update(`${JSON.stringify(values)}\n`);
    this.#rows += 1;
  }

  /** Returns the digest. Call it once, at the end. */
  finish(): TableDigest {
    return { rows: this.#rows, sha256: this.#hash.digest('hex') };
  }
}
