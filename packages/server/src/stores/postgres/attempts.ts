import {
  type AttemptResult,
  attemptEndedAt,
  maxStoredAttempts,
} from '@tradepost/domain/deliveries/delivery';
import { nextHealth } from '@tradepost/domain/deliveries/endpoint-health';
import { attempts as attemptTable } from '../records/tables';
import type { Transaction } from './database';
import { countNew } from './leases';
import { QueueUnitOfWork } from './queues';
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

/** Records results whose leases are valid, and updates their queues. */
export async function writeResults(
  tx: Transaction,
  results: LeasedResult[],
  now: number,
  newFrom: number,
): Promise<void> {
  const queues = await QueueUnitOfWork.lock(
    tx,
    results.map(({ webhookId }) => webhookId),
  );
  const recorded = await tx.rows<{ id: string; leaseToken: string; counts: boolean }>(
    `UPDATE deliveries SET state = r.state, tries = tries + r.number - attempts, attempts = r.number,
       due_at = r."nextAttemptAt", scheduled_at = $2::bigint, lease_token = NULL, lease_until = NULL,
       finished_at = CASE r.state WHEN 'pending' THEN NULL ELSE $2::bigint END,
       last_status = CASE WHEN r."isAttempt" THEN r.status ELSE last_status END,
       last_error = CASE WHEN r."isAttempt" THEN r.error ELSE last_error END
     FROM json_to_recordset($1::json) AS r (id TEXT, "leaseToken" TEXT, state TEXT, number BIGINT,
       "nextAttemptAt" BIGINT, "isAttempt" BOOLEAN, status BIGINT, error TEXT)
     WHERE deliveries.id = r.id AND deliveries.lease_token = r."leaseToken" AND deliveries.id = ANY ($3::text[])
     RETURNING deliveries.id, r."leaseToken", lease_counts AS counts`,
    JSON.stringify(
      results.map(
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
      ),
    ),
    now,
    results.map(({ result }) => result.deliveryId),
  );
  const found = new Map(recorded.map((row) => [row.id, row]));
  const valid: AttemptResult[] = [];
  for (const { webhookId, leaseToken, result } of results) {
    const { deliveryId } = result;
    const row = found.get(deliveryId);
    const queue = queues.find(webhookId);
    if (row === undefined || row.leaseToken !== leaseToken || queue === undefined) continue;
    // Of two results of one lease, one is recorded.
    found.delete(deliveryId);
    valid.push(result);
    const { attempt, state, nextAttemptAt } = result;
    queues.change(webhookId, {
      inFlight: queue.inFlight - Number(row.counts),
      depth: queue.depth - (state === 'pending' ? 0 : 1),
      ...(attempt !== null && nextHealth(queue, attemptEndedAt(attempt))),
    });
    if (nextAttemptAt !== null) queues.noteDueAt(webhookId, nextAttemptAt);
  }
  // New deliveries wait for five minutes at most. Those that were due before this backoff started have to wait until it ends.
  const inBackoff = queues.all.filter(({ backoffUntil }) => backoffUntil > now);
  await countNew(
    tx,
    queues,
    inBackoff.map(({ webhookId }) => webhookId),
    newFrom,
  );
  const writes = new WriteSet();
  insertAttempts(tx, writes, valid);
  queues.addWrites(writes, now);
  writes.send(tx);
}
