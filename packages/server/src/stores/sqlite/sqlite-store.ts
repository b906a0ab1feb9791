import type { Store } from '../../store';
import { sqliteAccounts } from './accounts';
import { SqliteDatabase } from './database';
import { sqliteDeliveries } from './deliveries';
import { sqliteListings } from './listings';
import { sqliteNotifications } from './notifications';
import { sqliteOrders } from './orders';
import { sqliteWebhooks } from './webhooks';

/**
 * Opens the store in a SQLite file, which is made and brought to the newest schema if need be.
 *
 * @param file Path of the file; `:memory:` for a store that ends with the process.
 * @param options `mustExist` refuses to make the file: for work that makes sense only on what is there.
 * @throws StoreUnavailableError when the file cannot be opened, or is no database of ours.
 */
export function openSqliteStore(file: string, { mustExist = false } = {}): Store {
  const db = new SqliteDatabase(file, mustExist);
  const listeners: (() => void)[] = [];
  const queued = () => {
    for (const listener of listeners) listener();
  };
  return {
    accounts: sqliteAccounts(db),
    listings: sqliteListings(db),
    orders: sqliteOrders(db, queued),
    notifications: sqliteNotifications(db),
    webhooks: sqliteWebhooks(db),
    deliveries: sqliteDeliveries(db),
    onDeliveriesQueued: (listener) => {
      listeners.push(listener);
    },
    close: async () => db.close(),
  };
}
