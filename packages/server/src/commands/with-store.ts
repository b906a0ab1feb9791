import type { Store } from '../store';
import { openSqliteStore } from '../stores/sqlite/sqlite-store';

/** Opens the store for one piece of work and closes it again, whatever comes of the work. */
export async function withStore<Result>(
  database: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = openSqliteStore(database);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
