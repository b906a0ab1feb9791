import { randomUUID } from 'node:crypto';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import pg from 'pg';
import {
  type CopiedTable,
  copiedTableNames,
  type RowBatch,
  type RowPosition,
  type TableDigest,
  TableHash,
} from '../copied-tables';
import { describeDatabase } from '../database-url';
import { copiedTables } from '../records/tables';
import { type CopyRecord, createCopyTable, findCopyRecord, selectCopyRecord } from './copy-record';
import { PostgresDatabase, type Transaction } from './database';
import { migrate, requireKnownSchema, requireMigrated } from './migrate';
import { getCode, translateOpeningError } from './postgres-errors';
import { releaseAllLeases } from './worker-leases';

/** SQLSTATEs of rows that the schema does not accept: data exceptions and violated constraints. */
const rejectedRows = /^2[23]/;

const readNow = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';

/** Where a copy starts or continues. */
export interface CopyProgress {
  /** The table of the last batch; null before the first one. */
  table: CopiedTable | null;
  /** The position of its last row. */
  position: RowPosition | null;
  /** How many rows of that table are copied. */
  copied: number;
}

/** Returns a statement that inserts rows, passed as JSON with the column names of the table. */
function buildInsert(table: CopiedTable): string {
  const columns = copiedTables[table].names.join(', ');
  // Rows get their positions in the order of the statement.
  return `INSERT INTO ${table} (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`;
}

/** How many rows a query reads for a digest. */
const digestedRows = 2_000;

/** Returns the first table that has rows, of those of Tradepost; null if all are empty. */
async function findUsedTable(
  db: Pick<PostgresDatabase, 'row'> | Transaction,
): Promise<string | null> {
  const tables = [...copiedTableNames, 'workers'].map(
    (table) => `SELECT '${table}' AS name, EXISTS (SELECT 1 FROM ${table}) AS "isUsed"`,
  );
  const row = await db.row<{ name: string }>(
    `SELECT name FROM (${tables.join(' UNION ALL ')}) AS t WHERE "isUsed" LIMIT 1`,
  );
  return row?.name ?? null;
}

/**
 * The database that a copy is written to. How far the copy is, is committed together with each batch. Several processes may start on
 * one database: the last one continues the copy, and the others end.
 */
export class ImportedDatabase {
  readonly #db: PostgresDatabase;
  readonly #name: string;
  readonly #run = randomUUID();

  /** @throws StoreUnavailableError if the URL has unsupported settings. */
  constructor(readonly url: string) {
    this.#db = new PostgresDatabase(url, { maxConnections: 2 });
    this.#name = describeDatabase(url);
  }

