import { setTimeout } from 'node:timers/promises';
import {
  type AttemptResult,
  attemptEndedAt,
  type Delivery,
  type LeasedDelivery,
  leaseMs,
  maxStoredAttempts,
} from '../../deliveries/delivery';
import type { DeliveryStore } from '../../deliveries/delivery-store';
import { latestBackoffUntil, nextAllowedAt, nextHealth } from '../../deliveries/endpoint-health';
import { secretPlaces } from '../encryption';
import type { PostgresDatabase, Transaction } from './database';
import {
  adjustToClock,
  dueFirst,
  type Queue,
  QueueUnitOfWork,
  queueColumns,
  selectQueueStatus,
} from './queues';
import type { WorkerLocks } from './worker-locks';
import { WriteSet } from './write-set';

/** Adds the inserts of deliveries. Their queues count them later, when a worker finds them. */
export function insertDeliveries(
  writes: WriteSet,
  deliveries: Delivery[],
  traceContext: string | null,
): void {
  if (deliveries.length === 0) return;
  writes.add(
    `INSERT INTO deliveries (id, event_id, webhook_id, event_type, test, state, attempts, tries, due_at,
       scheduled_at, deadline_at, counted, lease_counts, created_at, trace_context)
     SELECT d.id, d."eventId", d."webhookId", d."eventType", d.test, d.state, 0, 0, d."nextAttemptAt",
       d."createdAt", d."deadlineAt", FALSE, FALSE, d."createdAt", ${writes.bind(traceContext)}
     FROM json_to_recordset(${writes.bindRows(deliveries)}) AS d (id TEXT, "eventId" TEXT, "webhookId" TEXT, "eventType" TEXT,
       test BOOLEAN, state TEXT, "nextAttemptAt" BIGINT, "createdAt" BIGINT, "deadlineAt" BIGINT)`,
  );
}

/** How old a transaction may be that adds new deliveries, in milliseconds: longer than one can take, and clocks differ. */
const newDeliveriesMarginMs = 60_000;
/** How often all new deliveries are searched, in milliseconds: for one that is older than the margin. */
const fullSearchIntervalMs = 60_000;

/**
 * Remembers from which due time on to search for new deliveries. Entries of those that were found before stay in their index
 * until they are vacuumed, and a search must not pass all of them.
 */
class NewDeliveries {
  #from = 0;
  #now = Number.NEGATIVE_INFINITY;
  #searchedAllAt = Number.NEGATIVE_INFINITY;

  /** The due time from which to search, in milliseconds since 1970. */
  get from(): number {
    return performance.now() - this.#searchedAllAt < fullSearchIntervalMs ? this.#from : 0;
  }

