import {
  type AttemptResult,
  attemptEndedAt,
  type Delivery,
  fairShare,
  type LeasedDelivery,
  leaseMs,
  maxStoredAttempts,
} from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import {
  countAllowed,
  nextHealth,
  useAttempts,
} from '@tradepost/domain/deliveries/endpoint-health';
import { queueLimitReached } from '@tradepost/domain/deliveries/open-deliveries';
import { StatsTally } from '@tradepost/domain/webhooks/stats-counts';
import { createLeasedFields, type Endpoint, toLeased } from '../records/leased-delivery';
import { endpointFields, sqliteAttempts, sqliteDeliveries } from '../records/tables';
import type { SqliteDatabase } from './database';
import {
  adjustToClock,
  dueFirst,
  incrementDepth,
  QueueUnitOfWork,
  selectQueueStatus,
  selectReadyQueues,
} from './queues';
import { addStats } from './webhook-stats';
import { WorkerLocks } from './worker-locks';

/** How many deliveries one transaction leases at most: one or two milliseconds of work. */
const maxLeasesPerTransaction = 64;

/** Inserts a delivery into its webhook's queue, or one that has failed already. Call inside a write. */
export function insertDelivery(db: SqliteDatabase, delivery: Delivery): void {
  if (delivery.state === 'failed') {
    db.insert(sqliteDeliveries, {
      attempts: 0,
      tries: 0,
      leaseCounts: false,
      scheduledAt: delivery.createdAt,
      finishedAt: delivery.createdAt,
      lastError: queueLimitReached,
      ...delivery,
    });
    return;
  }
  // The spread comes last: V8 takes ten times as long for one that is followed by other properties.
  db.insert(sqliteDeliveries, {
    attempts: 0,
    tries: 0,
    dueAt: delivery.nextAttemptAt,
    scheduledAt: delivery.createdAt,
    leaseCounts: false,
    traceContext: db.traceContext,
    ...delivery,
  });
  incrementDepth(db, delivery.webhookId, delivery.nextAttemptAt);
}

/** Creates the store of the delivery queues. */
export function createSqliteDeliveryStore(
  db: SqliteDatabase,
  workers: Pick<WorkerLocks, 'register' | 'unregister' | 'lockEnded'> = new WorkerLocks(db.file),
): DeliveryStore {
  return {
    async registerWorker() {
      const id = workers.register();
      return {
        id,
        async end(now) {
          await db.write(() => releaseLeasesOfWorkers(db, [id], now));
          workers.unregister(id);
        },
      };
    },

    async releaseDeadLeases(now) {
      const ended = workers.lockEnded();
      if (ended.length === 0) return 0;
      try {
        const dead = ended.filter(({ isOfThisHost }) => isOfThisHost).map(({ id }) => id);
        const released =
          dead.length === 0 ? 0 : await db.write(() => releaseLeasesOfWorkers(db, dead, now));
        for (const worker of ended) {
          // The file of another host, or from before a reboot, stays until the leases have run out.
          if (worker.isOfThisHost || !(await db.read(() => hasLeases(db, worker.id))))
            worker.remove();
        }
        return released;
      } finally {
        for (const worker of ended) worker.close();
      }
    },

    async leaseDue(request) {
      const { worker } = request;
      const leaseToken =
        worker === undefined ? request.leaseToken : `${worker}.${request.leaseToken}`;
      const writes: Promise<LeasedDelivery[]>[] = [];
      for (let left = request.limit; left > 0; left -= maxLeasesPerTransaction) {
        const max = Math.min(left, maxLeasesPerTransaction);
        writes.push(
          db.writeRelaxed(() => {
            if (left === request.limit) releaseOverdueLeases(db, request.now);
            return leaseDue(db, { ...request, leaseToken }, max);
          }),
        );
      }
      const results = await Promise.allSettled(writes);
      const leased = results.flatMap((result) =>
        result.status === 'fulfilled' ? result.value : [],
      );
      const failed = results.find((result) => result.status === 'rejected');
      // This worker has the leases that succeeded, even if others failed.
      if (leased.length === 0 && failed !== undefined) throw failed.reason;
      return leased;
    },

    async recordAttempts(results, now) {
      const writes = splitIntoPortions(results).map((portion) =>
        db.write(() => writeResults(db, portion, now)),
      );
      for (const write of await Promise.allSettled(writes)) {
        if (write.status === 'rejected') throw write.reason;
      }
    },

    async resetStaleLeases(now) {
      await adjustToClock(db, { expected: now, now });
      await db.write(() => {
        db.run('UPDATE deliveries SET lease_counts = 0 WHERE lease_until IS NOT NULL');
        const busy = db.all<{ webhook_id: string }>(
          'SELECT webhook_id FROM queues WHERE in_flight > 0',
        );
        const queues = new QueueUnitOfWork(db);
        for (const { webhook_id: id } of busy) queues.change(id, { inFlight: 0 });
        queues.write(now);
      });
    },

    adjustToClock: (clock) => adjustToClock(db, clock),

    nextDueAt: () =>
      db.read(() => {
        const row = db.get<{ next_at: number | null; lease_until: number | null }>(
          `SELECT (SELECT min(next_at) FROM queues WHERE next_at IS NOT NULL) AS next_at,
             (SELECT min(lease_until) FROM deliveries WHERE lease_until IS NOT NULL) AS lease_until`,
        );
        const times = [row?.next_at, row?.lease_until].filter((time) => typeof time === 'number');
        return times.length === 0 ? null : Math.min(...times);
      }),

    failOverdue: ({ now, limit }) =>
      db.write(() => {
        const failed = db.all<{ webhook_id: string }>(
          `UPDATE deliveries SET state = 'failed', due_at = NULL, finished_at = ? WHERE seq IN (
             SELECT seq FROM deliveries
             WHERE state = 'pending' AND deadline_at < ? AND lease_until IS NULL
             ORDER BY deadline_at LIMIT ?)
           RETURNING webhook_id`,
          now,
          now,
          limit,
        );
        const queues = new QueueUnitOfWork(db);
        const tally = new StatsTally();
        for (const { webhook_id: id } of failed) {
          queues.change(id, { depth: queues.get(id).depth - 1 });
          tally.addFinished(id, 'failed', now);
        }
        queues.write(now);
        addStats(db, tally);
        return failed.length;
      }),

    queueStatus: (now) => db.read(() => selectQueueStatus(db, now)),
  };
}

