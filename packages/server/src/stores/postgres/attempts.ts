import {
  type AttemptResult,
  attemptEndedAt,
  maxStoredAttempts,
} from '@tradepost/domain/deliveries/delivery';
import { nextHealth } from '@tradepost/domain/deliveries/endpoint-health';
import { StatsTally } from '@tradepost/domain/webhooks/stats-counts';
import { attempts as attemptTable } from '../records/tables';
import type { Transaction } from './database';
import { insertFinished } from './delivery-queries';
import { takeSignals } from './leases';
import { QueueUnitOfWork } from './queues';
import { addStats } from './webhook-stats';
import { WriteSet } from './write-set';

/** A result, and its decoded lease token. */
interface LeasedResult {
  webhookId: string;
  leaseToken: string;
  result: AttemptResult;
}

/** PostgreSQL stores no text with this character, which a receiver may send. */
function withoutNull(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

function insertAttempts(
  tx: Transaction,
  writes: WriteSet,
  results: readonly AttemptResult[],
): void {
  const attempts = results.flatMap(({ deliveryId, number, attempt }) =>
    attempt === null
      ? []
      : {
          deliveryId,
          number,
          ...attempt,
          responseSnippet: withoutNull(attempt.responseSnippet),
        },
  );
  writes.insert(attemptTable, attempts);
  for (const { deliveryId, number } of attempts) {
    if (number > maxStoredAttempts) {
      tx.send(
        'DELETE FROM attempts WHERE delivery_id = $1 AND number <= $2',
        deliveryId,
        number - maxStoredAttempts,
      );
    }
  }
}

/** A delivery whose result is recorded. */
interface RecordedDelivery {
  id: string;
  leaseToken: string;
  /** Whether its lease counted towards the concurrency limit. */
  counts: boolean;
}

/** What a statement gets of each result. */
const resultRows = `json_to_recordset($1::json) AS r (id TEXT, "leaseToken" TEXT, state TEXT, number BIGINT,
  "nextAttemptAt" BIGINT, "isAttempt" BOOLEAN, status BIGINT, error TEXT)`;
/** The IDs are passed twice: by the second list, rows are looked up whatever the planner expects of the first one. */
const leased = 'd.id = r.id AND d.lease_token = r."leaseToken" AND d.id = ANY ($3::text[])';
const lastStatus = 'CASE WHEN r."isAttempt" THEN r.status ELSE d.last_status END';
const lastError = 'CASE WHEN r."isAttempt" THEN r.error ELSE d.last_error END';

/** Finished deliveries move to the other table. */
const finish = `WITH done AS (
    DELETE FROM pending_deliveries AS d USING ${resultRows} WHERE ${leased}
    RETURNING d.id, d.event_id, d.webhook_id, d.event_type, d.test, r.state, r.number, d.deadline_at,
      ${lastStatus} AS last_status, ${lastError} AS last_error, d.created_at, d.lease_token, d.lease_counts),
  stored AS (
    ${insertFinished}
    SELECT id, event_id, webhook_id, event_type, test, state, number, deadline_at, last_status,
      last_error, created_at, $2 FROM done)
  SELECT id, lease_token AS "leaseToken", lease_counts AS counts FROM done`;

const postpone = `UPDATE pending_deliveries AS d SET tries = tries + r.number - attempts, attempts = r.number,
    due_at = r."nextAttemptAt", scheduled_at = $2, lease_token = NULL, lease_until = NULL,
    last_status = ${lastStatus}, last_error = ${lastError}
  FROM ${resultRows} WHERE ${leased}
  RETURNING d.id, r."leaseToken", d.lease_counts AS counts`;

/** Ends the leases of deliveries, if they are valid, and stores what became of the deliveries. */
async function endLeases(
  tx: Transaction,
  results: readonly LeasedResult[],
  now: number,
): Promise<RecordedDelivery[]> {
  const run = (statement: string, some: readonly LeasedResult[]) => {
    if (some.length === 0) return [];
    const rows = some.map(
      ({ leaseToken, result: { deliveryId, state, number, nextAttemptAt, attempt } }) => ({
        id: deliveryId,
        leaseToken,
        state,
        number,
        nextAttemptAt,
        isAttempt: attempt !== null,
        status: attempt?.status ?? null,
        error: attempt?.error ?? null,
      }),
    );
    const ids = rows.map(({ id }) => id);
    return tx.rows<RecordedDelivery>(statement, JSON.stringify(rows), now, ids);
  };
  const isPending = ({ result }: LeasedResult) => result.state === 'pending';
  const ended = await Promise.all([
    run(
      finish,
      results.filter((one) => !isPending(one)),
    ),
    run(postpone, results.filter(isPending)),
  ]);
  return ended.flat();
}

/** Records results whose leases are valid, and updates their queues and statistics. */
export async function writeResults(
  tx: Transaction,
  results: LeasedResult[],
  now: number,
  signalsFrom: number,
): Promise<void> {
  const queues = await QueueUnitOfWork.lock(
    tx,
    results.map(({ webhookId }) => webhookId),
  );
  const recorded = await endLeases(tx, results, now);
  const found = new Map(recorded.map((row) => [row.id, row]));
  const valid: AttemptResult[] = [];
  const tally = new StatsTally();
  for (const { webhookId, leaseToken, result } of results) {
    const { deliveryId } = result;
    const row = found.get(deliveryId);
    const queue = queues.find(webhookId);
    if (row === undefined || row.leaseToken !== leaseToken || queue === undefined) continue;
    // Of two results of one lease, one is recorded.
    found.delete(deliveryId);
    valid.push(result);
    const { attempt, state, nextAttemptAt } = result;
    if (attempt !== null) tally.addAttempt(webhookId, attempt);
    if (state !== 'pending') tally.addFinished(webhookId, state, now);
    queues.change(webhookId, {
      inFlight: queue.inFlight - Number(row.counts),
      depth: queue.depth - (state === 'pending' ? 0 : 1),
      ...(attempt !== null && nextHealth(queue, attemptEndedAt(attempt))),
    });
    if (nextAttemptAt !== null) queues.noteDueAt(webhookId, nextAttemptAt);
  }
  // New deliveries wait for five minutes at most. Those that were due before this backoff started have to wait until it ends.
  const inBackoff = queues.all.filter(({ backoffUntil }) => backoffUntil > now);
  await takeSignals(
    tx,
    queues,
    inBackoff.map(({ webhookId }) => webhookId),
    signalsFrom,
  );
  const writes = new WriteSet();
  insertAttempts(tx, writes, valid);
  queues.addWrites(writes, now);
  addStats(writes, tally);
  writes.send(tx);
}
