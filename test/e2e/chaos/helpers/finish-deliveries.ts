import Database from 'better-sqlite3';
import type { Receiver } from '../../../helpers/start-receiver';
import { type ServerProcess, startServerProcess } from '../../../helpers/start-server-process';

/** Reads the IDs of the events with deliveries in a state, once for each delivery. */
function readEvents(state: string, database: string): string[] {
  const connection = new Database(database, { readonly: true });
  try {
    const sql = 'SELECT event_id FROM deliveries WHERE state = ? ORDER BY event_id';
    return connection.prepare<[string], string>(sql).pluck().all(state);
  } finally {
    connection.close();
  }
}

/**
 * Stops a server and starts another, which makes the pending deliveries. What could not be recorded is
 * delivered again, at the latest when its lease expires.
 *
 * @param receiver The receiver of all deliveries. It acknowledges them.
 * @returns The IDs of the delivered events, in the order of creation, once nothing is pending.
 */
export async function finishDeliveries(
  server: ServerProcess,
  receiver: Receiver,
): Promise<string[]> {
  const { database } = server;
  await server.stop();
  const pending = readEvents('pending', database);
  if (pending.length > 0) {
    const previousCount = receiver.arrivals.length;
    const next = await startServerProcess(database);
    await receiver.until((arrivals) => {
      const arrived = new Set(
        arrivals.slice(previousCount).map(({ headers }) => headers['webhook-id']),
      );
      return pending.every((event) => arrived.has(event));
    });
    await next.stop();
  }
  return readEvents('delivered', database);
}
