import type Database from 'better-sqlite3';
import { type CopiedTable, type TableDigest, TableHash } from '../copied-tables';
import { selectEventLogs } from './events';

/**
 * Reads each table in the order of the primary key of PostgreSQL, with the columns of `postgres/digest-rows.ts` in its order. Written
 * independently of the export, so that a mistake there is found.
 */
const queries: Record<CopiedTable, string> = {
  accounts: 'SELECT id, kind, name, created_at FROM accounts ORDER BY id',
  api_keys: `SELECT id, account_id, hash, prefix, read_only, created_at, expires_at, revoked_at, last_used_at
    FROM api_keys ORDER BY id`,
  listings: `SELECT id, seller_id, agent_id, available_quantity, supplied_quantity, low_threshold, low_stock_notified,
      created_at, title
    FROM listings ORDER BY id`,
  orders: `SELECT id, status, buyer_id, seller_id, agent_id, listing_id, quantity, version, created_at, updated_at
    FROM orders ORDER BY id`,
  tasks: 'SELECT id, order_id, agent_id, created_at, completed_at FROM tasks ORDER BY id',
  events:
    'SELECT id, event_type, order_id, body, created_at, order_version FROM events ORDER BY id',
  account_events: `SELECT event_id, account_id, coalesce((SELECT created_at FROM events WHERE id = event_id), 0), seq
    FROM account_events ORDER BY event_id, account_id`,
  event_logs: selectEventLogs,
  notifications: `SELECT id, account_id, event_id, type, order_id, message, read, created_at
    FROM notifications ORDER BY id`,
  webhooks: `SELECT id, account_id, url, status, secret, staged_secret, staged_at, created_at, updated_at, deleted_at
    FROM webhooks ORDER BY id`,
  webhook_events: `SELECT account_id, event_type, webhook_id FROM webhook_events
    ORDER BY account_id, event_type, webhook_id`,
  queues: `SELECT webhook_id, depth, in_flight, paused, concurrency_limit, failures, failed_at, backoff_until, next_at, 0
    FROM queues ORDER BY webhook_id`,
  deliveries: `SELECT id, event_id, webhook_id, event_type, test, state, attempts, tries, due_at, scheduled_at,
      deadline_at, 1, lease_token, lease_until, lease_counts, last_status, last_error, created_at,
      finished_at, trace_context
    FROM deliveries ORDER BY id`,
  attempts: `SELECT deliveries.id, number, started_at, duration_ms, url, headers, status, error, response_snippet
    FROM deliveries JOIN attempts ON attempts.delivery_seq = deliveries.seq
    ORDER BY deliveries.id, number`,
  idempotency_keys: `SELECT account_id, operation, key, fingerprint, response, expires_at, webhook_id
    FROM idempotency_keys ORDER BY account_id, operation, key`,
};

/** After how many rows other work gets a turn: a few milliseconds. */
const rowsPerTurn = 2_000;

/** Returns a value as PostgreSQL has it: it replaces the one character that it does not store. */
function toComparable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0')
    ? value.split('\0').join('\uFFFD')
    : value;
}

/**
 * Computes the digest of a table, as PostgreSQL should have it.
 *
 * @param pause Called between rows, so that other work gets a turn.
 */
export async function digestRows(
  connection: Database.Database,
  table: CopiedTable,
  pause: () => Promise<void>,
): Promise<TableDigest> {
  const hash = new TableHash();
  let count = 0;
  for (const row of connection.prepare<[], unknown[]>(queries[table]).raw().iterate()) {
    hash.add(row.map(toComparable));
    count += 1;
    if (count % rowsPerTurn === 0) await pause();
  }
  await pause();
  return hash.finish();
}