  /** Records the current time, in milliseconds since 1970. */
  setNow(now: number): void {
    this.#now = now;
    if (now < this.#from) this.#from = 0;
  }

  /** Records that this process queued deliveries that are due at this time. */
  note(dueAt: number): void {
    this.#from = Math.min(this.#from, dueAt);
  }

  /** Records the due time of the first new delivery that a search from `from` found; null if it found none. */
  found(dueAt: number | null, from: number): void {
    if (from === 0) this.#searchedAllAt = performance.now();
    this.#from = Math.max(
      0,
      Math.min(dueAt ?? Number.POSITIVE_INFINITY, this.#now - newDeliveriesMarginMs),
    );
  }
}

/** How many new deliveries, and how many ended leases, a lease request looks at to find their queues. */
const maxCandidates = 1_000;
/** How often leasing is tried while others have locked what is due, and the longest pause in milliseconds. */
const maxLeaseAttempts = 5;
const maxLeasePauseMs = 5;
const maxBackoffMs = latestBackoffUntil(0);

/** Times in milliseconds since 1970; null if there is none. */
interface DueTimes {
  /** When the first queue should be polled. */
  nextAt: number | null;
  /** When the first lease ends. */
  leaseUntil: number | null;
  /** When the first new delivery may be attempted. */
  newAt: number | null;
  /** When the first new delivery is due, even if it has to wait. */
  firstNewAt: number | null;
}

/**
 * Returns when something may be leased. New deliveries count from when their queues allow an attempt, unless there are so many that
 * they hide others: then a worker has to count them at once.
 */
async function selectDueTimes(db: PostgresDatabase, newFrom: number): Promise<DueTimes> {
  const row = await db.row<DueTimes>(
    `SELECT (SELECT min(next_at) FROM queues WHERE next_at IS NOT NULL) AS "nextAt",
       (SELECT min(lease_until) FROM deliveries WHERE lease_until IS NOT NULL) AS "leaseUntil",
       CASE WHEN n.found < ${maxCandidates} THEN n.allowed_at ELSE n.due_at END AS "newAt",
       n.due_at AS "firstNewAt"
     FROM (
       SELECT count(*) AS found, min(new.due_at) AS due_at,
         min(CASE WHEN NOT q.paused AND q.in_flight < q.concurrency_limit
           THEN greatest(new.due_at, least(q.backoff_until, new.due_at + ${maxBackoffMs})) END) AS allowed_at
       FROM (
         SELECT webhook_id, due_at FROM deliveries WHERE NOT counted AND due_at >= $1
         ORDER BY due_at LIMIT ${maxCandidates}) AS new
       JOIN queues AS q ON q.webhook_id = new.webhook_id) AS n`,
    newFrom,
  );
  return row ?? { nextAt: null, leaseUntil: null, newAt: null, firstNewAt: null };
}

/** Creates the store of the delivery queues. */
export function createPostgresDeliveryStore(
  db: PostgresDatabase,
  workers: Pick<WorkerLocks, 'register' | 'unregister' | 'findEnded' | 'remove'>,
): DeliveryStore & { noteQueued(dueAt: number): void } {
  const news = new NewDeliveries();
  return {
    noteQueued: (dueAt) => news.note(dueAt),

    async registerWorker() {
      const id = await workers.register();
      return {
        id,
        async end(now) {
          await db.write((tx) => releaseLeasesOfWorkers(tx, [id], now), { isRepeatable: true });
          await workers.unregister(id);
        },
      };
    },

    async releaseDeadLeases(now) {
      const ended = await workers.findEnded();
      if (ended.length === 0) return 0;
      const released = await db.write((tx) => releaseLeasesOfWorkers(tx, ended, now), {
        isRepeatable: true,
      });
      await workers.remove(ended);
      return released;
    },

    async leaseDue(request) {
      const { worker, leaseToken: token } = request;
      const leaseToken = worker === undefined ? token : `${worker}.${token}`;
      news.setNow(request.now);
      for (let attempt = 1; ; attempt += 1) {
        const { from } = news;
        // Leases that were committed but did not arrive end by themselves.
        const leased = await db.write((tx) => leaseDue(db, tx, { ...request, leaseToken }, from), {
          isRepeatable: true,
        });
        if (leased.length > 0 || attempt === maxLeaseAttempts) return leased;
        // Other workers may have all queues locked that have something due.
        const { nextAt, newAt } = await selectDueTimes(db, from);
        if (
          Math.min(nextAt ?? Number.POSITIVE_INFINITY, newAt ?? Number.POSITIVE_INFINITY) >
          request.now
        )
          return leased;
        await setTimeout(Math.random() * maxLeasePauseMs);
      }
    },

    async recordAttempts(results, now) {
      const leased = results.flatMap((result) => {
        const lease = decodeLeaseToken(result.leaseToken);
        return lease === null ? [] : [{ ...lease, result }];
      });
      // A lease records one result, also if this runs again.
      if (leased.length > 0)
        await db.write((tx) => writeResults(tx, leased, now, news.from), { isRepeatable: true });
    },

    async resetStaleLeases(now) {
      await adjustToClock(db, { expected: now, now });
      await db.write((tx) => uncountStaleLeases(tx, now), { isRepeatable: true });
    },

    async adjustToClock(clock) {
      // After the clock was set back, new deliveries of other processes are due before those that were found.
      news.setNow(clock.now);
      await adjustToClock(db, clock);
    },

    async nextDueAt() {
      const { from } = news;
      const { nextAt, leaseUntil, newAt, firstNewAt } = await selectDueTimes(db, from);
      news.found(firstNewAt, from);
      const times = [nextAt, leaseUntil, newAt].filter((time) => time !== null);
      return times.length === 0 ? null : Math.min(...times);
    },

    failOverdue: (request) => db.write((tx) => failOverdue(tx, request), { isRepeatable: true }),

    queueStatus: (now) => selectQueueStatus(db, now),
  };
}

/** Among how many queues a lease request is shared at most, because each queue costs a search. The others come next. */
const maxQueuesPerLease = 16;
/** How many new deliveries a lease request counts at a time, and how often, before it leases. */
const maxCounted = 5_000;
const maxCounts = 10;

/** A worker's request for leases. Times are in milliseconds since 1970. */
interface LeaseRequest {
  now: number;
  leaseUntil: number;
  leaseToken: string;
  limit: number;
}

/** A locked queue from which a worker may lease. */
interface Candidate extends Queue {
  url: string;
  /** Encrypted if there is a secret key, like `stagedSecret`. */
  secret: string;
  stagedSecret: string | null;
  /** When a worker may poll it, as it was written last; null while nothing may be leased, except new deliveries. */
  nextAt: number | null;
  /** How many new deliveries were found, up to a limit. */
  newCount: number;
  /** When the first of them is due; null if there is none. */
  newDueAt: number | null;
  /** Whether it has leases that have ended. */
  hasEnded: boolean;
}

function toQueue(candidate: Candidate): Queue {
  const { webhookId, depth, inFlight, paused, dueFrom } = candidate;
  const { concurrencyLimit, failures, failedAt, backoffUntil } = candidate;
  const health = { concurrencyLimit, failures, failedAt, backoffUntil };
  return { webhookId, depth, inFlight, paused, dueFrom, ...health };
}

function encodeLeaseToken(webhookId: string, leaseToken: string): string {
  return `${webhookId}:${leaseToken}`;
}

/** Decodes a lease token into its queue and the token of the lease request; null if it is not valid. */
function decodeLeaseToken(text: string): { webhookId: string; leaseToken: string } | null {
  const { length, 0: webhookId, 1: leaseToken } = text.split(':');
  return length !== 2 || webhookId === undefined || leaseToken === undefined
    ? null
    : { webhookId, leaseToken };
}

/**
 * Locks queues that a worker may poll now, that have new deliveries or ended leases, the longest waiting first. Skips queues that
 * others have locked: they do the same.
 */
function lockCandidates(
  tx: Transaction,
  { now, limit }: LeaseRequest,
  newFrom: number,
): Promise<Candidate[]> {
  return tx.rows<Candidate>(
    `SELECT ${queueColumns}, webhooks.url, webhooks.secret, webhooks.staged_secret AS "stagedSecret",
       queues.next_at AS "nextAt", c."newCount", c."newDueAt", c."hasEnded"
     FROM (
       SELECT webhook_id, min(ready_at) AS ready_at, sum(is_new)::bigint AS "newCount",
         min(CASE is_new WHEN 1 THEN ready_at END) AS "newDueAt",
         max(has_ended) > 0 AS "hasEnded"
       FROM (
         (SELECT webhook_id, next_at AS ready_at, 0 AS is_new, 0 AS has_ended FROM queues
          WHERE next_at <= $1 ORDER BY next_at, webhook_id LIMIT $2)
         UNION ALL
         (SELECT webhook_id, due_at, 1, 0 FROM deliveries WHERE NOT counted AND due_at >= $3
          ORDER BY due_at LIMIT ${maxCandidates})
         UNION ALL
         (SELECT webhook_id, lease_until, 0, 1 FROM deliveries WHERE lease_until <= $1
          ORDER BY lease_until LIMIT ${maxCandidates})
       ) AS found
       GROUP BY webhook_id) AS c
     JOIN queues ON queues.webhook_id = c.webhook_id
     JOIN webhooks ON webhooks.id = c.webhook_id
     ORDER BY c.ready_at, c.webhook_id LIMIT $2
     FOR NO KEY UPDATE OF queues SKIP LOCKED`,
    now,
    Math.max(limit, maxQueuesPerLease),
    newFrom,
  );
}

/** Releases leases of locked queues that have ended without a result. */
async function releaseEndedLeases(
  tx: Transaction,
  queues: QueueUnitOfWork,
  webhookIds: string[],
  now: number,
): Promise<void> {
  const released = await tx.rows<{ webhookId: string; dueAt: number; counts: boolean }>(
    `UPDATE deliveries SET due_at = lease_until, scheduled_at = lease_until, lease_token = NULL,
       lease_until = NULL
     WHERE lease_until <= $1 AND webhook_id = ANY ($2::text[])
     RETURNING webhook_id AS "webhookId", due_at AS "dueAt", lease_counts AS counts`,
    now,
    webhookIds,
  );
  for (const { webhookId, dueAt, counts } of released) {
    const { inFlight } = queues.get(webhookId);
    queues.change(webhookId, { inFlight: inFlight - Number(counts) });
    queues.noteDueAt(webhookId, dueAt);
  }
}

/** A delivery that was just leased. */
interface LeasedRow extends Omit<LeasedDelivery, 'leaseToken' | 'url' | 'secret' | 'stagedSecret'> {
  dueAt: number;
  wasCounted: boolean;
}

/**
 * Leases what is due in locked queues: from each its share of the limit, in their order.
 *
 * @param newDueAt Returns when the first new delivery of a queue is due, which may be before the counted ones if clocks differ.
 */
async function leaseFromQueues(
  tx: Transaction,
  ready: readonly Queue[],
  { now, leaseUntil, leaseToken, limit }: LeaseRequest,
  newDueAt: (webhookId: string) => number,
): Promise<LeasedRow[]> {
  if (ready.length === 0) return [];
  const share = Math.max(1, Math.floor(limit / Math.min(ready.length, maxQueuesPerLease)));
  const rooms = ready.map(({ webhookId, dueFrom, concurrencyLimit, inFlight }, order) => ({
    webhookId,
    dueFrom: Math.min(dueFrom, newDueAt(webhookId)),
    room: Math.min(share, concurrencyLimit - inFlight),
    order,
  }));
  const leased = await tx.rows<LeasedRow & { order: number }>(
    `WITH picked AS (
       SELECT d.id, d.event_id, d.counted, d.due_at, r."order"
       FROM json_to_recordset($1::json)
           AS r ("webhookId" TEXT, "dueFrom" BIGINT, room BIGINT, "order" BIGINT)
         CROSS JOIN LATERAL (
           SELECT id, event_id, counted, due_at, row_number() OVER (ORDER BY due_at, id) AS number
           FROM deliveries
           WHERE webhook_id = r."webhookId" AND due_at >= r."dueFrom" AND due_at <= $2
           ORDER BY due_at, id LIMIT $3) AS d
       WHERE d.number <= r.room
       ORDER BY r."order", d.due_at, d.id LIMIT $4)
     UPDATE deliveries SET due_at = NULL, lease_until = $5, lease_token = $6, lease_counts = TRUE,
       counted = TRUE
     FROM picked JOIN events ON events.id = picked.event_id
     WHERE deliveries.id = picked.id
     RETURNING deliveries.id, deliveries.event_id AS "eventId", deliveries.webhook_id AS "webhookId",
       deliveries.attempts AS "attemptCount", deliveries.tries AS "scheduledTries",
       deliveries.deadline_at AS "deadlineAt", deliveries.created_at AS "createdAt", deliveries.test,
       deliveries.trace_context AS "traceContext", events.body, picked.due_at AS "dueAt",
       picked.counted AS "wasCounted", picked."order"`,
    JSON.stringify(rooms),
    now,
    share,
    limit,
    leaseUntil,
    leaseToken,
  );
  return leased.sort(
    (one, other) =>
      one.order - other.order || one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1),
  );
}