const dueFields = createLeasedFields('deliveries', 'account_events.seq').with<{ seq: number }>({
  seq: ['deliveries.seq', 'integer'],
});

/** The decoded lease token of a delivery: its row, its queue and the lease. */
export interface LeaseToken {
  seq: number;
  webhookId: string;
  /** The token of the lease request, as in the row. */
  leaseToken: string;
}

function encodeLeaseToken({ seq, webhookId, leaseToken }: LeaseToken): string {
  return `${seq}:${webhookId}:${leaseToken}`;
}

/** Decodes a lease token; null if it is not valid. */
export function decodeLeaseToken(text: string): LeaseToken | null {
  const { length, 0: seq, 1: webhookId, 2: leaseToken } = text.split(':');
  if (length !== 3 || webhookId === undefined || leaseToken === undefined) return null;
  return { seq: Number(seq), webhookId, leaseToken };
}

/** Releases leases that have ended without a result. Call inside a write. */
export function releaseOverdueLeases(db: SqliteDatabase, now: number): void {
  const released = db.all<{ webhook_id: string; lease_counts: number }>(
    `UPDATE deliveries SET due_at = lease_until, scheduled_at = lease_until, lease_token = NULL,
       lease_until = NULL
     WHERE lease_until <= ? RETURNING webhook_id, lease_counts`,
    now,
  );
  if (released.length === 0) return;
  const queues = new QueueUnitOfWork(db);
  for (const { webhook_id: id, lease_counts: counts } of released) {
    queues.change(id, { inFlight: queues.get(id).inFlight - counts });
  }
  queues.write(now);
}

/** Selects the leases of a worker. Its ID has no characters that are special in a pattern of `GLOB`. */
const leasesOfWorker = `lease_until IS NOT NULL AND lease_token GLOB ? || '.*'`;

function hasLeases(db: SqliteDatabase, worker: string): boolean {
  return db.get(`SELECT 1 FROM deliveries WHERE ${leasesOfWorker} LIMIT 1`, worker) !== undefined;
}

