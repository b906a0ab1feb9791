import { type CopiedTable, type TableDigest, TableHash } from '../copied-tables';
import type { Queries } from './database';

/** How a table is read, in the order of its primary key. */
interface TableQuery {
  key: string[];
  /** Starts with the key. */
  columns: string;
}

/**
 * The columns of each table that a copy fills, in the order of `sqlite/digest-rows.ts`. Written independently of the import, so that
 * a mistake there is found.
 */
const queries: Record<CopiedTable, TableQuery> = {
  accounts: { key: ['id'], columns: 'id, kind, name, created_at' },
  api_keys: {
    key: ['id'],
    columns: `id, account_id, hash, prefix, read_only::int, created_at, expires_at, revoked_at, last_used_at`,
  },
  listings: {
    key: ['id'],
    columns: `id, seller_id, agent_id, available_quantity, supplied_quantity, low_threshold,
      low_stock_notified::int, created_at, title`,
  },
  orders: {
    key: ['id'],
    columns: `id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version, created_at,
      updated_at`,
  },
  tasks: { key: ['id'], columns: 'id, order_id, agent_id, created_at, completed_at' },
  events: { key: ['id'], columns: 'id, event_type, order_id, body, created_at, order_version' },
  account_events: {
    key: ['event_id', 'account_id'],
    columns: 'event_id, account_id, created_at, seq',
  },
  event_logs: { key: ['account_id'], columns: 'account_id, last_seq, pruned_seq' },
  notifications: {
    key: ['id'],
    columns: 'id, account_id, event_id, type, order_id, message, read::int, created_at',
  },
  webhooks: {
    key: ['id'],
    columns: `id, account_id, url, status, secret, staged_secret, staged_at, created_at, updated_at,
      deleted_at`,
  },
  webhook_events: {
    key: ['account_id', 'event_type', 'webhook_id'],
    columns: 'account_id, event_type, webhook_id',
  },
  queues: {
    key: ['webhook_id'],
    columns: `webhook_id, depth, in_flight, paused::int, concurrency_limit, failures, failed_at,
      backoff_until, next_at, due_from`,
  },
  deliveries: {
    key: ['id'],
    columns: `id, event_id, webhook_id, event_type, test::int, state, attempts, tries, due_at, scheduled_at,
      deadline_at, counted::int, lease_token, lease_until, lease_counts::int, last_status, last_error,
      created_at, finished_at, trace_context`,
  },
  attempts: {
    key: ['delivery_id', 'number'],
    columns: `delivery_id, number, started_at, duration_ms, url, headers, status, error, response_snippet`,
  },
  idempotency_keys: {
    key: ['account_id', 'operation', 'key'],
    columns: 'account_id, operation, key, fingerprint, response, expires_at, webhook_id',
  },
};

/** Lists the columns of a table that its digest has. */
export function listColumns(table: CopiedTable): string[] {
  return queries[table].columns.split(/,\s*/).map((column) => column.replace('::int', ''));
}

/** How many rows one query reads. */
const pageSize = 2_000;

/**
 * Computes the digest of a table as it is.
 *
 * @param signal Stops it.
 */
export async function digestRows(
  db: Queries,
  table: CopiedTable,
  signal?: AbortSignal,
): Promise<TableDigest> {
  const { key, columns } = queries[table];
  const select = `SELECT ${columns} FROM ${table}`;
  const order = `ORDER BY ${key.join(', ')} LIMIT ${pageSize}`;
  const parameters = key.map((_, index) => `$${index + 1}`);
  const next = `${select} WHERE (${key.join(', ')}) > (${parameters.join(', ')}) ${order}`;
  const hash = new TableHash();
  let rows = await db.rows<Record<string, unknown>>(`${select} ${order}`);
  for (;;) {
    signal?.throwIfAborted();
    for (const row of rows) hash.add(Object.values(row));
    const last = rows.at(-1);
    if (rows.length < pageSize || last === undefined) return hash.finish();
    rows = await db.rows(next, ...Object.values(last).slice(0, key.length));
  }
}
