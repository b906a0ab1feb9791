/** What is known of an order. */
interface KnownOrder {
  status: string;
  /** When the event that says so happened: ISO 8601, UTC. */
  at: string;
}

/** The orders by ID. Replace this map by a table of your database. */
const orders = new Map<string, KnownOrder>();

/** Records a status of an order. Events may arrive in any order: what an older one says is left out. */
export async function recordStatus(orderId: string, { status, at }: KnownOrder): Promise<void> {
  const known = orders.get(orderId);
  if (known === undefined || known.at < at) orders.set(orderId, { status, at });
}

/** Returns the last known status of an order. */
export async function readStatus(orderId: string): Promise<string | undefined> {
  return orders.get(orderId)?.status;
}