/**
 * Releases all leases of workers, none of which can record a result any more. Their deliveries are due ahead of their queues, as
 * they were when they were leased. Call inside a write.
 *
 * @returns How many leases were released.
 */
function releaseLeasesOfWorkers(db: SqliteDatabase, workers: string[], now: number): number {
  const leases = workers.flatMap((worker) =>
    db.all<{ seq: number; webhook_id: string; lease_until: number; lease_counts: number }>(
      `SELECT seq, webhook_id, lease_until, lease_counts FROM deliveries WHERE ${leasesOfWorker}`,
      worker,
    ),
  );
  const queues = new QueueUnitOfWork(db);
  const first = new Map<string, number>();
  for (const { seq, webhook_id: id, lease_until: leaseUntil, lease_counts: counts } of leases) {
    const head = first.get(id) ?? dueFirst(db, id, now);
    first.set(id, head);
    const dueAt = Math.min(now, leaseUntil - leaseMs, head);
    db.run(
      `UPDATE deliveries SET due_at = ?, scheduled_at = ?, lease_token = NULL, lease_until = NULL
       WHERE seq = ?`,
      dueAt,
      dueAt,
      seq,
    );
    queues.change(id, { inFlight: queues.get(id).inFlight - counts });
  }
  queues.write(now);
  return leases.length;
}

/** Selects where the deliveries of a webhook go, and whose it is. */
function selectEndpoint(db: SqliteDatabase, webhookId: string): Endpoint & { accountId: string } {
  const row = db.find(endpointFields, 'FROM webhooks WHERE id = ?', webhookId);
  if (row === null) throw new Error(`Webhook ${webhookId} does not exist.`);
  return row;
}

/** What is due in the queue of a webhook of an account, in its order. */
const dueInQueue = `FROM deliveries JOIN events ON events.id = deliveries.event_id
    LEFT JOIN account_events ON account_events.event_id = events.id AND account_events.account_id = ?
  WHERE deliveries.webhook_id = ? AND deliveries.due_at <= ?
  ORDER BY deliveries.due_at, deliveries.seq LIMIT ?`;

/** A worker's request for leases. Times are in milliseconds since 1970. */
export interface LeaseRequest {
  now: number;
  leaseUntil: number;
  leaseToken: string;
  limit: number;
}

/** Leases what is due in one queue, up to `limit`. Call inside a write. */
function leaseFromQueue(
  db: SqliteDatabase,
  webhookId: string,
  endpoint: Endpoint & { accountId: string },
  limit: number,
  { now, leaseUntil, leaseToken }: LeaseRequest,
): LeasedDelivery[] {
  const rows = db.list(dueFields, dueInQueue, endpoint.accountId, webhookId, now, limit);
  for (const { seq } of rows) {
    db.run(
      `UPDATE deliveries SET due_at = NULL, lease_until = ?, lease_token = ?, lease_counts = 1
       WHERE seq = ?`,
      leaseUntil,
      leaseToken,
      seq,
    );
  }
  return rows.map((row) =>
    toLeased(db.secrets, endpoint, row, encodeLeaseToken({ seq: row.seq, webhookId, leaseToken })),
  );
}

/** Leases what is due: from each ready queue its share of `limit`, and at most `max` in total. Call inside a write. */
export function leaseDue(db: SqliteDatabase, request: LeaseRequest, max: number): LeasedDelivery[] {
  const { now, limit } = request;
  const ready = selectReadyQueues(db, now, limit);
  const share = fairShare(limit, ready.length);
  const queues = new QueueUnitOfWork(db);
  const leased: LeasedDelivery[] = [];
  for (const webhookId of ready) {
    const left = max - leased.length;
    if (left === 0) break;
    const { concurrencyLimit, inFlight, rateUntil } = queues.get(webhookId);
    const endpoint = selectEndpoint(db, webhookId);
    const rate = { attemptsPerMinute: endpoint.attemptsPerMinute, rateUntil };
    const allowed = Math.min(concurrencyLimit - inFlight, countAllowed(rate, now));
    const room = Math.max(0, Math.min(share, allowed, left));
    const fromQueue = leaseFromQueue(db, webhookId, endpoint, room, request);
    leased.push(...fromQueue);
    queues.change(webhookId, {
      inFlight: inFlight + fromQueue.length,
      rateUntil: useAttempts(rate, fromQueue.length, now),
    });
  }
  queues.write(now);
  return leased;
}

