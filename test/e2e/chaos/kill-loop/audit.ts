import type { AccountEvent } from '@tradepost/sdk';
import { auditDeliveries } from './audit-deliveries';
import { auditOrders } from './audit-orders';
import { comparePairs, formatPair } from './expected-pairs';
import type { Arrival, EventLogReading, OperationLog } from './operation-log';
import { listLoopEvents, type RecordedState } from './recorded-state';
import type { SeedData } from './seed-data';

/**
 * Compares a database with what clients and receivers saw of the servers during their faults. Pure.
 *
 * @param isDrained Whether all deliveries were made. Otherwise those in flight are not judged.
 * @returns The violated invariants, one sentence each.
 */
export function audit(
  seedData: SeedData,
  log: OperationLog,
  state: RecordedState,
  isDrained = true,
): string[] {
  return [
    ...log.violations,
    ...state.faults,
    ...auditOrders(seedData, log, state),
    ...auditNotifications(seedData, state),
    ...auditEventLogs(seedData, log, state),
    ...auditDeliveries(seedData, log, state, isDrained),
    ...(isDrained ? auditDuplicates(log, state) : []),
  ];
}

/** Finds every missing, duplicate or misdirected notification. */
export function auditNotifications(seedData: SeedData, state: RecordedState): string[] {
  const events = listLoopEvents(seedData, state);
  const loopEventIds = new Set(events.map(({ event }) => event.id));
  const must = events.flatMap(({ event, recipients }) =>
    recipients.map((accountId) => formatPair(event.id, accountId)),
  );
  const found = state.notifications
    .filter(({ eventId }) => loopEventIds.has(eventId))
    .map(({ eventId, accountId }) => formatPair(eventId, accountId));
  return comparePairs('notifications', { must, may: [] }, found);
}

/** Finds events of one order that were read in another order than they happened. */
function auditOrderOfEvents({ accountId, events }: EventLogReading): string[] {
  const violations: string[] = [];
  const statuses = new Map<string, string>();
  const expectStatus = (event: AccountEvent, orderId: string, expected: string | undefined) => {
    const known = statuses.get(orderId);
    if (known === expected) return;
    violations.push(
      `The event log of ${accountId} has ${event.id} (${event.event}) of ${orderId} after the status ${known}.`,
    );
  };
  for (const event of events) {
    if (event.event === 'order.created') {
      const { orderId, status } = event.data;
      expectStatus(event, orderId, undefined);
      statuses.set(orderId, status);
    } else if (event.event === 'order.status_changed') {
      const { orderId, status, previousStatus } = event.data;
      expectStatus(event, orderId, previousStatus);
      statuses.set(orderId, status);
    }
  }
  return violations;
}

/**
 * Finds events that a polling reader missed, got twice, or got in the wrong order. The readers must have reached the end of their
 * logs, and no change may have been made since.
 */
export function auditEventLogs(
  seedData: SeedData,
  { eventLogs }: OperationLog,
  state: RecordedState,
): string[] {
  const loopEvents = listLoopEvents(seedData, state);
  const known = new Set(state.events.map(({ id }) => id));
  return eventLogs.flatMap((reading) => {
    const { accountId, events } = reading;
    const violations: string[] = [];
    const read = new Set<string>();
    for (const { id } of events) {
      if (read.has(id)) violations.push(`The event log of ${accountId} has ${id} twice.`);
      if (!known.has(id))
        violations.push(`The event log of ${accountId} has ${id}, which was never committed.`);
      read.add(id);
    }
    for (const { event, recipients } of loopEvents) {
      if (recipients.includes(accountId) && !read.has(event.id))
        violations.push(`LOST: a poll of the event log of ${accountId} missed ${event.id}.`);
    }
    return [...violations, ...auditOrderOfEvents(reading)];
  });
}

/** How long after a receiver's 2xx the result may be unrecorded, in milliseconds. Older ones are not in flight. */
const recordTimeoutMs = 3_000;

function describeArrivals(arrivals: Arrival[]): string {
  const ends = arrivals.map(({ run, cut, acknowledgedAt }) => {
    const end = cut ? 'cut off' : acknowledgedAt === null ? 'not acknowledged' : 'acknowledged';
    return `${run} (${end})`;
  });
  return ends.join(', ');
}

/** Checks how often one delivery arrived. Except for cut connections, each arrival is a separate attempt. */
function auditArrivals(
  pair: string,
  arrivals: Arrival[],
  attempts: number,
  {
    killedAt,
    disturbedRuns,
    crashedRuns,
  }: Pick<OperationLog, 'killedAt' | 'disturbedRuns' | 'crashedRuns'>,
): string[] {
  if (arrivals.some(({ run }) => disturbedRuns.has(run))) return [];
  const violations: string[] = [];
  const whole = arrivals.filter(({ cut }) => !cut);
  const killed = new Set(whole.map(({ run }) => run).filter((run) => killedAt.has(run)));
  if (whole.length > attempts + killed.size) {
    const how = `${attempts} attempts were recorded and ${killed.size} of these runs were killed`;
    violations.push(`${pair} arrived in the runs ${describeArrivals(arrivals)}; ${how}.`);
  }
  arrivals.slice(0, -1).forEach(({ run, acknowledgedAt }, index) => {
    if (acknowledgedAt === null) return;
    const early = Math.round((killedAt.get(run) ?? Number.POSITIVE_INFINITY) - acknowledgedAt);
    const next = arrivals[index + 1];
    if (next?.run === run) {
      // Leases are not flushed: one that a crash has undone is given again, once.
      const isGivenAgain = crashedRuns.has(run) && arrivals[index + 2]?.run !== run;
      if (isGivenAgain) return;
      violations.push(
        `${pair} was acknowledged but arrived again without a kill in between: ${describeArrivals(arrivals)}.`,
      );
    } else if (early > recordTimeoutMs) {
      violations.push(`${pair} was acknowledged ${early} ms before the kill but arrived again.`);
    }
  });
  return violations;
}

/**
 * Finds deliveries that arrived too often. Each recorded attempt explains one arrival, and each kill one more
 * of a delivery that was in flight. A delivery that was recorded as delivered must never arrive again. What arrived in a run in
 * which workers seemed to be dead is not judged.
 */
export function auditDuplicates(log: OperationLog, { deliveries }: RecordedState): string[] {
  const arrivalsByPair = new Map<string, Arrival[]>();
  for (const arrival of log.arrivals) {
    const pair = formatPair(arrival.eventId, arrival.webhookId);
    const earlier = arrivalsByPair.get(pair);
    if (earlier) earlier.push(arrival);
    else arrivalsByPair.set(pair, [arrival]);
  }
  return deliveries.flatMap(({ eventId, webhookId, attempts }) => {
    const pair = formatPair(eventId, webhookId);
    return auditArrivals(pair, arrivalsByPair.get(pair) ?? [], attempts, log);
  });
}
