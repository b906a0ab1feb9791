import { setTimeout } from 'node:timers/promises';
import { type Delivery, leaseMs, retryWindowMs } from '@tradepost/domain/deliveries/delivery';
import type { DeliveryStore } from '@tradepost/domain/deliveries/delivery-store';
import { latestBackoffUntil } from '@tradepost/domain/deliveries/endpoint-health';
import { queueLimitReached } from '@tradepost/domain/deliveries/open-deliveries';
import { StatsTally } from '@tradepost/domain/webhooks/stats-counts';
import { finishedDeliveries, pendingDeliveries, queueSignals } from '../records/tables';
import { writeResults } from './attempts';
import type { PostgresDatabase, Queries, Transaction } from './database';
import { insertFinished } from './delivery-queries';
import { isUnnumbered, numberDeliveries } from './event-numbers';
import { decodeLeaseToken, leaseDue, maxSignals, type SearchStarts, takeSignals } from './leases';
import { adjustToClock, QueueUnitOfWork, selectQueueStatus } from './queues';
import { addStats } from './webhook-stats';
import { releaseLeasesOfWorkers, uncountStaleLeases } from './worker-leases';
import type { WorkerLocks } from './worker-locks';
import { WriteSet } from './write-set';

/** Deliveries that one change queues. */
interface QueuedDeliveries {
  deliveries: readonly Delivery[];
  /** Null if the change is not traced. */
  traceContext: string | null;
}

const isPending = ({ state }: Delivery) => state === 'pending';

/** Adds the inserts of deliveries that are due at once, and a signal for each of their queues; and of those that have failed already. */
export function insertDeliveries(writes: WriteSet, changes: readonly QueuedDeliveries[]): void {
  const signals = new Map<string, { dueAt: number; deliveries: number }>();
  const failed = changes
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ state }) => state === 'failed')
    .map((one) => ({
      ...one,
      attempts: 0,
      lastError: queueLimitReached,
      finishedAt: one.createdAt,
    }));
  writes.insert(finishedDeliveries, failed);
  const rows = changes.flatMap(({ deliveries, traceContext }) =>
    deliveries.filter(isPending).map((delivery) => {
      const { webhookId, createdAt } = delivery;
      const { dueAt, deliveries: others } = signals.get(webhookId) ?? {
        dueAt: createdAt,
        deliveries: 0,
      };
      signals.set(webhookId, { dueAt: Math.min(dueAt, createdAt), deliveries: others + 1 });
      return { attempts: 0, tries: 0, leaseCounts: false, traceContext, ...delivery };
    }),
  );
  writes.insert(pendingDeliveries, rows);
  writes.insert(
    queueSignals,
    Array.from(signals, ([webhookId, signal]) => ({ webhookId, ...signal })),
  );
}

/** How old a transaction usually is at most that another process commits, in milliseconds, with the difference of clocks. */
const commitMarginMs = 15_000;
/** How much earlier than now a queue may be due, in milliseconds: see `maxWaitMs` in `queues.ts`. */
const queueMarginMs = 60_000;
/** How often everything is searched, in milliseconds: for what is older than the margins. */
const fullSearchIntervalMs = 60_000;

const searchAll: SearchStarts = { signalsFrom: 0, leasesFrom: 0, queuesFrom: 0 };

/**
 * Remembers from which times on to search. Index entries of what was found before stay until they are vacuumed, and a search must
 * not pass all of them. Otherwise each one takes longer with every delivery that is made while vacuum does not run, or while a
 * transaction is open that keeps it from removing anything.
 */
class RememberedStarts {
  #starts = searchAll;
  #now = Number.NEGATIVE_INFINITY;
  #searchesAllAt = Number.NEGATIVE_INFINITY;

  /** The times from which to search. */
  get current(): SearchStarts {
    return this.#starts;
  }