/** Counts new deliveries of locked queues that were not leased at once. */
async function countNew(
  tx: Transaction,
  queues: QueueUnitOfWork,
  webhookIds: string[],
  newFrom: number,
): Promise<void> {
  if (webhookIds.length === 0) return;
  const counted = await tx.rows<{ webhookId: string; dueAt: number }>(
    `UPDATE deliveries SET counted = TRUE
     FROM (
       SELECT id FROM deliveries WHERE NOT counted AND due_at >= $1 AND webhook_id = ANY ($2::text[])
       ORDER BY due_at LIMIT ${maxCounted}) AS found
     WHERE deliveries.id = found.id
     RETURNING webhook_id AS "webhookId", due_at AS "dueAt"`,
    newFrom,
    webhookIds,
  );
  for (const { webhookId, dueAt } of counted) {
    queues.change(webhookId, { depth: queues.get(webhookId).depth + 1 });
    queues.noteDueAt(webhookId, dueAt);
  }
}

function toLeased(
  { secrets }: PostgresDatabase,
  { url, secret, stagedSecret }: Candidate,
  row: LeasedRow,
  leaseToken: string,
): LeasedDelivery {
  const { id, eventId, webhookId, attemptCount, scheduledTries, deadlineAt, createdAt, test } = row;
  return {
    id,
    eventId,
    leaseToken: encodeLeaseToken(webhookId, leaseToken),
    attemptCount,
    scheduledTries,
    deadlineAt,
    createdAt,
    test,
    traceContext: row.traceContext,
    webhookId,
    url,
    // Decrypted by the attempt: a secret that cannot be read must not stop the deliveries to others.
    get secret() {
      return secrets.decryptCached(secretPlaces.current(webhookId), secret);
    },
    get stagedSecret() {
      if (stagedSecret === null) return null;
      return secrets.decryptCached(secretPlaces.staged(webhookId), stagedSecret);
    },
    body: row.body,
  };
}

