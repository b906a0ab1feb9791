import { SqliteDatabase } from '../../src/stores/sqlite/database';
import { createSqliteDeliveryStore } from '../../src/stores/sqlite/deliveries';
import { createStore } from '../../src/stores/sqlite/sqlite-store';
import type { SimulatedDatabase, StoredDelivery, StoredQueue } from './simulated-database';
import type { SimulatedLocks } from './simulated-locks';

const queueColumns = `depth, in_flight AS inFlight, concurrency_limit AS concurrencyLimit, failures,
  backoff_until AS backoffUntil`;

/** Opens a SQLite database in memory. */
export async function openSqliteDatabase(locks: SimulatedLocks): Promise<SimulatedDatabase> {
  const db = new SqliteDatabase(':memory:');
  const store = createStore(db);
  const deliveries = createSqliteDeliveryStore(db, locks);
  return {
    store,
    hasRealIo: false,
    openWorkerStore: () => deliveries,
    close: () => store.close(),
    state: {
      listPending: async () =>
        db.all<StoredDelivery>(
          `SELECT event_id AS eventId, due_at AS dueAt, lease_until AS leaseUntil, lease_token AS leaseToken
           FROM deliveries WHERE state = 'pending'`,
        ),
      async listFailed() {
        const sql = "SELECT event_id AS eventId FROM deliveries WHERE state = 'failed'";
        return db.all<{ eventId: string }>(sql).map(({ eventId }) => eventId);
      },
      listDeliveries: async () =>
        db.all(
          `SELECT event_id AS eventId, state,
             (SELECT count(*) FROM attempts WHERE delivery_seq = seq) AS attempts FROM deliveries`,
        ),
      listQueues: async () => db.all<StoredQueue>(`SELECT ${queueColumns} FROM queues`),
      findQueue: async (webhookId) =>
        db.get<StoredQueue>(`SELECT ${queueColumns} FROM queues WHERE webhook_id = ?`, webhookId),
    },
  };
}
