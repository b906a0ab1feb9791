import { Announcements } from '@tradepost/domain/events/announcements';
import type { DomainEvent } from '@tradepost/domain/events/event';
import { StoreUnavailableError } from '@tradepost/domain/kernel/errors';
import type { Store } from '../store';
import { createPostgresAccountStore } from './accounts';
import { createPostgresAuditStore } from './audit';
import { PostgresDatabase, type PostgresOptions } from './database';
import { DatabaseClock } from './database-clock';
import { createPostgresDeliveryStore } from './deliveries';
import { createPostgresDeliveryLogStore } from './delivery-log';
import { createPostgresErasureStore } from './erasure';
import { createPostgresEventStore } from './events';
import { GroupCommit } from './group-commit';
import { createPostgresListingStore } from './listings';
import { currentSchemaVersion, migrate, requireKnownSchema, requireMigrated } from './migrate';
import { createPostgresNotificationStore } from './notifications';
import { createPostgresTimelineStore } from './order-timelines';
import { createPostgresOrderStore } from './orders';
import { createPostgresPartnerStore } from './partners';
import { translateOpeningError } from './postgres-errors';
import { createPostgresRetentionStore } from './retention';
import { createPostgresSecretStore, requireSecretKeys } from './secrets';
import { createPostgresSignInStore } from './sign-ins';
import { createPostgresSummaryStore } from './summaries';
import { createPostgresWebhookStore } from './webhooks';
import { WorkerLocks } from './worker-locks';

/**
 * Opens the store in a PostgreSQL database, which must exist. Creates its tables and migrates them if necessary. Any number of
 * processes may use it.
 *
 * @param url The URL of the database, such as `postgres://tradepost@db.example/tradepost`.
 * @throws StoreUnavailableError if it cannot be opened, belongs to another program or needs a secret key that is missing.
 */
export async function openPostgresStore(
  url: string,
  options: PostgresOptions = {},
): Promise<Store> {
  const db = new PostgresDatabase(url, options);
  try {
    await prepareSchema(db, options);
    if (options.usesSecrets ?? true) await requireSecretKeys(db);
    return createStore(db, await DatabaseClock.start(db));
  } catch (error) {
    await db.close();
    throw translateOpeningError(url, error);
  }
}

/** Creates or migrates the tables, or checks that they are there. */
async function prepareSchema(
  db: PostgresDatabase,
  { mayMigrate = true, mustExist = false }: PostgresOptions,
): Promise<void> {
  const schema = { mayBeNewer: true };
  const version = await requireKnownSchema(db, schema);
  // An empty database has no servers of an older version.
  if (mayMigrate || (version === 0 && !mustExist)) await migrate(db, schema);
  else await requireMigrated(db, schema);
}

/** Creates the store in an open database. */
function createStore(db: PostgresDatabase, clock: DatabaseClock): Store {
  const announcements = new Announcements();
  const groups = new GroupCommit(db);
  const workers = new WorkerLocks(db);
  const deliveries = createPostgresDeliveryStore(db, workers);
  const notifyEvents = (events: DomainEvent[], queued: number) => {
    for (const { createdAt } of queued > 0 ? events : []) deliveries.noteQueued(createdAt);
    announcements.notifyEvents(events, queued);
  };
  return {
    clock,
    schemaVersion: currentSchemaVersion,
    isShared: true,
    accounts: createPostgresAccountStore(db, () => announcements.notifyDeliveriesQueued()),
    signIns: createPostgresSignInStore(db),
    listings: createPostgresListingStore(db),
    orders: createPostgresOrderStore(db, groups, notifyEvents),
    notifications: createPostgresNotificationStore(db, groups),
    webhooks: createPostgresWebhookStore(
      db,
      () => announcements.notifyDeliveriesQueued(),
      notifyEvents,
    ),
    deliveries,
    deliveryLog: createPostgresDeliveryLogStore(db, groups, () =>
      announcements.notifyDeliveriesQueued(),
    ),
    events: createPostgresEventStore(db),
    partners: createPostgresPartnerStore(db),
    timelines: createPostgresTimelineStore(db),
    summaries: createPostgresSummaryStore(db),
    retention: createPostgresRetentionStore(db),
    secrets: createPostgresSecretStore(db),
    audit: createPostgresAuditStore(db),
    erasure: createPostgresErasureStore(db),
    onDeliveriesQueued: (listener) => announcements.onDeliveriesQueued(listener),
    onEvents: (listener) => announcements.onEvents(listener),
    traceChanges: (tracer) => db.traceChanges(tracer),
    getWriteDelay: () => db.pending.delay,
    getConnectionStatus: () => db.connectionStatus,
    async check() {
      await db.row('SELECT 1');
    },
    async checkWritable() {
      // Locking a row writes to the log of the database, and is rejected by a standby. A migration does not wait for this lock.
      const row = await db.write((tx) =>
        tx.row('SELECT version FROM tradepost_schema FOR KEY SHARE'),
      );
      if (row === undefined)
        throw new StoreUnavailableError('The table tradepost_schema is empty.');
    },
    async close() {
      clock.stop();
      await groups.settled();
      await workers.close();
      await db.close();
    },
  };
}