/**
 * Returns whether attempts may start in a locked queue. A backoff never lasts longer than five minutes from when a delivery started
 * to wait for it, even if the clock was set back.
 */
function isAllowed(
  { paused, nextAt, hasEnded, newDueAt, ...queue }: Candidate,
  now: number,
): boolean {
  if (paused) return false;
  if (nextAt !== null && nextAt <= now) return true;
  if (hasEnded && nextAllowedAt(queue, now) <= now) return true;
  return newDueAt !== null && newDueAt <= now && nextAllowedAt(queue, newDueAt) <= now;
}

/** Like `lockCandidates`, but first counts new deliveries that hide those of other queues. */
async function findCandidates(
  tx: Transaction,
  request: LeaseRequest,
  newFrom: number,
): Promise<Candidate[]> {
  for (let count = 1; ; count += 1) {
    const candidates = await lockCandidates(tx, request, newFrom);
    const found = candidates.reduce((sum, { newCount }) => sum + newCount, 0);
    if (found < maxCandidates || count === maxCounts) return candidates;
    const queues = new QueueUnitOfWork(candidates.map(toQueue));
    const withNew = candidates.filter(({ newCount }) => newCount > 0);
    await countNew(
      tx,
      queues,
      withNew.map(({ webhookId }) => webhookId),
      newFrom,
    );
    queues.write(tx, request.now);
  }
}

