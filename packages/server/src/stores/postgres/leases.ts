import {
  fairShare,
  type LeasedDelivery,
  maxQueuesPerLease,
} from '@tradepost/domain/deliveries/delivery';
import {
  countAllowed,
  nextAllowedAt,
  pickHealth,
  useAttempts,
} from '@tradepost/domain/deliveries/endpoint-health';
import {
  createLeasedFields,
  type Endpoint,
  type LeasedRow,
  toLeased,
} from '../records/leased-delivery';
import { endpointFields, postgresQueues } from '../records/tables';
import type { PostgresDatabase, Transaction } from './database';
import { selectDue } from './delivery-queries';
import { type NumberedDelivery, numberDeliveries } from './event-numbers';
import { type Queue, QueueUnitOfWork } from './queues';

/** How many signals, and how many ended leases, a lease request looks at to find their queues. */
export const maxSignals = 250;
/** How many signals are taken at a time, and how often, before it leases. Those that are left are taken later. */
const maxTaken = 5_000;
const maxRounds = 10;

/** From which times on to search, in milliseconds since 1970. Nothing is older. */
export interface SearchStarts {
  /** What signals say. */
  signalsFrom: number;
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
  /** How many signals were found, up to a limit. */
  signals: number;
  /** When the first new delivery is due, by these signals; null without signals. */
  newDueAt: number | null;
  /** Whether it has leases that have ended. */
  hasEnded: boolean;
}

