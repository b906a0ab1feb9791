import type { Store } from '../store';
import { openSqliteStore } from '../stores/sqlite/sqlite-store';

/** Opens the store for one piece of work and closes it again, whatever comes of the work; makes it if need be. */
export async function withStore<Result>(
  database: string,
  work: (store: Store) => Promise<Result>,
  options?: { mustExist: boolean },
): Promise<Result> {
  const store = openSqliteStore(database, options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The same for work on what is there already: a misspelt file must not be made and found empty. */
export function withExistingStore<Result>(
  database: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  return withStore(database, work, { mustExist: true });
}
