import { explainStoreError, openStore, type StoreOptions } from '../stores/open-store';
import type { Store } from '../stores/store';

/**
 * Opens a store for one task and closes it afterwards. Creates the file or the tables if necessary, but does not migrate existing
 * ones: servers of an older version may use them.
 *
 * @throws StoreUnavailableError whose message names the database, also if it fails after it was opened.
 * @param options Whether the database must exist, whether it is only read, and the secret keys of a task that reads or writes endpoint secrets.
 */
export async function withStore<Result>(
  database: string,
  work: (store: Store) => Promise<Result>,
  options: Pick<StoreOptions, 'mustExist' | 'secretKeys' | 'readOnly'> = {},
): Promise<Result> {
  const usesSecrets = options.secretKeys !== undefined;
  const mustExist = options.mustExist ?? options.readOnly ?? false;
  const store = await openStore(database, {
    ...options,
    mustExist,
    usesSecrets,
    mayMigrate: false,
    maxConnections: 2,
  });
  try {
    return await work(store);
  } catch (error) {
    throw explainStoreError(database, error);
  } finally {
    await store.close();
  }
}

/** Like `withStore`, but fails if the database does not exist, so that a misspelled path is not created. */
export function withExistingStore<Result>(
  database: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return withStore(database, work, { mustExist: true });
}

/** Like `withExistingStore`, for a task that only reads. The database may be a backup or read-only, and is not changed in any way. */
export function withStoreToRead<Result>(
  database: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return withStore(database, work, { readOnly: true });
}
