import { createHash } from 'node:crypto';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { type CopiedTable, copiedTableNames, type TableDigest } from './copied-tables';
import { describeDatabase } from './database-url';
import { ImportedDatabase } from './postgres/import-rows';
import { ExportedDatabase } from './sqlite/export-rows';

/** What is copied where. */
export interface StoreCopyRequest {
  /** The SQLite file. It is only read, and no one else may use it meanwhile. */
  from: string;
  /** The URL of the PostgreSQL database: empty, or with an unfinished copy of the same file. */
  to: string;
  /**
   * Whether both sides are only checked.
   * @default false
   */
  dryRun?: boolean;
  /** Stops it between two batches. Run again, it continues. */
  signal?: AbortSignal;
  /** Called before each step, and after each batch. */
  onProgress?: (progress: StoreCopyProgress) => void;
  /** How many rows are written in one transaction. */
  batchRows?: number;
}

/** How far a copy is. */
export interface StoreCopyProgress {
  step: 'read' | 'copy' | 'verify';
  /** The table; null while the whole source is read. */
  table: CopiedTable | null;
  /** How many of its rows are copied. */
  copied: number;
  /** How many rows it has; 0 while the source is read. */
  total: number;
}

/** The result of a copy. */
export interface StoreCopy {
  /** The number of rows of each table. */
  rows: Record<CopiedTable, number>;
  /** Whether it continued an unfinished copy, or would do so. */
  isContinued: boolean;
}

/** A batch is a statement of a tenth of a second, far from its timeout. */
const defaultBatchRows = 2_000;
const maxBatchLength = 4_000_000;

type Digests = Record<CopiedTable, TableDigest>;

/** Identifies a source by its content, so that a copy is continued after the file was moved, but not after it was changed. */
function identify(digests: Digests): string {
  return createHash('sha256').update(JSON.stringify(digests)).digest('hex');
}

function countRows(digests: Digests): Record<CopiedTable, number> {
  const counts = copiedTableNames.map((table) => [table, digests[table].rows]);
  return Object.fromEntries(counts) as Record<CopiedTable, number>;
}

async function copyTables(
  source: ExportedDatabase,
  target: ImportedDatabase,
  digests: Digests,
  { signal, onProgress, batchRows: maxRows = defaultBatchRows }: StoreCopyRequest,
): Promise<void> {
  const progress = await target.begin(identify(digests));
  const first = progress.table === null ? 0 : copiedTableNames.indexOf(progress.table);
  for (const table of copiedTableNames.slice(first)) {
    const isContinued = table === progress.table;
    const total = digests[table].rows;
    let copied = isContinued ? progress.copied : 0;
    onProgress?.({ step: 'copy', table, copied, total });
    const batches = source.readBatches(table, isContinued ? progress.position : null, {
      maxRows,
      maxLength: maxBatchLength,
    });
    for (const batch of batches) {
      signal?.throwIfAborted();
      copied += batch.rows.length;
      await target.write(table, batch, copied);
      onProgress?.({ step: 'copy', table, copied, total });
    }
  }
}

/** Compares both sides. */
async function verifyTables(
  target: ImportedDatabase,
  digests: Digests,
  { to, signal, onProgress }: StoreCopyRequest,
): Promise<void> {
  for (const table of copiedTableNames) {
    const expected = digests[table];
    onProgress?.({ step: 'verify', table, copied: expected.rows, total: expected.rows });
    const found = await target.digest(table, signal);
    if (found.rows === expected.rows && found.sha256 === expected.sha256) continue;
    const difference =
      found.rows === expected.rows
        ? 'its rows have another checksum'
        : `it has ${found.rows} rows instead of ${expected.rows}`;
    throw new StoreUnavailableError(
      `The table ${table} of ${describeDatabase(to)} differs from the source: ${difference}. Perhaps another program has changed it. Remove the tables, and copy again.`,
    );
  }
}

/** Adds to an error of the connection or of the database server how to continue. Returns other errors unchanged. */
function explainInterruption(error: unknown): unknown {
  if (!(error instanceof StoreUnavailableError) || error.cause === undefined) return error;
  return new StoreUnavailableError(
    `${error.message}. The copy is unfinished. Run the same command again to continue it.`,
    { cause: error.cause },
  );
}

/**
 * Copies a store from a SQLite file to a PostgreSQL database, and compares them. Whatever ends it, the source stays as it is, and the
 * target cannot be used before the copy is complete. Called again, it continues.
 *
 * @throws StoreUnavailableError if one of them cannot be used, or they differ at the end.
 */
export async function copyStore(request: StoreCopyRequest): Promise<StoreCopy> {
  const { from, to, dryRun = false, signal, onProgress } = request;
  const target = new ImportedDatabase(to);
  let source: ExportedDatabase | undefined;
  try {
    const unfinished = await target.inspect();
    onProgress?.({ step: 'read', table: null, copied: 0, total: 0 });
    source = new ExportedDatabase(from);
    const digests = await source.digest(signal);
    if (unfinished !== null) target.requireSource(unfinished, identify(digests));
    const result = { rows: countRows(digests), isContinued: unfinished !== null };
    if (dryRun) return result;
    try {
      await copyTables(source, target, digests, request);
      await verifyTables(target, digests, request);
      await target.complete();
    } catch (error) {
      throw explainInterruption(error);
    }
    return result;
  } finally {
    source?.close();
    await target.close();
  }
}
