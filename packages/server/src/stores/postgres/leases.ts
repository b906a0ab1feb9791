import {
  fairShare,
  type LeasedDelivery,
  maxQueuesPerLease,
} from '@tradepost/domain/deliveries/delivery';
import { nextAllowedAt } from '@tradepost/domain/deliveries/endpoint-health';
import {
  createLeasedFields,
  type Endpoint,
  type LeasedRow,
  toLeased,
} from '../records/leased-delivery';
import { endpointFields, postgresQueues } from '../records/tables';
import type { PostgresDatabase, Transaction } from './database';
import { type NumberedDelivery, numberDeliveries } from './event-numbers';
import { type Queue, QueueUnitOfWork } from './queues';

/** How many new deliveries, and how many ended leases, a lease request looks at to find their queues. */
export const maxCandidates = 250;
/** How many new deliveries a lease request counts at a time, and how often, before it leases. */
const maxCounted = 5_000;
const maxCounts = 10;

/** From which times on to search, in milliseconds since 1970. Nothing is older. */
export interface SearchStarts {
  /** When new deliveries are due. */
  newFrom: number;
  /** When leases end. */
  leasesFrom: number;
  /** When queues should be polled. */
  queuesFrom: number;
}

/** A worker's request for leases. Times are in milliseconds since 1970. */
interface LeaseRequest {
  now: number;
  leaseUntil: number;
  leaseToken: string;
  limit: number;
}

