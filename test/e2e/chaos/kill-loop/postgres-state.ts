import pg from 'pg';
import type { RecordedState } from './recorded-state';

const allDeliveries = `(SELECT id, event_id, webhook_id, 'pending' AS state, attempts FROM pending_deliveries
  UNION ALL SELECT id, event_id, webhook_id, state, attempts FROM deliveries)`;

/** Selects the rows of a table that refer to a missing row of another one. */
function selectOrphans(table: string, column: string, other: string): string {
  return `SELECT '${table}' AS kind, ${column} AS missing FROM ${table}
    WHERE NOT EXISTS (SELECT 1 FROM ${other} AS other WHERE other.id = ${table}.${column})`;
}

/** Queries that find inconsistent rows, and what is wrong with them. */
const consistencyChecks: [fault: string, sql: string][] = [
  [
    'Queues count other deliveries than there are',
    `SELECT q.webhook_id, q.depth, q.in_flight, s.signalled, d.pending, d.leased
     FROM queues AS q JOIN LATERAL (
       SELECT count(*) AS pending,
         count(*) FILTER (WHERE lease_token IS NOT NULL AND lease_counts) AS leased
       FROM pending_deliveries WHERE webhook_id = q.webhook_id) AS d ON TRUE
       JOIN LATERAL (
         SELECT coalesce(sum(deliveries), 0) AS signalled
         FROM queue_signals WHERE webhook_id = q.webhook_id) AS s ON TRUE
     WHERE q.depth + s.signalled <> d.pending OR q.in_flight <> d.leased`,
  ],
  [
    'Deliveries count other attempts than were recorded',
    `SELECT d.id, d.attempts, count(a.number) AS recorded
     FROM ${allDeliveries} AS d LEFT JOIN attempts AS a ON a.delivery_id = d.id
     GROUP BY d.id, d.attempts HAVING d.attempts <> count(a.number)`,
  ],
  [
    'Rows refer to missing ones',
    [
      selectOrphans('tasks', 'order_id', 'orders'),
      selectOrphans('events', 'order_id', 'orders'),
      selectOrphans('account_events', 'event_id', 'events'),
      selectOrphans('deliveries', 'event_id', 'events'),
      selectOrphans('pending_deliveries', 'event_id', 'events'),
      selectOrphans('attempts', 'delivery_id', allDeliveries),
    ].join(' UNION ALL '),
  ],
];

/** Checks all indexes against their tables. Source: PostgreSQL, "amcheck". */
const checkIndexes = `SELECT bt_index_check(c.oid, TRUE) FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND i.indisvalid`;

async function withConnection<Result>(
  url: string,
  read: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await read(client);
  } finally {
    await client.end();
  }
}

async function findFaults(client: pg.Client): Promise<string[]> {
  const faults: string[] = [];
  for (const [fault, sql] of consistencyChecks) {
    const { rows } = await client.query(sql);
    if (rows.length > 0) faults.push(`${fault}: ${JSON.stringify(rows.slice(0, 5))}`);
  }
  return faults;
}

/** Reads the recorded state as of one instant. */
export function readPostgresState(url: string): Promise<RecordedState> {
  return withConnection(url, async (client) => {
    const all = async <Row>(sql: string) => (await client.query(sql)).rows as Row[];
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return {
      orders: await all(
        `SELECT id, status, buyer_id AS "buyerId", seller_id AS "sellerId", agent_id AS "agentId",
           listing_id AS "listingId", quantity::int AS quantity FROM orders`,
      ),
      events: await all(
        'SELECT id, event_type AS type, order_id AS "orderId", body FROM events ORDER BY id',
      ),
      notifications: await all(
        'SELECT event_id AS "eventId", account_id AS "accountId" FROM notifications',
      ),
      deliveries: await all(
        `SELECT event_id AS "eventId", webhook_id AS "webhookId", state, attempts::int AS attempts
         FROM ${allDeliveries} AS d`,
      ),
      listings: await all('SELECT id, available_quantity::int AS available FROM listings'),
      faults: await findFaults(client),
    };
  });
}

/** Returns what is wrong with the files of a database, one sentence each. */
export function checkPostgresFiles(url: string): Promise<string[]> {
  return withConnection(url, async (client) => {
    await client.query('CREATE EXTENSION IF NOT EXISTS amcheck');
    return await client.query(checkIndexes).then(
      () => [],
      (error: unknown) => [`The check of the indexes says: ${error}`],
    );
  });
}

async function count(url: string, sql: string): Promise<number> {
  return await withConnection(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count ${sql}`);
    return rows[0]?.count ?? 0;
  });
}

/**
 * Returns how many workers are registered, including those that died and whose leases were not released yet, and how many of them
 * hold the lock that shows that they live.
 */
export function countWorkers(url: string): Promise<{ registered: number; locked: number }> {
  return withConnection(url, async (client) => {
    const { rows } = await client.query<{ registered: number; locked: number }>(
      `SELECT count(*)::int AS registered, count(*) FILTER (WHERE EXISTS (
         SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
           AND (classid::bigint << 32) | objid::bigint = lock_key))::int AS locked
       FROM workers`,
    );
    return rows[0] ?? { registered: 0, locked: 0 };
  });
}

/** Returns how many deliveries are pending. */
export function countPending(url: string): Promise<number> {
  return count(url, 'FROM pending_deliveries');
}
