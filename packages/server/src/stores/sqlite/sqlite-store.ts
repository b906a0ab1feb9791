import type { Store } from '../../store';
import { Announcements } from '../announcements';
import { sqliteAccounts } from './accounts';
import { SqliteDatabase } from './database';
import { sqliteDeliveries } from './deliveries';
import { sqliteDeliveryLog } from './delivery-log';
import { sqliteEvents } from './events';
import { sqliteListings } from './listings';
import { sqliteNotifications } from './notifications';
import type { SqliteOptions } from './open-connection';
import { sqliteOrders } from './orders';
import { sqliteRetention } from './retention';
import { sqliteWebhooks } from './webhooks';

/**
 * Opens the store in a SQLite file, which is made and brought to the newest schema if need be.
 *
 * @param file Path of the file; `:memory:` for a store that ends with the process.
 * @throws StoreUnavailableError when the file cannot be opened, or is no database of ours.
 */
export function openSqliteStore(file: string, options: SqliteOptions = {}): Store {
  return storeIn(new SqliteDatabase(file, options));
}

/** The store in a database that is open. */
export function storeIn(db: SqliteDatabase): Store {
  const announcements = new Announcements();
  const queued = () => announcements.deliveriesQueued();
  return {
    accounts: sqliteAccounts(db),
    listings: sqliteListings(db),
    orders: sqliteOrders(db, (events, deliveries) => announcements.happened(events, deliveries)),
    notifications: sqliteNotifications(db),
    webhooks: sqliteWebhooks(db, queued),
    deliveries: sqliteDeliveries(db),
    deliveryLog: sqliteDeliveryLog(db, queued),
    events: sqliteEvents(db),
    retention: sqliteRetention(db),
    onDeliveriesQueued: (listener) => announcements.onDeliveriesQueued(listener),
    onEvents: (listener) => announcements.onEvents(listener),
    check: () => db.check(),
    close: () => db.close(),
  };
}