  /**
   * Checks that a copy may be started or continued. Changes nothing.
   *
   * @returns The source of an unfinished copy, as passed to `begin`; null if there is none.
   * @throws StoreUnavailableError if the database cannot be opened, has rows of its own, or belongs to another program.
   */
  async inspect(): Promise<string | null> {
    try {
      const options = { mayBeUnfinished: true };
      if ((await requireKnownSchema(this.#db, options)) === 0) return null;
      await requireMigrated(this.#db, options);
      const record = await findCopyRecord(this.#db);
      if (record?.isComplete === false) return record.source;
      await this.#requireEmpty(this.#db, record);
      return null;
    } catch (error) {
      throw translateOpeningError(this.url, error);
    }
  }

  /**
   * Checks that an unfinished copy is of a source.
   *
   * @throws StoreUnavailableError
   */
  requireSource(unfinished: string, source: string): void {
    if (unfinished === source) return;
    throw new StoreUnavailableError(
      `The database ${this.#name} has an unfinished copy of another SQLite database, or the file has changed since that copy started. Nothing was changed. Pass the file as it was then, or an empty database.`,
    );
  }

  /**
   * Starts a copy, or continues an unfinished one of the same source. Creates the tables if necessary.
   *
   * @param source What identifies the source and its content.
   * @throws StoreUnavailableError as `inspect` does, or if there is an unfinished copy of another source.
   */
  async begin(source: string): Promise<CopyProgress> {
    try {
      await migrate(this.#db, { mayBeUnfinished: true });
      return await this.#db.write(
        async (tx) => {
          // All copies take turns here.
          await tx.row('SELECT version FROM tradepost_schema FOR UPDATE');
          await tx.run(createCopyTable);
          const record = await tx.row<CopyRecord>(`${selectCopyRecord} FOR UPDATE`);
          if (record === undefined || record.isComplete) {
            await this.#requireEmpty(tx, record);
            await tx.run('DELETE FROM tradepost_copy');
            const { now } = await readClock(tx);
            await tx.run(
              'INSERT INTO tradepost_copy (one, source, run, started_at, copied) VALUES (TRUE, $1, $2, $3, 0)',
              source,
              this.#run,
              now,
            );
            return { table: null, position: null, copied: 0 };
          }
          this.requireSource(record.source, source);
          await tx.run('UPDATE tradepost_copy SET run = $1', this.#run);
          return {
            table: record.table,
            position: record.position === null ? null : JSON.parse(record.position),
            copied: record.copied,
          };
        },
        { isRepeatable: true },
      );
    } catch (error) {
      throw translateOpeningError(this.url, error);
    }
  }

  /**
   * Writes rows and how far the copy is, both or nothing.
   *
   * @param copied How many rows of the table are copied then.
   * @throws StoreUnavailableError if another process continues the copy, or the schema does not accept a row.
   */
  async write(table: CopiedTable, batch: RowBatch, copied: number): Promise<void> {
    const position = JSON.stringify(batch.position);
    const rows = JSON.stringify(batch.rows);
    const insert = buildInsert(table);
    const work = async (tx: Transaction) => {
      const record = await this.#requireOwn(tx);
      // It runs again if the connection broke during the commit.
      if (record.table === table && record.position === position) return;
      tx.send(insert, rows);
      tx.send(
        'UPDATE tradepost_copy SET table_name = $1, position = $2, copied = $3',
        table,
        position,
        copied,
      );
    };
    try {
      await this.#db.write(work, { isRepeatable: true });
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && rejectedRows.test(getCode(error)))) throw error;
      throw new StoreUnavailableError(
        `PostgreSQL does not accept a row of ${table}: ${error.message}. Run \`tradepost-server check\` on the SQLite database.`,
      );
    }
  }

  /**
   * Computes the digest of a table as it is.
   *
   * @param signal Stops it.
   */
  async digest(table: CopiedTable, signal?: AbortSignal): Promise<TableDigest> {
    const { key, names, booleans } = copiedTables[table];
    const columns = names.map((name) => (booleans.includes(name) ? `${name}::int` : name));
    const keys = key.join(', ');
    const select = `SELECT ${columns.join(', ')} FROM ${table}`;
    const order = `ORDER BY ${keys} LIMIT ${digestedRows}`;
    const after = key.map((_, index) => `$${index + 1}`).join(', ');
    const hash = new TableHash();
    let rows = await this.#db.rows<Record<string, unknown>>(`${select} ${order}`);
    for (;;) {
      signal?.throwIfAborted();
      for (const row of rows) hash.add(Object.values(row));
      const last = rows.at(-1);
      if (rows.length < digestedRows || last === undefined) return hash.finish();
      const position = key.map((name) => last[name]);
      rows = await this.#db.rows(`${select} WHERE (${keys}) > (${after}) ${order}`, ...position);
    }
  }

  /**
   * Marks the copy as complete, so that servers may use the database. Leases of the source have ended with its server, so their
   * deliveries become due.
   *
   * @throws StoreUnavailableError if another process continues the copy.
   */
  async complete(): Promise<void> {
    await this.#analyze();
    await this.#db.write(
      async (tx) => {
        const record = await this.#requireOwn(tx);
        if (record.isComplete) return;
        const { now } = await readClock(tx);
        await releaseAllLeases(tx, now);
        await tx.run('UPDATE tradepost_copy SET completed_at = $1', now);
      },
      { isRepeatable: true },
    );
  }

  /** Closes all connections. */
  close(): Promise<void> {
    return this.#db.close();
  }

  /** Creates statistics, without which PostgreSQL plans queries badly. If that takes too long, it does so later by itself. */
  async #analyze(): Promise<void> {
    for (const table of copiedTableNames) {
      await this.#db.rows(`ANALYZE ${table}`).catch((error: unknown) => {
        if (!(error instanceof StoreUnavailableError)) throw error;
      });
    }
  }

  /** Locks the record of the copy, and checks that no other process has continued the copy. */
  async #requireOwn(tx: Transaction): Promise<CopyRecord> {
    const record = await tx.row<CopyRecord>(`${selectCopyRecord} FOR UPDATE`);
    if (record?.run === this.#run) return record;
    throw new StoreUnavailableError(
      `Another process continues the copy to ${this.#name}. This one has ended.`,
    );
  }

  async #requireEmpty(
    db: Pick<PostgresDatabase, 'row'> | Transaction,
    record: CopyRecord | undefined,
  ): Promise<void> {
    const used = await findUsedTable(db);
    if (used === null) return;
    const reason =
      record === undefined ? `its table ${used} has rows` : 'it has a complete copy already';
    throw new StoreUnavailableError(
      `The database ${this.#name} is not empty: ${reason}. Nothing was changed. Pass an empty database.`,
    );
  }
}

async function readClock(tx: Transaction): Promise<{ now: number }> {
  const row = await tx.row<{ now: number }>(readNow);
  if (row === undefined) throw new Error('The database has no clock.');
  return row;
}