/** Leases what is due, and counts new deliveries that have to wait. */
async function leaseDue(
  db: PostgresDatabase,
  tx: Transaction,
  request: LeaseRequest,
  newFrom: number,
): Promise<LeasedDelivery[]> {
  const { now, leaseToken } = request;
  const candidates = await findCandidates(tx, request, newFrom);
  if (candidates.length === 0) return [];
  const endpoints = new Map(candidates.map((candidate) => [candidate.webhookId, candidate]));
  const queues = new QueueUnitOfWork(candidates.map(toQueue));
  const ended = candidates.filter(({ hasEnded }) => hasEnded).map(({ webhookId }) => webhookId);
  if (ended.length > 0) await releaseEndedLeases(tx, queues, ended, now);
  const ready = candidates
    .filter((candidate) => isAllowed(candidate, now))
    .map(({ webhookId }) => queues.get(webhookId))
    .filter(({ inFlight, concurrencyLimit }) => inFlight < concurrencyLimit);
  const leased = await leaseFromQueues(tx, ready, request, (webhookId) => {
    return endpoints.get(webhookId)?.newDueAt ?? Number.POSITIVE_INFINITY;
  });
  const leasedNew = new Map<string, number>();
  for (const { webhookId, wasCounted } of leased) {
    const { inFlight, depth } = queues.get(webhookId);
    queues.change(webhookId, { inFlight: inFlight + 1, depth: depth + Number(!wasCounted) });
    if (!wasCounted) leasedNew.set(webhookId, (leasedNew.get(webhookId) ?? 0) + 1);
  }
  if (leased.length < request.limit) {
    // The others had nothing due, although they were to be polled.
    for (const { webhookId } of ready) queues.change(webhookId);
  }
  const waiting = candidates
    .filter(({ webhookId, newCount }) => newCount > (leasedNew.get(webhookId) ?? 0))
    .map(({ webhookId }) => webhookId);
  await countNew(tx, queues, waiting, newFrom);
  const served = new Set(leased.map(({ webhookId }) => webhookId));
  for (const { webhookId, newDueAt } of candidates) {
    // It keeps its place among the queues that wait.
    if (newDueAt !== null && !served.has(webhookId)) {
      queues.change(webhookId, { waitsSince: newDueAt });
    }
  }
  queues.write(tx, now);
  return leased.flatMap((row) => {
    const endpoint = endpoints.get(row.webhookId);
    return endpoint === undefined ? [] : [toLeased(db, endpoint, row, leaseToken)];
  });
}

