import { createHash, type Hash } from 'node:crypto';

/** The tables that a copy of a store has, by their names in PostgreSQL, in the order of their references. */
export const copiedTables = [
  'accounts',
  'api_keys',
  'listings',
  'orders',
  'tasks',
  'events',
  'account_events',
  'event_logs',
  'notifications',
  'webhooks',
  'webhook_events',
  'queues',
  'deliveries',
  'attempts',
  'idempotency_keys',
] as const;

/** A table that is copied. */
export type CopiedTable = (typeof copiedTables)[number];

/** Where a row is in the order in which its table is copied. */
export type RowPosition = (string | number)[];

/** A row to copy: its values by the column names of PostgreSQL. */
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
  /** SHA-256 of all rows in the order of the primary key of PostgreSQL, in hex. */
  sha256: string;
}

/** Computes the digest of a table. Add its rows in the order of the primary key of PostgreSQL. */
export class TableHash {
  readonly #hash: Hash = createHash('sha256');
  #rows = 0;

  /** Adds a row: its values in a fixed order, with booleans as 0 and 1. */
  add(values: readonly unknown[]): void {
    this.#hash.update(`${JSON.stringify(values)}\n`);
    this.#rows += 1;
  }

  /** Returns the digest. Call it once, at the end. */
  finish(): TableDigest {
    return { rows: this.#rows, sha256: this.#hash.digest('hex') };
  }
}
