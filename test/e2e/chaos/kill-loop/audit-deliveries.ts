import { comparePairs, type Expected, formatPair } from './expected-pairs';
import type { Arrival, OperationLog, Subscription } from './operation-log';
import { type LoopEvent, listLoopEvents, type RecordedState } from './recorded-state';
import type { SeedData } from './seed-data';

/**
 * Uses only what clients and receivers saw, not the database. Every change that was requested after a webhook
 * was registered, and that got a 2xx, must have been delivered to that webhook.
 */
function auditAcknowledgedChanges({ placed, subscriptions, arrivals }: OperationLog): string[] {
  const arrived = new Set<string>();
  for (const { webhookId, body, acknowledgedAt } of arrivals) {
    if (acknowledgedAt === null) continue;
    const { event, data } = JSON.parse(body) as { event: string; data: Record<string, unknown> };
    arrived.add(`${event} ${data.orderId} ${data.status} ${webhookId}`);
  }
  const violations: string[] = [];
  for (const { id, sentAt, buyerId, sellerId, agentId, requested, accepted } of placed) {
    const parties = [buyerId, sellerId, agentId];
    const subscribed = subscriptions.filter(({ accountId }) => parties.includes(accountId));
    const requireArrival = (kind: Subscription['types'][number], status: string, since: number) => {
      for (const { webhookId, types, since: subscribedAt } of subscribed) {
        if (!types.includes(kind) || since < subscribedAt) continue;
        if (arrived.has(`${kind} ${id} ${status} ${webhookId}`)) continue;
        violations.push(
          `LOST: ${kind} of ${id}, acknowledged as ${status}, never arrived at ${webhookId}.`,
        );
      }
    };
    requireArrival('order.created', 'pending', sentAt);
    for (const status of accepted) {
      // A repeated change gets a 2xx too, so the first request counts.
      const since = requested.get(status) ?? 0;
      if (status !== 'pending') requireArrival('order.status_changed', status, since);
    }
  }
  return violations;
}

/** Returns the deliveries that must exist, and those that may: changes made while the webhook was being registered. */
function expectedDeliveries(
  events: LoopEvent[],
  { placed, subscriptions }: OperationLog,
): Expected {
  const sentAt = new Map(placed.map((order) => [order.id, order.sentAt]));
  const expected: Expected = { must: [], may: [] };
  for (const { event, recipients } of events) {
    for (const { webhookId, accountId, types, since } of subscriptions) {
      if (!recipients.includes(accountId) || !types.includes(event.type)) continue;
      const isLater = (sentAt.get(event.orderId) ?? 0) > since;
      expected[isLater ? 'must' : 'may'].push(formatPair(event.id, webhookId));
    }
  }
  return expected;
}

function auditBodies(arrivals: Arrival[], events: LoopEvent[], queued: string[]): string[] {
  const violations: string[] = [];
  const committed = new Set(queued);
  const bodies = new Map(events.map(({ event }) => [event.id, event.body]));
  for (const { eventId, webhookId, body } of arrivals) {
    const pair = formatPair(eventId, webhookId);
    if (!committed.has(pair)) violations.push(`${pair} arrived but was never committed.`);
    else if (bodies.get(eventId) !== body)
      violations.push(`${pair} arrived with a different body: ${body}`);
  }
  return violations;
}

/**
 * Finds every delivery that is lost, invented, changed, or sent to a webhook that must not get it.
 *
 * @param isDrained Whether all deliveries were made. Otherwise pending ones may be in flight.
 */
export function auditDeliveries(
  seedData: SeedData,
  log: OperationLog,
  state: RecordedState,
  isDrained: boolean,
): string[] {
  const events = listLoopEvents(seedData, state);
  const queued = state.deliveries.map(({ eventId, webhookId }) => formatPair(eventId, webhookId));
  const violations = isDrained ? auditAcknowledgedChanges(log) : [];
  violations.push(...comparePairs('deliveries', expectedDeliveries(events, log), queued));

  const acknowledged = log.arrivals.filter(({ acknowledgedAt }) => acknowledgedAt !== null);
  const received = new Set(
    acknowledged.map((arrival) => formatPair(arrival.eventId, arrival.webhookId)),
  );
  for (const { eventId, webhookId, state: deliveryState } of state.deliveries) {
    const pair = formatPair(eventId, webhookId);
    if (deliveryState === 'pending' && !isDrained) continue;
    if (!received.has(pair))
      violations.push(`LOST: ${pair} is ${deliveryState} and was never acknowledged.`);
    else if (deliveryState !== 'delivered')
      violations.push(`${pair} was acknowledged but is ${deliveryState}.`);
  }
  return [...violations, ...auditBodies(log.arrivals, events, queued)];
}