/** The worker of a lease, as it is part of the token. */
const workerOfLease = "split_part(lease_token, '.', 1)";

/**
 * Releases all leases of workers, none of which can record a result any more. Their deliveries are due ahead of their queues, as
 * they were when they were leased.
 *
 * @returns How many leases were released.
 */
async function releaseLeasesOfWorkers(
  tx: Transaction,
  workers: string[],
  now: number,
): Promise<number> {
  const found = await tx.rows<{ webhookId: string }>(
    `SELECT DISTINCT webhook_id AS "webhookId" FROM deliveries
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
     FROM deliveries WHERE lease_until IS NOT NULL AND ${workerOfLease} = ANY ($1::text[])
       AND webhook_id = ANY ($2::text[])`,
    workers,
    queues.all.map(({ webhookId }) => webhookId),
  );
  const first = new Map<string, number>();
  const released: { id: string; dueAt: number }[] = [];
  for (const { id, webhookId, leaseUntil, counts } of leases) {
    const queue = queues.get(webhookId);
    const head = first.get(webhookId) ?? (await dueFirst(tx, queue, now));
    first.set(webhookId, head);
    const dueAt = Math.min(now, leaseUntil - leaseMs, head);
    released.push({ id, dueAt });
    queues.change(webhookId, { inFlight: queue.inFlight - Number(counts) });
    queues.noteDueAt(webhookId, dueAt);
  }
  tx.send(
    `UPDATE deliveries SET due_at = r."dueAt", scheduled_at = r."dueAt", lease_token = NULL,
       lease_until = NULL
     FROM json_to_recordset($1::json) AS r (id TEXT, "dueAt" BIGINT) WHERE deliveries.id = r.id`,
    JSON.stringify(released),
  );
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
    `SELECT DISTINCT ${workerOfLease} AS id FROM deliveries WHERE lease_until IS NOT NULL`,
  );
  return await releaseLeasesOfWorkers(
    tx,
    workers.map(({ id }) => id),
    now,
  );
}