  /** Returns the times from which to search for what is due next: from time to time, all. */
  begin(): SearchStarts {
    if (performance.now() < this.#searchesAllAt) return this.#starts;
    // If it takes too long and fails, searches go on from the remembered times.
    if (this.#starts !== searchAll) this.#scheduleFullSearch();
    return searchAll;
  }

  /** Records the current time, in milliseconds since 1970. */
  setNow(now: number): void {
    this.#now = now;
    if (Object.values(this.#starts).some((from) => now < from)) this.#starts = searchAll;
  }

  /** Records that this process queued deliveries that are due at this time. */
  note(dueAt: number): void {
    if (dueAt < this.#starts.signalsFrom) this.#starts = { ...this.#starts, signalsFrom: dueAt };
  }

  /** Records what a search found first. */
  found({ firstSignalAt, leaseUntil, nextAt }: DueTimes, searched: SearchStarts): void {
    if (searched === searchAll) this.#scheduleFullSearch();
    const next = (first: number | null, others: number) =>
      Math.max(0, Math.min(first ?? Number.POSITIVE_INFINITY, this.#now + others));
    this.#starts = {
      signalsFrom: next(firstSignalAt, -commitMarginMs),
      // Those that are committed later end that much later.
      leasesFrom: next(leaseUntil, leaseMs - commitMarginMs),
      queuesFrom: next(nextAt, -queueMarginMs),
    };
  }

  #scheduleFullSearch(): void {
    this.#searchesAllAt = performance.now() + fullSearchIntervalMs;
  }
}

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
  firstSignalAt: number | null;
}

/** The first signals. */
const firstSignals = `(SELECT webhook_id, due_at FROM queue_signals WHERE due_at >= $1
  ORDER BY due_at LIMIT ${maxSignals}) AS new`;
const hasRoom = 'NOT q.paused AND q.in_flight < q.concurrency_limit';

/**
 * Returns when something may be leased. New deliveries count from when their queues allow an attempt, unless there are so many
 * signals that they hide others: then a worker has to take them at once.
 */
async function selectDueTimes(
  queries: Queries,
  { signalsFrom, leasesFrom, queuesFrom }: SearchStarts,
): Promise<DueTimes> {
  const row = await queries.row<DueTimes>(
    `SELECT (SELECT min(next_at) FROM queues WHERE next_at >= $3) AS "nextAt",
       (SELECT min(lease_until) FROM pending_deliveries WHERE lease_until >= $2) AS "leaseUntil",
       coalesce(
         (SELECT new.due_at FROM ${firstSignals} JOIN queues AS q ON q.webhook_id = new.webhook_id
          WHERE ${hasRoom} AND greatest(q.backoff_until, q.rate_until) <= new.due_at ORDER BY new.due_at LIMIT 1),
         (SELECT CASE WHEN count(*) < ${maxSignals}
            THEN min(CASE WHEN ${hasRoom} THEN greatest(new.due_at, least(greatest(q.backoff_until, q.rate_until), new.due_at + ${maxBackoffMs})) END)
            ELSE min(new.due_at) END
          FROM ${firstSignals} JOIN queues AS q ON q.webhook_id = new.webhook_id)) AS "newAt",
       (SELECT min(due_at) FROM queue_signals WHERE due_at >= $1) AS "firstSignalAt"`,
    signalsFrom,
    leasesFrom,
    queuesFrom,
  );
  return row ?? { nextAt: null, leaseUntil: null, newAt: null, firstSignalAt: null };
}

/** Returns a function that runs one piece of work after the other. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}

/** Creates the store of the delivery queues. */
export function createPostgresDeliveryStore(
  db: PostgresDatabase,
  workers: Pick<WorkerLocks, 'register' | 'unregister' | 'findEnded' | 'remove'>,
): DeliveryStore & { noteQueued(dueAt: number): void } {
  const remembered = new RememberedStarts();
  // Both lock the queues of a worker. At the same time, one would find them locked.
  const inTurn = createTurns();
  // It changes nothing, but in a transaction it is planned once.
  const findDueTimes = (starts: SearchStarts) =>
    db.write((tx) => selectDueTimes(tx, starts), { isRepeatable: true, isSentAtOnce: true });
  return {
    noteQueued: (dueAt) => remembered.note(dueAt),

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
      remembered.setNow(request.now);
      for (let attempt = 1; ; attempt += 1) {
        const starts = remembered.current;
        // Leases that were committed but did not arrive end by themselves.
        const work = (tx: Transaction) => leaseDue(db, tx, { ...request, leaseToken }, starts);
        const leased = await inTurn(() => db.write(work, { isRepeatable: true }));
        // Only the first deliveries of an account with a long log that no one has read.
        const number = (tx: Transaction) => numberDeliveries(tx, leased);
        let isNumbered = !leased.some(isUnnumbered);
        while (!isNumbered) isNumbered = !(await db.write(number, { isRepeatable: true }));
        if (leased.length > 0 || attempt === maxLeaseAttempts) return leased;
        // Other workers may have all queues locked that have something due.
        const { nextAt, newAt } = await findDueTimes(starts);
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
      if (leased.length === 0) return;
      const work = (tx: Transaction) =>
        writeResults(tx, leased, now, remembered.current.signalsFrom);
      await inTurn(() => db.write(work, { isRepeatable: true }));
    },

    async resetStaleLeases(now) {
      remembered.setNow(now);
      await adjustToClock(db, { expected: now, now });
      await db.write((tx) => uncountStaleLeases(tx, now), { isRepeatable: true });
    },

    async adjustToClock(clock) {
      // After the clock was set back, new deliveries of other processes are due before those that were found.
      remembered.setNow(clock.now);
      await adjustToClock(db, clock);
    },

    async nextDueAt() {
      const starts = remembered.begin();
      const found = await findDueTimes(starts);
      remembered.found(found, starts);
      const { nextAt, leaseUntil, newAt } = found;
      const times = [nextAt, leaseUntil, newAt].filter((time) => time !== null);
      return times.length === 0 ? null : Math.min(...times);
    },

    failOverdue: (request) => db.write((tx) => failOverdue(tx, request), { isRepeatable: true }),

    queueStatus: (now) => selectQueueStatus(db, now),
  };
}

/** Selects deliveries whose deadline passed while they waited. All were created that long ago; of a replayed one it is later. */
const selectOverdue = `SELECT d.id, d.webhook_id AS "webhookId" FROM queues CROSS JOIN LATERAL (
    SELECT id, webhook_id FROM pending_deliveries
    WHERE webhook_id = queues.webhook_id AND created_at < $2 AND deadline_at < $1 AND lease_until IS NULL
    ORDER BY created_at, id LIMIT $3) AS d
  LIMIT $3`;

const failPending = `WITH failed AS (
    DELETE FROM pending_deliveries WHERE id = ANY ($2::text[]) AND lease_until IS NULL AND deadline_at < $1
    RETURNING *),
  stored AS (
    ${insertFinished}
    SELECT id, event_id, webhook_id, event_type, test, 'failed', attempts, deadline_at, last_status,
      last_error, created_at, $1 FROM failed)
  SELECT webhook_id AS "webhookId" FROM failed`;

async function failOverdue(
  tx: Transaction,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const overdue = await tx.rows<{ id: string; webhookId: string }>(
    selectOverdue,
    now,
    now - retryWindowMs,
    limit,
  );
  if (overdue.length === 0) return 0;
  const queues = await QueueUnitOfWork.lock(
    tx,
    overdue.map(({ webhookId }) => webhookId),
  );
  // Their signals would call workers for nothing.
  await takeSignals(
    tx,
    queues,
    queues.all.map(({ webhookId }) => webhookId),
    0,
  );
  const failed = await tx.rows<{ webhookId: string }>(
    failPending,
    now,
    overdue.map(({ id }) => id),
  );
  const tally = new StatsTally();
  for (const { webhookId } of failed) {
    const queue = queues.find(webhookId);
    if (!queue) continue;
    queues.change(webhookId, { depth: queue.depth - 1 });
    tally.addFinished(webhookId, 'failed', now);
  }
  const writes = new WriteSet();
  queues.addWrites(writes, now);
  addStats(writes, tally);
  writes.send(tx);
  return failed.length;
}