function toQueue(candidate: Candidate): Queue {
  const { webhookId, depth, inFlight, paused, dueFrom, rateUntil } = candidate;
  return { webhookId, depth, inFlight, paused, dueFrom, rateUntil, ...pickHealth(candidate) };
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
 * Locks queues that a worker may poll now, that have signals or ended leases, the longest waiting first. Skips queues that others have
 * locked: they do the same.
 */
function lockCandidates(
  tx: Transaction,
  { now, limit }: LeaseRequest,
  { signalsFrom, leasesFrom, queuesFrom }: SearchStarts,
): Promise<Candidate[]> {
  return tx.rows<Candidate>(
    `SELECT ${postgresQueues.select}, ${endpointFields.select}, c.signals, c."newDueAt", c."hasEnded"
     FROM (
       SELECT webhook_id, min(ready_at) AS ready_at, sum(is_signal)::bigint AS signals,
         min(CASE is_signal WHEN 1 THEN ready_at END) AS "newDueAt",
         max(has_ended) > 0 AS "hasEnded"
       FROM (
         (SELECT webhook_id, next_at AS ready_at, 0 AS is_signal, 0 AS has_ended FROM queues
          WHERE next_at >= $5 AND next_at <= $1 ORDER BY next_at, webhook_id LIMIT $2)
         UNION ALL
         (SELECT webhook_id, due_at, 1, 0 FROM queue_signals WHERE due_at >= $3
          ORDER BY due_at LIMIT ${maxSignals})
         UNION ALL
         (SELECT webhook_id, lease_until, 0, 1 FROM pending_deliveries
          WHERE lease_until >= $4 AND lease_until <= $1 ORDER BY lease_until LIMIT ${maxSignals})
       ) AS found
       GROUP BY webhook_id) AS c
     JOIN queues ON queues.webhook_id = c.webhook_id
     JOIN webhooks ON webhooks.id = c.webhook_id
     ORDER BY c.ready_at, c.webhook_id LIMIT $2
     FOR NO KEY UPDATE OF queues SKIP LOCKED`,
    now,
    Math.max(limit, maxQueuesPerLease),
    signalsFrom,
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
  if (webhookIds.length === 0) return;
  const released = await tx.rows<{ webhookId: string; dueAt: number; counts: boolean }>(
    `UPDATE pending_deliveries SET due_at = lease_until, scheduled_at = lease_until,
       lease_token = NULL, lease_until = NULL
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
  'pending_deliveries',
  `(SELECT seq FROM account_events AS e
    WHERE e.event_id = picked.event_id AND e.account_id = picked."accountId")`,
);

/** A delivery that was just leased. */
interface PickedRow extends LeasedRow {
  accountId: string;
  readyAt: number;
}

/** Returns the limit of attempts of a locked queue. */
function limitOf(
  endpoints: ReadonlyMap<string, Candidate>,
  webhookId: string,
): Pick<Candidate, 'attemptsPerMinute'> {
  return { attemptsPerMinute: endpoints.get(webhookId)?.attemptsPerMinute ?? null };
}

/** Leases what is due in locked queues: from each its share of the limit, in their order. */
async function leaseFromQueues(
  tx: Transaction,
  ready: readonly Queue[],
  { now, leaseUntil, leaseToken, limit }: LeaseRequest,
  endpoints: ReadonlyMap<string, Candidate>,
): Promise<PickedRow[]> {
  if (ready.length === 0) return [];
  const share = fairShare(limit, ready.length);
  const rooms = ready.map(
    ({ webhookId, dueFrom, concurrencyLimit, inFlight, rateUntil }, order) => ({
      webhookId,
      accountId: endpoints.get(webhookId)?.accountId,
      dueFrom: Math.min(dueFrom, endpoints.get(webhookId)?.newDueAt ?? dueFrom),
      room: Math.min(
        share,
        concurrencyLimit - inFlight,
        countAllowed({ rateUntil, ...limitOf(endpoints, webhookId) }, now),
      ),
      order,
    }),
  );
  const due = selectDue({
    webhookId: 'r."webhookId"',
    from: 'r."dueFrom"',
    until: '$2',
    limit: 'r.room',
  });
  const leased = await tx.rows<PickedRow & { order: number }>(
    `WITH picked AS (
       SELECT d.id, d.event_id, d.ready_at, r."accountId", r."order"
       FROM json_to_recordset($1::json)
           AS r ("webhookId" TEXT, "accountId" TEXT, "dueFrom" BIGINT, room BIGINT, "order" BIGINT)
         CROSS JOIN LATERAL (${due}) AS d
       ORDER BY r."order", d.ready_at, d.id LIMIT $3)
     UPDATE pending_deliveries SET lease_until = $4, lease_token = $5, lease_counts = TRUE
     FROM picked JOIN events ON events.id = picked.event_id
     WHERE pending_deliveries.id = picked.id
     RETURNING ${leasedFields.select}, picked."accountId", picked.ready_at AS "readyAt", picked."order"`,
    JSON.stringify(rooms),
    now,
    limit,
    leaseUntil,
    leaseToken,
  );
  return leased.sort(
    (one, other) =>
      one.order - other.order || one.readyAt - other.readyAt || (one.id < other.id ? -1 : 1),
  );
}

/** Removes signals of locked queues, and notes in the queues how many new deliveries there are, and when they are due. */
export async function takeSignals(
  tx: Transaction,
  queues: QueueUnitOfWork,
  webhookIds: string[],
  signalsFrom: number,
): Promise<void> {
  if (webhookIds.length === 0) return;
  const taken = await tx.rows<{ webhookId: string; dueAt: number; deliveries: number }>(
    `WITH taken AS (
       DELETE FROM queue_signals AS s USING (
         SELECT due_at, webhook_id, id FROM queue_signals
         WHERE due_at >= $1 AND webhook_id = ANY ($2::text[]) ORDER BY due_at LIMIT ${maxTaken}) AS first
       WHERE s.due_at = first.due_at AND s.webhook_id = first.webhook_id AND s.id = first.id
       RETURNING s.webhook_id, s.due_at, s.deliveries)
     SELECT webhook_id AS "webhookId", min(due_at) AS "dueAt", sum(deliveries)::bigint AS deliveries
     FROM taken GROUP BY webhook_id`,
    signalsFrom,
    webhookIds,
  );
  for (const { webhookId, dueAt, deliveries } of taken) {
    queues.change(webhookId, { depth: queues.get(webhookId).depth + deliveries });
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

/** Like `lockCandidates`, but first takes signals that hide those of other queues. */
async function findCandidates(
  tx: Transaction,
  request: LeaseRequest,
  starts: SearchStarts,
): Promise<Candidate[]> {
  for (let round = 1; ; round += 1) {
    const candidates = await lockCandidates(tx, request, starts);
    const found = candidates.reduce((sum, { signals }) => sum + signals, 0);
    if (found < maxSignals || round === maxRounds) return candidates;
    const queues = new QueueUnitOfWork(candidates.map(toQueue));
    await takeSignals(tx, queues, withSignals(candidates), starts.signalsFrom);
    queues.write(tx, request.now);
  }
}

const withSignals = (candidates: readonly Candidate[]) =>
  candidates.filter(({ signals }) => signals > 0).map(({ webhookId }) => webhookId);

/** Leases what is due, with the numbers that the events have in their logs as far as one transaction gives them. */
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
  // Sent together with the next statement.
  const taken = takeSignals(tx, queues, withSignals(candidates), starts.signalsFrom);
  taken.catch(() => {});
  const ended = candidates.filter(({ hasEnded }) => hasEnded).map(({ webhookId }) => webhookId);
  await releaseEndedLeases(tx, queues, ended, now, starts.leasesFrom);
  const ready = candidates
    .filter((candidate) => isAllowed(candidate, now))
    .map(({ webhookId }) => queues.get(webhookId))
    .filter(({ inFlight, concurrencyLimit }) => inFlight < concurrencyLimit);
  const [leased] = await Promise.all([leaseFromQueues(tx, ready, request, endpoints), taken]);
  await numberDeliveries(tx, leased);
  for (const { webhookId } of leased) {
    const { inFlight, rateUntil } = queues.get(webhookId);
    const rate = { rateUntil, ...limitOf(endpoints, webhookId) };
    queues.change(webhookId, { inFlight: inFlight + 1, rateUntil: useAttempts(rate, 1, now) });
  }
  if (leased.length < request.limit) {
    // The others had nothing due, although they were to be polled.
    for (const { webhookId } of ready) queues.change(webhookId);
  }
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