/** A locked queue from which a worker may lease. */
interface Candidate extends Queue, Endpoint {
  accountId: string;
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
export function decodeLeaseToken(text: string): { webhookId: string; leaseToken: string } | null {
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
  { newFrom, leasesFrom, queuesFrom }: SearchStarts,
): Promise<Candidate[]> {
  return tx.rows<Candidate>(
    `SELECT ${postgresQueues.select}, ${endpointFields.select},
       c."newCount", c."newDueAt", c."hasEnded"
     FROM (
       SELECT webhook_id, min(ready_at) AS ready_at, sum(is_new)::bigint AS "newCount",
         min(CASE is_new WHEN 1 THEN ready_at END) AS "newDueAt",
         max(has_ended) > 0 AS "hasEnded"
       FROM (
         (SELECT webhook_id, next_at AS ready_at, 0 AS is_new, 0 AS has_ended FROM queues
          WHERE next_at >= $5 AND next_at <= $1 ORDER BY next_at, webhook_id LIMIT $2)
         UNION ALL
         (SELECT webhook_id, due_at, 1, 0 FROM deliveries WHERE NOT counted AND due_at >= $3
          ORDER BY due_at LIMIT ${maxCandidates})
         UNION ALL
         (SELECT webhook_id, lease_until, 0, 1 FROM deliveries WHERE lease_until >= $4 AND lease_until <= $1
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
    leasesFrom,
    queuesFrom,
  );
}

/** Releases leases of locked queues that have ended without a result. */
async function releaseEndedLeases(
  tx: Transaction,
  queues: QueueUnitOfWork,
  webhookIds: string[],
  now: number,
  leasesFrom: number,
): Promise<void> {
  const released = await tx.rows<{ webhookId: string; dueAt: number; counts: boolean }>(
    `UPDATE deliveries SET due_at = lease_until, scheduled_at = lease_until, lease_token = NULL,
       lease_until = NULL
     WHERE lease_until >= $3 AND lease_until <= $1 AND webhook_id = ANY ($2::text[])
     RETURNING webhook_id AS "webhookId", due_at AS "dueAt", lease_counts AS counts`,
    now,
    webhookIds,
    leasesFrom,
  );
  for (const { webhookId, dueAt, counts } of released) {
    const { inFlight } = queues.get(webhookId);
    queues.change(webhookId, { inFlight: inFlight - Number(counts) });
    queues.noteDueAt(webhookId, dueAt);
  }
}

const leasedFields = createLeasedFields(
  `(SELECT seq FROM account_events AS e
    WHERE e.event_id = picked.event_id AND e.account_id = picked."accountId")`,
);

/** A delivery that was just leased. */
interface PickedRow extends LeasedRow {
  accountId: string;
  dueAt: number;
  wasCounted: boolean;
}

/**
 * Leases what is due in locked queues: from each its share of the limit, in their order.
 *
 * @param endpoints Has when the first new delivery of each queue is due, which may be before the counted ones if clocks differ.
 */
async function leaseFromQueues(
  tx: Transaction,
  ready: readonly Queue[],
  { now, leaseUntil, leaseToken, limit }: LeaseRequest,
  endpoints: ReadonlyMap<string, Candidate>,
): Promise<PickedRow[]> {
  if (ready.length === 0) return [];
  const share = fairShare(limit, ready.length);
  const rooms = ready.map(({ webhookId, dueFrom, concurrencyLimit, inFlight }, order) => ({
    webhookId,
    accountId: endpoints.get(webhookId)?.accountId,
    dueFrom: Math.min(dueFrom, endpoints.get(webhookId)?.newDueAt ?? Number.POSITIVE_INFINITY),
    room: Math.min(share, concurrencyLimit - inFlight),
    order,
  }));
  const leased = await tx.rows<PickedRow & { order: number }>(
    `WITH picked AS (
       SELECT d.id, d.event_id, d.counted, d.due_at, r."accountId", r."order"
       FROM json_to_recordset($1::json)
           AS r ("webhookId" TEXT, "accountId" TEXT, "dueFrom" BIGINT, room BIGINT, "order" BIGINT)
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
     RETURNING ${leasedFields.select}, picked."accountId", picked.due_at AS "dueAt",
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
export async function countNew(
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
  starts: SearchStarts,
): Promise<Candidate[]> {
  for (let count = 1; ; count += 1) {
    const candidates = await lockCandidates(tx, request, starts);
    const found = candidates.reduce((sum, { newCount }) => sum + newCount, 0);
    if (found < maxCandidates || count === maxCounts) return candidates;
    const queues = new QueueUnitOfWork(candidates.map(toQueue));
    const withNew = candidates.filter(({ newCount }) => newCount > 0);
    await countNew(
      tx,
      queues,
      withNew.map(({ webhookId }) => webhookId),
      starts.newFrom,
    );
    queues.write(tx, request.now);
  }
}

/**
 * Leases what is due, with the numbers that the events have in their logs as far as one transaction gives them, and counts new deliveries that have to wait.
 */
export async function leaseDue(
  db: PostgresDatabase,
  tx: Transaction,
  request: LeaseRequest,
  starts: SearchStarts,
): Promise<(LeasedDelivery & NumberedDelivery)[]> {
  const { now, leaseToken } = request;
  // After a crash of PostgreSQL the results of lost leases are not recorded, and the deliveries are made again, as after any crash.
  tx.send('SET LOCAL synchronous_commit = off');
  const candidates = await findCandidates(tx, request, starts);
  if (candidates.length === 0) return [];
  const endpoints = new Map(candidates.map((candidate) => [candidate.webhookId, candidate]));
  const queues = new QueueUnitOfWork(candidates.map(toQueue));
  const ended = candidates.filter(({ hasEnded }) => hasEnded).map(({ webhookId }) => webhookId);
  if (ended.length > 0) await releaseEndedLeases(tx, queues, ended, now, starts.leasesFrom);
  const ready = candidates
    .filter((candidate) => isAllowed(candidate, now))
    .map(({ webhookId }) => queues.get(webhookId))
    .filter(({ inFlight, concurrencyLimit }) => inFlight < concurrencyLimit);
  const leased = await leaseFromQueues(tx, ready, request, endpoints);
  await numberDeliveries(tx, leased);
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
  await countNew(tx, queues, waiting, starts.newFrom);
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
    if (endpoint === undefined) return [];
    const token = encodeLeaseToken(row.webhookId, leaseToken);
    return Object.assign(toLeased(db.secrets, endpoint, row, token), { accountId: row.accountId });
  });
}
