import { dueAhead, leaseMs } from '@tradepost/domain/deliveries/delivery';
import type { PostgresDatabase, Transaction } from './database';
import { type Queue, QueueUnitOfWork, selectFirstDueAt, setDueTimes } from './queues';

/** A lease of a delivery. */
interface Lease {
  id: string;
  webhookId: string;
  leaseUntil: number;
  /** Whether it counts towards the concurrency limit. */
  counts: boolean;
  /** The worker that has it. */
  worker: string;
}

/**
 * Reads all leases of locked queues. They are among the oldest deliveries of their queues, so that it reads little more than as many rows
 * as there are leases.
 */
async function readLeases(tx: Transaction, queues: readonly Queue[]): Promise<Lease[]> {
  const leased = queues.filter(({ leases }) => leases > 0);
  if (leased.length === 0) return [];
  return await tx.rows<Lease>(
    `SELECT l.* FROM unnest($1::text[], $2::bigint[]) AS q (webhook_id, leases) CROSS JOIN LATERAL (
       SELECT id, webhook_id AS "webhookId", lease_until AS "leaseUntil", lease_counts AS counts,
         split_part(lease_token, '.', 1) AS worker
       FROM pending_deliveries WHERE webhook_id = q.webhook_id AND lease_until IS NOT NULL
       ORDER BY created_at, id LIMIT q.leases) AS l`,
    leased.map(({ webhookId }) => webhookId),
    leased.map(({ leases }) => leases),
  );
}

/**
 * Releases leases of locked queues: none of them can record a result any more.
 *
 * @param leases All leases of these queues.
 * @param dueAtOf Returns when the delivery of a lease is due again; null if the lease goes on.
 * @returns How many it released.
 */
function releaseLeases(
  tx: Transaction,
  queues: QueueUnitOfWork,
  leases: readonly Lease[],
  dueAtOf: (lease: Lease) => number | null,
): number {
  const released: { id: string; dueAt: number; scheduledAt: number }[] = [];
  const ends = new Map<string, number>();
  for (const lease of leases) {
    const { id, webhookId, leaseUntil, counts } = lease;
    const dueAt = dueAtOf(lease);
    if (dueAt === null) {
      ends.set(webhookId, Math.min(ends.get(webhookId) ?? leaseUntil, leaseUntil));
      continue;
    }
    released.push({ id, dueAt, scheduledAt: dueAt });
    queues.removeLease(webhookId, counts);
    queues.noteDueAt(webhookId, dueAt);
  }
  setDueTimes(tx, released);
  for (const webhookId of new Set(leases.map((lease) => lease.webhookId))) {
    queues.change(webhookId, { leaseEndsAt: ends.get(webhookId) ?? null });
  }
  return released.length;
}

/** Releases leases of locked queues that have ended without a result. */
export async function releaseEndedLeases(
  tx: Transaction,
  queues: QueueUnitOfWork,
  webhookIds: readonly string[],
  now: number,
): Promise<void> {
  if (webhookIds.length === 0) return;
  const leases = await readLeases(
    tx,
    webhookIds.map((id) => queues.get(id)),
  );
  releaseLeases(tx, queues, leases, ({ leaseUntil }) => (leaseUntil <= now ? leaseUntil : null));
}

/**
 * Releases all leases of workers. Their deliveries are due ahead of their queues, as they were when they were leased.
 *
 * @param workers Their IDs; null for all workers.
 * @returns How many leases were released.
 */
export async function releaseLeasesOfWorkers(
  tx: Transaction,
  workers: readonly string[] | null,
  now: number,
): Promise<number> {
  const queues = await QueueUnitOfWork.lockLeased(tx);
  const leases = await readLeases(tx, queues.all);
  const isReleased = ({ worker }: Lease) => workers === null || workers.includes(worker);
  const first = new Map<string, number>();
  for (const { webhookId } of leases.filter(isReleased)) {
    if (first.has(webhookId)) continue;
    first.set(webhookId, dueAhead(await selectFirstDueAt(tx, queues.get(webhookId)), now));
  }
  const released = releaseLeases(tx, queues, leases, (lease) =>
    isReleased(lease)
      ? Math.min(now, lease.leaseUntil - leaseMs, first.get(lease.webhookId) ?? now)
      : null,
  );
  queues.write(tx, now);
  return released;
}

/** Leases that no known worker has no longer count towards the concurrency limits of their endpoints. */
export async function uncountStaleLeases(tx: Transaction, now: number): Promise<void> {
  const queues = await QueueUnitOfWork.lockLeased(tx);
  const [leases, workers] = await Promise.all([
    readLeases(tx, queues.all),
    tx.rows<{ id: string }>('SELECT id FROM workers'),
  ]);
  const known = new Set(workers.map(({ id }) => id));
  const stale = leases.filter(({ worker, counts }) => counts && !known.has(worker));
  for (const { webhookId } of stale) {
    queues.change(webhookId, { inFlight: queues.get(webhookId).inFlight - 1 });
  }
  tx.send(
    'UPDATE pending_deliveries SET lease_counts = FALSE WHERE id = ANY ($1::text[])',
    stale.map(({ id }) => id),
  );
  queues.write(tx, now);
}

/**
 * Adjusts leases after the clock was set. No lease ends later than a lease that starts now, and the time that a forward jump
 * skipped does not count. If nothing needs adjusting, it only reads.
 */
export async function adjustLeases(
  db: PostgresDatabase,
  { expected, now }: { expected: number; now: number },
): Promise<void> {
  const latest = now + leaseMs;
  const skipped = Math.max(0, now - expected);
  const isAhead = await db.row(
    'SELECT 1 FROM pending_deliveries WHERE lease_until > $1 LIMIT 1',
    latest,
  );
  if (skipped === 0 && isAhead === undefined) return;
  await db.write(async (tx) => {
    const queues = await QueueUnitOfWork.lockLeased(tx);
    const leases = await readLeases(tx, queues.all);
    const adjusted = leases.flatMap((lease) => {
      const { leaseUntil } = lease;
      const goesOn = leaseUntil > expected ? leaseUntil + skipped : leaseUntil;
      const until = Math.min(goesOn, latest);
      return until === leaseUntil ? [] : { ...lease, leaseUntil: until };
    });
    const byId = new Map(adjusted.map((lease) => [lease.id, lease]));
    tx.send(
      `UPDATE pending_deliveries AS d SET lease_until = l.lease_until
       FROM unnest($1::text[], $2::bigint[]) AS l (id, lease_until) WHERE d.id = l.id`,
      adjusted.map(({ id }) => id),
      adjusted.map(({ leaseUntil }) => leaseUntil),
    );
    releaseLeases(
      tx,
      queues,
      leases.map((lease) => byId.get(lease.id) ?? lease),
      () => null,
    );
    queues.write(tx, now);
  });
}
