import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { orderCreatedBody, type TradingAccounts } from './trading-accounts';

/** How many deliveries one statement writes. */
const batchSize = 20_000;
/** How many deliveries a worker leases at a time: the more, the fewer updates of the queues. */
const claimSize = 64;
/** The concurrency limit of endpoints that have responded for long. */
const concurrencyLimit = 32;
/** The time between two events, and the duration of a delivery, in milliseconds. */
const intervalMs = 10;
const durationMs = 50;
const leaseMs = 25_000;
const retryWindowMs = 24 * 60 * 60 * 1000;

/** What to add to a PostgreSQL database. */
export interface FilledDeliveries {
  /** How many deliveries were delivered, with one attempt each. */
  delivered: number;
  /** How many came after these and are due. */
  queued: number;
}

/** Indexes that no claim searches: they are created again afterwards, which takes a third of the time of adding to them. */
const unsearched = ['deliveries_of_webhook', 'deliveries_of_event'];

/** Events by their numbers, one every few milliseconds. Each has a delivery for each webhook. */
interface Batch {
  firstAt: number;
  from: number;
  to: number;
}

const prefix = '01BENCH0000';
const padded = (number: string) => `lpad((${number})::text, 15, '0')`;
const at = `($1::bigint + event * ${intervalMs})`;
const eventId = `'evt_${prefix}' || ${padded('event')}`;

const addEvents = `INSERT INTO events (id, event_type, order_id, body, created_at)
  SELECT ${eventId}, 'order.created', $4, $5, ${at} FROM generate_series($2::bigint, $3::bigint) AS event`;

const addDeliveries = `INSERT INTO pending_deliveries (id, event_id, webhook_id, event_type, test, attempts, tries,
    deadline_at, lease_counts, created_at)
  SELECT 'dlv_${prefix}' || ${padded('event * cardinality($4::text[]) + place - 1')}, ${eventId}, webhook_id,
    'order.created', FALSE, 0, 0, ${at} + ${retryWindowMs}, FALSE, ${at}
  FROM generate_series($2::bigint, $3::bigint) AS event
    CROSS JOIN unnest($4::text[]) WITH ORDINALITY AS webhook (webhook_id, place)
  ORDER BY event, place`;

const ofBatch = `id BETWEEN 'dlv_${prefix}' || ${padded('$1::bigint')} AND 'dlv_${prefix}' || ${padded('$2::bigint')}`;

const lease = `UPDATE pending_deliveries SET lease_until = created_at + ${leaseMs}, lease_token = $3,
    lease_counts = TRUE
  WHERE ${ofBatch}`;

const record = `WITH recorded AS (
    DELETE FROM pending_deliveries WHERE ${ofBatch} RETURNING *),
  finished AS (
    INSERT INTO deliveries (id, event_id, webhook_id, event_type, test, state, attempts, deadline_at,
      last_status, created_at, finished_at)
    SELECT id, event_id, webhook_id, event_type, test, 'delivered', 1, deadline_at, 204, created_at,
      created_at + ${durationMs} FROM recorded)
  INSERT INTO attempts (delivery_id, number, started_at, duration_ms, url, headers, status, error, response_snippet)
  SELECT id, 1, created_at, ${durationMs}, 'http://127.0.0.1/deliveries', '{}', 204, NULL, '' FROM recorded`;

/**
 * Updates the queues as often as workers do for a number of deliveries: when they lease them and when they record results. Like
 * the store, it finds the rows by their index, which passes over dead ones.
 */
const updateQueues = (claims: number, now: number) => `DO $$ BEGIN
  FOR claim IN 1..${claims} LOOP
    UPDATE queues SET in_flight = in_flight + 1, next_at = ${now} + claim, due_from = ${now} + claim
    WHERE webhook_id > '';
    COMMIT;
    UPDATE queues SET in_flight = in_flight - 1, next_at = NULL, due_from = ${now} + claim
    WHERE webhook_id > '';
    COMMIT;
  END LOOP; END $$`;

const finishQueues = `UPDATE queues SET depth = $1, concurrency_limit = ${concurrencyLimit},
  next_at = CASE WHEN $2 THEN $3::bigint END, due_from = $3`;

/**
 * Adds deliveries for all webhooks of a seller by the statements of the store, for many at once. The last one is due now. Nothing
 * else may be queued in the database.
 */
export async function fillDeliveries(
  url: string,
  trade: TradingAccounts,
  { delivered, queued }: FilledDeliveries,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const webhooks = trade.webhooks.map(({ id }) => id);
  const perWebhook = Math.floor((delivered + queued) / webhooks.length);
  const firstQueued = Math.floor(delivered / webhooks.length);
  const now = Date.now();
  const firstAt = now - perWebhook * intervalMs;
  const body = orderCreatedBody(trade, trade.orders[0] ?? '', now);

  async function add({ from, to }: Batch): Promise<[first: number, last: number]> {
    await client.query(addEvents, [firstAt, from, to, trade.orders[0], body]);
    await client.query(addDeliveries, [firstAt, from, to, webhooks]);
    return [from * webhooks.length, (to + 1) * webhooks.length - 1];
  }
  function* batches(from: number, to: number): Generator<Batch> {
    const size = Math.ceil(batchSize / webhooks.length);
    for (let next = from; next < to; next += size) {
      yield { firstAt, from: next, to: Math.min(next + size, to) - 1 };
    }
  }
  try {
    const { rows: indexes } = await client.query<{ definition: string }>(
      'SELECT indexdef AS definition FROM pg_indexes WHERE indexname = ANY ($1)',
      [unsearched],
    );
    // The table of queues is so small that PostgreSQL would read it as a whole, with all its dead rows.
    await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
    await client.query(`DROP INDEX ${unsearched.join(', ')}`);
    for (const batch of batches(0, firstQueued)) {
      const range = await add(batch);
      await client.query(lease, [...range, `${randomUUID()}.${randomUUID()}`]);
      await client.query(record, range);
      const claims = Math.ceil((range[1] - range[0] + 1) / claimSize);
      await client.query(updateQueues(claims, firstAt + batch.from * intervalMs));
    }
    for (const batch of batches(firstQueued, perWebhook)) {
      await add(batch);
    }
    for (const { definition } of indexes) await client.query(definition);
    const left = perWebhook - firstQueued;
    await client.query(finishQueues, [left, left > 0, firstAt + firstQueued * intervalMs]);
  } finally {
    await client.end();
  }
}
