import { Announcements } from '@tradepost/domain/events/announcements';
import type { Store } from '../store';
import { createSqliteAccountStore } from './accounts';
import { createSqliteAuditStore } from './audit';
import type { SqliteOptions } from './database';
import { SqliteDatabase } from './database';
import { createSqliteDeliveryStore } from './deliveries';
import { createSqliteDeliveryLogStore } from './delivery-log';
import { createSqliteErasureStore } from './erasure';
import { createSqliteEventStore } from './events';
import { createSqliteListingStore } from './listings';
import { currentSchemaVersion } from './migrate';
import { createSqliteNotificationStore } from './notifications';
import { createSqliteTimelineStore } from './order-timelines';
import { createSqliteOrderStore } from './orders';
import { createSqlitePartnerStore } from './partners';
import { createSqliteRetentionStore } from './retention';
import { createSqliteSecretStore, requireSecretKeys } from './secrets';
import { createSqliteSignInStore } from './sign-ins';
import { translateOpeningError } from './sqlite-errors';
import { createSqliteSummaryStore } from './summaries';
import { createSqliteWebhookStore } from './webhooks';
import { WorkerLocks } from './worker-locks';

/**
 * Opens the store in a SQLite file. Creates the file and migrates its schema if necessary.
 *
 * @param file Path of the file; `:memory:` for a store that ends with the process.
 * @throws StoreUnavailableError if the file cannot be opened, belongs to another program or needs a secret key that is missing.
 */
export function openSqliteStore(file: string, options: SqliteOptions = {}): Store {
  const db = new SqliteDatabase(file, options);
  try {
    if (options.usesSecrets ?? true) requireSecretKeys(db, file);
    return createStore(db);
  } catch (error) {
    void db.close();
    throw translateOpeningError(file, error);
  }
}

/** Creates the store in an open database. */
export function createStore(db: SqliteDatabase): Store {
  const announcements = new Announcements();
  const workers = new WorkerLocks(db.file);
  return {
    schemaVersion: currentSchemaVersion,
    accounts: createSqliteAccountStore(db, announcements),
    signIns: createSqliteSignInStore(db),
    listings: createSqliteListingStore(db),
    orders: createSqliteOrderStore(db, announcements),
    notifications: createSqliteNotificationStore(db),
    webhooks: createSqliteWebhookStore(db, announcements),
    deliveries: createSqliteDeliveryStore(db, workers),
    deliveryLog: createSqliteDeliveryLogStore(db, announcements),
    events: createSqliteEventStore(db),
    partners: createSqlitePartnerStore(db),
    timelines: createSqliteTimelineStore(db),
    summaries: createSqliteSummaryStore(db),
    retention: createSqliteRetentionStore(db),
    secrets: createSqliteSecretStore(db),
    audit: createSqliteAuditStore(db),
    erasure: createSqliteErasureStore(db),
    onDeliveriesQueued: (listener) => announcements.onDeliveriesQueued(listener),
    onEvents: (listener) => announcements.onEvents(listener),
    traceChanges: (tracer) => db.traceChanges(tracer),
    getWriteDelay: () => db.writeDelay,
    check: () => db.check(),
    checkWritable: () => db.checkWritable(),
    async close() {
      await db.close();
      workers.close();
    },
  };
}
