import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import { findDatabaseFault, isPostgresUrl } from './database-url';
import type { PostgresOptions } from './postgres/database';
import type { SqliteOptions } from './sqlite/database';
import { explainUseError } from './sqlite/sqlite-errors';
import { openSqliteStore } from './sqlite/sqlite-store';
import type { Store } from './store';

/** Options of a store. Those of the other kind of database have no effect. */
export interface StoreOptions extends SqliteOptions, PostgresOptions {}

/**
 * Opens the store in a database: a SQLite file, or the URL of a PostgreSQL database.
 *
 * @throws StoreUnavailableError if it is neither, or cannot be opened. The message names it.
 */
export async function openStore(database: string, options: StoreOptions = {}): Promise<Store> {
  const fault = findDatabaseFault(database);
  if (fault !== null) throw new StoreUnavailableError(`The database is not valid. ${fault}`);
  if (!isPostgresUrl(database)) return openSqliteStore(database, options);
  // Loaded only where it is used, so that a server with a file starts faster.
  const { openPostgresStore } = await import('./postgres/postgres-store');
  return await openPostgresStore(database, options);
}

/** Adds to the error of an open store, if it is unavailable, which database it is. Returns other errors unchanged. */
export function explainStoreError(database: string, error: unknown): unknown {
  return isPostgresUrl(database) ? error : explainUseError(database, error);
}
