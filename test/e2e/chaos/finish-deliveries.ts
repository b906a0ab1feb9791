import Database from 'better-sqlite3';
import type { Receiver } from '../../helpers/start-receiver';
import { type ServerProcess, startServerProcess } from '../../helpers/start-server-process';

/** The events whose deliveries are in a state, once for each delivery. */
function eventsIn(state: string, database: string): string[] {
  const connection = new Database(database, { readonly: true });
  try {
    const sql = 'SELECT event_id FROM deliveries WHERE state = ? ORDER BY event_id';
    return connection.prepare<[string], string>(sql).pluck().all(state);
  } finally {
    connection.close();
  }
}

/**
 * Stops a server as an operator does and has what it left to do done by the next: what could not be
 * recorded is delivered again, when its lease ends at the latest.
 *
 * @param receiver Where all deliveries go; it acknowledges them.
 * @returns The events that were delivered, in the order of their making, once nothing is pending.
 */
export async function finishDeliveries(
  server: ServerProcess,
  receiver: Receiver,
): Promise<string[]> {
  const { database } = server;
  await server.stop();
  const pending = eventsIn('pending', database);
  if (pending.length > 0) {
    const cameBefore = receiver.arrivals.length;
    const next = await startServerProcess(database);
    await receiver.until((arrivals) => {
      const came = new Set(arrivals.slice(cameBefore).map(({ headers }) => headers['webhook-id']));
      return pending.every((event) => came.has(event));
    });
    await next.stop();
  }
  return eventsIn('delivered', database);
}
