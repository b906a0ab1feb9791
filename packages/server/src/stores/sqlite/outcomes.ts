import { endOfAttempt, type Outcome } from '../../deliveries/delivery';
import { healthAfter } from '../../deliveries/endpoint-queue';
import { type Hold, readHold } from './claims';
import type { SqliteDatabase } from './database';
import { ChangingQueues } from './queues';

/** How many outcomes are written in one go, at most: a millisecond's work. */
const atOnce = 16;
/** How many attempts of one delivery are kept: its schedule has about ten, and each replay begins anew. */
const attemptsKept = 100;

/** An outcome, with what its token says. */
export interface HeldOutcome {
  hold: Hold;
  outcome: Outcome;
}

/**
 * Outcomes in portions, a change for each: a commit may be cut between them when somebody waits to write. Those of one
 * endpoint stay together, since each portion reads and writes its queues.
 */
export function portionsOf(outcomes: Outcome[]): HeldOutcome[][] {
  const byWebhook = new Map<string, HeldOutcome[]>();
  for (const outcome of outcomes) {
    const hold = readHold(outcome.token);
    if (hold === null) continue;
    const others = byWebhook.get(hold.webhookId);
    if (others === undefined) byWebhook.set(hold.webhookId, [{ hold, outcome }]);
    else others.push({ hold, outcome });
  }
  const sorted = [...byWebhook.values()].flat();
  const portions: HeldOutcome[][] = [];
  for (let at = 0; at < sorted.length; at += atOnce) portions.push(sorted.slice(at, at + atOnce));
  return portions;
}

const endOfClaim = `state = ?, tries = tries + ? - attempts, attempts = ?, due_at = ?, scheduled_at = ?,
  lease_token = NULL, lease_until = NULL, finished_at = ? WHERE seq = ? AND lease_token = ? AND lease_counts = ?`;
const updateAfterAttempt = `UPDATE deliveries SET last_status = ?, last_error = ?, ${endOfClaim}`;
const updateWithoutAttempt = `UPDATE deliveries SET ${endOfClaim}`;

/** Writes an outcome if its claim stands, and it is one that `counts` or not. For use inside of a write. */
function updateDelivery(
  db: SqliteDatabase,
  { seq, token }: Hold,
  counts: 0 | 1,
  { number, attempt, state, nextAttemptAt }: Outcome,
  now: number,
): boolean {
  const finishedAt = state === 'pending' ? null : now;
  const values = [state, number, number, nextAttemptAt, now, finishedAt, seq, token, counts];
  const changed =
    attempt === null
      ? db.run(updateWithoutAttempt, ...values)
      : db.run(updateAfterAttempt, attempt.status, attempt.error, ...values);
  return changed > 0;
}

/** Writes an outcome, with what it means for its queue, unless its claim stands no more. For use inside of a write. */
function recordOutcome(
  db: SqliteDatabase,
  queues: ChangingQueues,
  { hold, outcome }: HeldOutcome,
  now: number,
): void {
  // Nearly every claim counts: the other kind outlived the worker that made it.
  const counts = ([1, 0] as const).find((kind) => updateDelivery(db, hold, kind, outcome, now));
  if (counts === undefined) return;
  insertAttempt(db, hold.seq, outcome);
  const queue = queues.of(hold.webhookId);
  const { attempt, state } = outcome;
  queues.change(hold.webhookId, {
    inFlight: queue.inFlight - counts,
    depth: queue.depth - (state === 'pending' ? 0 : 1),
    ...(attempt !== null && healthAfter(queue, endOfAttempt(attempt))),
  });
}

function insertAttempt(db: SqliteDatabase, deliverySeq: number, outcome: Outcome): void {
  const { attempt, number } = outcome;
  if (attempt === null) return;
  db.run(
    `INSERT INTO attempts
       (delivery_seq, number, started_at, duration, url, headers, status, error, excerpt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    deliverySeq,
    number,
    attempt.startedAt,
    attempt.duration,
    attempt.url,
    JSON.stringify(attempt.headers),
    attempt.status,
    attempt.error,
    attempt.excerpt,
  );
  if (number <= attemptsKept) return;
  const outlived = number - attemptsKept;
  db.run('DELETE FROM attempts WHERE delivery_seq = ? AND number <= ?', deliverySeq, outlived);
}

/** Writes outcomes, and what they mean for their queues. For use inside of a write. */
export function writeOutcomes(db: SqliteDatabase, outcomes: HeldOutcome[], now: number): void {
  const queues = new ChangingQueues(db);
  for (const outcome of outcomes) recordOutcome(db, queues, outcome, now);
  queues.write(now);
}
