import { dueAhead, leaseMs } from '@tradepost/domain/deliveries/delivery';
import type { Transaction } from './database';
import { QueueUnitOfWork, selectFirstDueAt, setDueTimes } from './queues';

/** The worker of a lease, as it is part of the token. */
const workerOfLease = "split_part(lease_token, '.', 1)";

/**
 * Releases all leases of workers, none of which can record a result any more. Their deliveries are due ahead of their queues, as
 * they were when they were leased.
 *
 * @returns How many leases were released.
 */
export async function releaseLeasesOfWorkers(
  tx: Transaction,
  workers: string[],
  now: number,
): Promise<number> {
  const found = await tx.rows<{ webhookId: string }>(
    `SELECT DISTINCT webhook_id AS "webhookId" FROM pending_deliveries
     WHERE lease_until IS NOT NULL AND ${workerOfLease} = ANY ($1::text[])`,
    workers,
  );
  if (found.length === 0) return 0;
  const queues = await QueueUnitOfWork.lock(
    tx,
    found.map(({ webhookId }) => webhookId),
  );
  const leases = await tx.rows<{
    id: string;
    webhookId: string;
    leaseUntil: number;
    counts: boolean;
  }>(
    `SELECT id, webhook_id AS "webhookId", lease_until AS "leaseUntil", lease_counts AS counts
     FROM pending_deliveries WHERE lease_until IS NOT NULL AND ${workerOfLease} = ANY ($1::text[])
       AND webhook_id = ANY ($2::text[])`,
    workers,
    queues.all.map(({ webhookId }) => webhookId),
  );
  const first = new Map<string, number>();
  const released: { id: string; dueAt: number; scheduledAt: number }[] = [];
  for (const { id, webhookId, leaseUntil, counts } of leases) {
    const queue = queues.get(webhookId);
    const head = first.get(webhookId) ?? dueAhead(await selectFirstDueAt(tx, queue), now);
    first.set(webhookId, head);
    const dueAt = Math.min(now, leaseUntil - leaseMs, head);
    released.push({ id, dueAt, scheduledAt: dueAt });
    queues.change(webhookId, { inFlight: queue.inFlight - Number(counts) });
    queues.noteDueAt(webhookId, dueAt);
  }
  setDueTimes(tx, released);
  queues.write(tx, now);
  return released.length;
}

/**
 * Releases all leases, like `releaseLeasesOfWorkers`. No worker may use the database.
 *
 * @returns How many leases were released.
 */
export async function releaseAllLeases(tx: Transaction, now: number): Promise<number> {
  const workers = await tx.rows<{ id: string }>(
    `SELECT DISTINCT ${workerOfLease} AS id FROM pending_deliveries WHERE lease_until IS NOT NULL`,
  );
  return await releaseLeasesOfWorkers(
    tx,
    workers.map(({ id }) => id),
    now,
  );
}

/** Leases that no known worker has no longer count towards the concurrency limits of their endpoints. */
export async function uncountStaleLeases(tx: Transaction, now: number): Promise<void> {
  const stale = `lease_until IS NOT NULL AND lease_counts
    AND ${workerOfLease} NOT IN (SELECT id FROM workers)`;
  const found = await tx.rows<{ webhookId: string }>(
    `SELECT DISTINCT webhook_id AS "webhookId" FROM pending_deliveries WHERE ${stale}`,
  );
  const queues = await QueueUnitOfWork.lock(
    tx,
    found.map(({ webhookId }) => webhookId),
  );
  const uncounted = await tx.rows<{ webhookId: string }>(
    `UPDATE pending_deliveries SET lease_counts = FALSE WHERE ${stale} AND webhook_id = ANY ($1::text[])
     RETURNING webhook_id AS "webhookId"`,
    queues.all.map(({ webhookId }) => webhookId),
  );
  for (const { webhookId } of uncounted) {
    queues.change(webhookId, { inFlight: queues.get(webhookId).inFlight - 1 });
  }
  queues.write(tx, now);
}