/** Leases that no known worker has no longer count towards the concurrency limits of their endpoints. */
async function uncountStaleLeases(tx: Transaction, now: number): Promise<void> {
  const stale = `lease_until IS NOT NULL AND lease_counts
    AND ${workerOfLease} NOT IN (SELECT id FROM workers)`;
  const found = await tx.rows<{ webhookId: string }>(
    `SELECT DISTINCT webhook_id AS "webhookId" FROM deliveries WHERE ${stale}`,
  );
  const queues = await QueueUnitOfWork.lock(
    tx,
    found.map(({ webhookId }) => webhookId),
  );
  const uncounted = await tx.rows<{ webhookId: string }>(
    `UPDATE deliveries SET lease_counts = FALSE WHERE ${stale} AND webhook_id = ANY ($1::text[])
     RETURNING webhook_id AS "webhookId"`,
    queues.all.map(({ webhookId }) => webhookId),
  );
  for (const { webhookId } of uncounted) {
    queues.change(webhookId, { inFlight: queues.get(webhookId).inFlight - 1 });
  }
  queues.write(tx, now);
}

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
          startedAt: attempt.startedAt,
          durationMs: attempt.durationMs,
          url: attempt.url,
          headers: JSON.stringify(attempt.headers),
          status: attempt.status,
          error: attempt.error,
          responseSnippet: withoutNull(attempt.responseSnippet),
        },
  );
  if (attempts.length === 0) return;
  writes.add(
    `INSERT INTO attempts
       (delivery_id, number, started_at, duration_ms, url, headers, status, error, response_snippet)
     SELECT a."deliveryId", a.number, a."startedAt", a."durationMs", a.url, a.headers, a.status, a.error,
       a."responseSnippet"
     FROM json_to_recordset(${writes.bindRows(attempts)}) AS a ("deliveryId" TEXT, number BIGINT, "startedAt" BIGINT,
       "durationMs" BIGINT, url TEXT, headers TEXT, status BIGINT, error TEXT, "responseSnippet" TEXT)`,
  );
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
async function writeResults(
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
     WHERE deliveries.id = r.id AND deliveries.lease_token = r."leaseToken"
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

async function failOverdue(
  tx: Transaction,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const overdue = await tx.rows<{ id: string; webhookId: string }>(
    `SELECT id, webhook_id AS "webhookId" FROM deliveries
     WHERE state = 'pending' AND deadline_at < $1 AND lease_until IS NULL
     ORDER BY deadline_at LIMIT $2`,
    now,
    limit,
  );
  if (overdue.length === 0) return 0;
  const queues = await QueueUnitOfWork.lock(
    tx,
    overdue.map(({ webhookId }) => webhookId),
  );
  const failed = await tx.rows<{ webhookId: string; wasCounted: boolean }>(
    `UPDATE deliveries SET state = 'failed', due_at = NULL, finished_at = $1, counted = TRUE
     FROM (
       SELECT id, counted FROM deliveries
       WHERE id = ANY ($2::text[]) AND state = 'pending' AND lease_until IS NULL) AS found
     WHERE deliveries.id = found.id
     RETURNING webhook_id AS "webhookId", found.counted AS "wasCounted"`,
    now,
    overdue.map(({ id }) => id),
  );
  for (const { webhookId, wasCounted } of failed) {
    const queue = queues.find(webhookId);
    if (queue) queues.change(webhookId, { depth: queue.depth - Number(wasCounted) });
  }
  queues.write(tx, now);
  return failed.length;
}
