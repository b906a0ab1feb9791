import type { ClaimedDelivery } from '../../deliveries/delivery';
import type { SqliteDatabase } from './database';
import { ChangingQueues, selectReadyQueues } from './queues';

/** Among how many queues a claim is shared at most: a look into each costs too, and the others come next. */
const servedAtOnce = 16;

type DueRow = [
  seq: number,
  id: string,
  eventId: string,
  attempts: number,
  tries: number,
  deadlineAt: number,
  createdAt: number,
  test: number,
  body: string,
];

interface EndpointRow {
  url: string;
  secret: string;
  staged_secret: string | null;
}

/** What a claimed delivery's token says: which row is held, of which queue, by which claim. */
export interface Hold {
  seq: number;
  webhookId: string;
  /** The claim's own token, as the row has it. */
  token: string;
}

function writeHold({ seq, webhookId, token }: Hold): string {
  return `${seq}:${webhookId}:${token}`;
}

/** Reads the token of a claimed delivery; null when it is none. */
export function readHold(text: string): Hold | null {
  const { length, 0: seq, 1: webhookId, 2: token } = text.split(':');
  if (length !== 3 || webhookId === undefined || token === undefined) return null;
  return { seq: Number(seq), webhookId, token };
}

/** Puts back what a worker was given and never told of: its lease is over. For use inside of a write. */
export function releaseOverdueLeases(db: SqliteDatabase, now: number): void {
  const released = db.all<{ webhook_id: string; lease_counts: number }>(
    `UPDATE deliveries SET due_at = lease_until, scheduled_at = lease_until, lease_token = NULL,
       lease_until = NULL
     WHERE lease_until <= ? RETURNING webhook_id, lease_counts`,
    now,
  );
  if (released.length === 0) return;
  const queues = new ChangingQueues(db);
  for (const { webhook_id: id, lease_counts: counts } of released) {
    queues.change(id, { inFlight: queues.of(id).inFlight - counts });
  }
  queues.write(now);
}

function selectEndpoint(db: SqliteDatabase, webhookId: string): EndpointRow {
  const row = db.get<EndpointRow>(
    'SELECT url, secret, staged_secret FROM webhooks WHERE id = ?',
    webhookId,
  );
  if (row === undefined) throw new Error(`There is no webhook ${webhookId} for its queue.`);
  return row;
}

function selectDue(db: SqliteDatabase, webhookId: string, now: number, limit: number): DueRow[] {
  return db.tuples<DueRow>(
    `SELECT deliveries.seq, deliveries.id, deliveries.event_id, deliveries.attempts, deliveries.tries,
       deliveries.deadline_at, deliveries.created_at, deliveries.test, events.body
     FROM deliveries JOIN events ON events.id = deliveries.event_id
     WHERE deliveries.webhook_id = ? AND deliveries.due_at <= ?
     ORDER BY deliveries.due_at, deliveries.seq LIMIT ?`,
    webhookId,
    now,
    limit,
  );
}

/** What a worker asks for. All times are milliseconds since 1970. */
export interface ClaimRequest {
  now: number;
  leaseUntil: number;
  token: string;
  limit: number;
}

/** Takes what is due from one queue, `room` deliveries at most. For use inside of a write. */
function claimFrom(
  db: SqliteDatabase,
  webhookId: string,
  room: number,
  { now, leaseUntil, token }: ClaimRequest,
): ClaimedDelivery[] {
  const rows = selectDue(db, webhookId, now, room);
  if (rows.length === 0) return [];
  const { url, secret, staged_secret: stagedSecret } = selectEndpoint(db, webhookId);
  for (const [seq] of rows) {
    db.run(
      `UPDATE deliveries SET due_at = NULL, lease_until = ?, lease_token = ?, lease_counts = 1
       WHERE seq = ?`,
      leaseUntil,
      token,
      seq,
    );
  }
  return rows.map(([seq, id, eventId, attempts, tries, deadlineAt, createdAt, test, body]) => ({
    id,
    eventId,
    token: writeHold({ seq, webhookId, token }),
    attempts,
    tries,
    deadlineAt,
    createdAt,
    test: test === 1,
    webhookId,
    url,
    secret,
    stagedSecret,
    body,
  }));
}

/**
 * Takes what is due, from each queue that is ready its share of `limit`, and no more than `most` in all. For use
 * inside of a write.
 */
export function claimDue(
  db: SqliteDatabase,
  request: ClaimRequest,
  most: number,
): ClaimedDelivery[] {
  const { now, limit } = request;
  const ready = selectReadyQueues(db, now, limit);
  const share = Math.max(1, Math.floor(limit / Math.min(ready.length, servedAtOnce)));
  const queues = new ChangingQueues(db);
  const claimed: ClaimedDelivery[] = [];
  for (const webhookId of ready) {
    const left = most - claimed.length;
    if (left === 0) break;
    const { allowance, inFlight } = queues.of(webhookId);
    const room = Math.max(0, Math.min(share, allowance - inFlight, left));
    const taken = claimFrom(db, webhookId, room, request);
    claimed.push(...taken);
    queues.change(webhookId, { inFlight: inFlight + taken.length });
  }
  queues.write(now);
  return claimed;
}
