import { PostgresDatabase } from '../../src/stores/postgres/database';
import { createPostgresDeliveryStore } from '../../src/stores/postgres/deliveries';
import { allDeliveries } from '../../src/stores/postgres/delivery-queries';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store';
import type { WorkerLocks } from '../../src/stores/postgres/worker-locks';
import type { ReusedDatabases } from '../helpers/postgres';
import type { OpenDatabase, StoredDelivery, StoredQueue } from './simulated-database';
import type { SimulatedLocks } from './simulated-locks';

const queueColumns = `(depth + (
    SELECT coalesce(sum(deliveries), 0) FROM queue_signals AS s WHERE s.webhook_id = queues.webhook_id))::bigint AS depth,
  in_flight AS "inFlight", concurrency_limit AS "concurrencyLimit", failures,
  backoff_until AS "backoffUntil"`;

/** Shows which simulated workers are alive, as the sessions of real ones do. Each has its row. */
class SimulatedSessions
  implements Pick<WorkerLocks, 'register' | 'unregister' | 'findEnded' | 'remove'>
{
  readonly #db: PostgresDatabase;
  readonly #locks: SimulatedLocks;

  constructor(db: PostgresDatabase, locks: SimulatedLocks) {
    this.#db = db;
    this.#locks = locks;
  }

  async register(): Promise<string> {
    const id = this.#locks.register();
    const sql = "INSERT INTO workers (id, lock_key, server_run) VALUES ($1, 0, 'simulated')";
    await this.#db.write((tx) => tx.run(sql, id));
    return id;
  }

  async unregister(id: string): Promise<void> {
    await this.remove([id]);
    this.#locks.unregister(id);
  }

  async findEnded(): Promise<string[]> {
    return this.#locks.ended;
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#db.write((tx) => tx.run('DELETE FROM workers WHERE id = ANY ($1::text[])', ids));
    for (const id of ids) this.#locks.remove(id);
  }
}

/** Returns a function that opens PostgreSQL databases, which are used again. Each worker has a store of its own, as in a process. */
export function openPostgresDatabases(databases: ReusedDatabases): OpenDatabase {
  return async (locks) => {
    const { url, remove } = await databases.take();
    const store = await openPostgresStore(url);
    const db = new PostgresDatabase(url);
    const sessions = new SimulatedSessions(db, locks);
    return {
      store,
      hasRealIo: true,
      openWorkerStore: () => createPostgresDeliveryStore(db, sessions),
      async close() {
        await db.close();
        await store.close();
        await remove();
      },
      state: {
        listPending: () =>
          db.rows<StoredDelivery>(
            `SELECT event_id AS "eventId", lease_until AS "leaseUntil", lease_token AS "leaseToken",
               CASE WHEN lease_until IS NULL THEN coalesce(due_at, created_at) END AS "dueAt"
             FROM pending_deliveries`,
          ),
        async listFailed() {
          const sql = `SELECT event_id AS "eventId" FROM deliveries WHERE state = 'failed'`;
          return (await db.rows<{ eventId: string }>(sql)).map(({ eventId }) => eventId);
        },
        listDeliveries: () =>
          db.rows(
            `SELECT event_id AS "eventId", state,
               (SELECT count(*) FROM attempts WHERE delivery_id = id) AS attempts
             FROM ${allDeliveries} AS d`,
          ),
        listQueues: () => db.rows<StoredQueue>(`SELECT ${queueColumns} FROM queues`),
        findQueue: (webhookId) =>
          db.row<StoredQueue>(
            `SELECT ${queueColumns} FROM queues WHERE webhook_id = $1`,
            webhookId,
          ),
      },
    };
  };
}