/** How many results one change records at most: a millisecond of work. */
const batchSize = 16;

/** A result and its decoded lease token. */
export interface LeasedResult {
  lease: LeaseToken;
  result: AttemptResult;
}

/**
 * Splits results into portions, one change for each, so that a commit can be cut between them when another thread waits to
 * write. Results of one endpoint stay together, because each portion reads and writes its queues.
 */
export function splitIntoPortions(results: AttemptResult[]): LeasedResult[][] {
  const byWebhook = new Map<string, LeasedResult[]>();
  for (const result of results) {
    const lease = decodeLeaseToken(result.leaseToken);
    if (lease === null) continue;
    const others = byWebhook.get(lease.webhookId);
    if (others === undefined) byWebhook.set(lease.webhookId, [{ lease, result }]);
    else others.push({ lease, result });
  }
  const sorted = [...byWebhook.values()].flat();
  const portions: LeasedResult[][] = [];
  for (let at = 0; at < sorted.length; at += batchSize)
    portions.push(sorted.slice(at, at + batchSize));
  return portions;
}

const releaseLease = `state = ?, tries = tries + ? - attempts, attempts = ?, due_at = ?, scheduled_at = ?,
  lease_token = NULL, lease_until = NULL, finished_at = ? WHERE seq = ? AND lease_token = ? AND lease_counts = ?`;
const updateAfterAttempt = `UPDATE deliveries SET last_status = ?, last_error = ?, ${releaseLease}`;
const updateWithoutAttempt = `UPDATE deliveries SET ${releaseLease}`;

/** Updates a delivery if its lease is valid and counts, or does not count, towards the limit. Call inside a write. */
function updateDelivery(
  db: SqliteDatabase,
  { seq, leaseToken }: LeaseToken,
  counts: 0 | 1,
  { number, attempt, state, nextAttemptAt }: AttemptResult,
  now: number,
): boolean {
  const finishedAt = state === 'pending' ? null : now;
  const values = [state, number, number, nextAttemptAt, now, finishedAt, seq, leaseToken, counts];
  const changed =
    attempt === null
      ? db.run(updateWithoutAttempt, ...values)
      : db.run(updateAfterAttempt, attempt.status, attempt.error, ...values);
  return changed > 0;
}

/** Records a result and updates its queue, unless the lease has ended. Call inside a write. */
function recordResult(
  db: SqliteDatabase,
  queues: QueueUnitOfWork,
  tally: StatsTally,
  { lease, result }: LeasedResult,
  now: number,
): void {
  // Nearly every lease counts; the others outlived the worker that made them.
  const counts = ([1, 0] as const).find((value) => updateDelivery(db, lease, value, result, now));
  if (counts === undefined) return;
  insertAttempt(db, lease.seq, result);
  const queue = queues.get(lease.webhookId);
  const { attempt, state } = result;
  if (attempt !== null) tally.addAttempt(lease.webhookId, attempt);
  if (state !== 'pending') tally.addFinished(lease.webhookId, state, now);
  queues.change(lease.webhookId, {
    inFlight: queue.inFlight - counts,
    depth: queue.depth - (state === 'pending' ? 0 : 1),
    ...(attempt !== null && nextHealth(queue, attemptEndedAt(attempt))),
  });
}

function insertAttempt(db: SqliteDatabase, deliverySeq: number, result: AttemptResult): void {
  const { attempt, number } = result;
  if (attempt === null) return;
  db.insert(sqliteAttempts, { deliverySeq, number, ...attempt });
  if (number <= maxStoredAttempts) return;
  const lastOutdated = number - maxStoredAttempts;
  db.run('DELETE FROM attempts WHERE delivery_seq = ? AND number <= ?', deliverySeq, lastOutdated);
}

/** Records results, and updates their queues and statistics. Call inside a write. */
export function writeResults(db: SqliteDatabase, results: LeasedResult[], now: number): void {
  const queues = new QueueUnitOfWork(db);
  const tally = new StatsTally();
  for (const result of results) recordResult(db, queues, tally, result, now);
  queues.write(now);
  addStats(db, tally);
}
