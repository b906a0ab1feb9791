import { type EventOfOrder, eventsOfLoop } from './events-of-loop';
import { compareWithBooks, type Expected, pairOf } from './expected-pairs';
import type { Arrival, Diary, Subscription } from './operation-log';
import type { Books } from './recorded-state';
import type { World } from './seed-data';

/**
 * What clients and receivers know, the database left aside: each change that was sent after a webhook's
 * registration was answered, and was answered 2xx itself, came to that webhook.
 */
function auditPromises({ placed, subscriptions, arrivals }: Diary): string[] {
  const arrived = new Set<string>();
  for (const { webhookId, body, acknowledgedAt } of arrivals) {
    if (acknowledgedAt === null) continue;
    const { event, data } = JSON.parse(body) as { event: string; data: Record<string, unknown> };
    arrived.add(`${event} ${data.orderId} ${data.status} ${webhookId}`);
  }
  const faults: string[] = [];
  for (const { id, sentAt, buyerId, sellerId, agentId, asked, answered } of placed) {
    const parties = [buyerId, sellerId, agentId];
    const told = subscriptions.filter(({ accountId }) => parties.includes(accountId));
    const mustArrive = (kind: Subscription['kinds'][number], status: string, since: number) => {
      for (const { webhookId, kinds, since: subscribedAt } of told) {
        if (!kinds.includes(kind) || since < subscribedAt) continue;
        if (arrived.has(`${kind} ${id} ${status} ${webhookId}`)) continue;
        faults.push(`LOST: ${kind} of ${id}, answered as ${status}, never came to ${webhookId}.`);
      }
    };
    mustArrive('order.created', 'pending', sentAt);
    for (const status of answered) {
      // Repeated, a change is answered 2xx too: it was made after it was first asked for.
      const since = asked.get(status) ?? 0;
      if (status !== 'pending') mustArrive('order.status_changed', status, since);
    }
  }
  return faults;
}

/** Which deliveries there must be, and which there may be: those of changes while a webhook was registered. */
function expectedDeliveries(events: EventOfOrder[], { placed, subscriptions }: Diary): Expected {
  const sentAt = new Map(placed.map((order) => [order.id, order.sentAt]));
  const expected: Expected = { must: [], may: [] };
  for (const { event, recipients } of events) {
    for (const { webhookId, accountId, kinds, since } of subscriptions) {
      if (!recipients.includes(accountId) || !kinds.includes(event.kind)) continue;
      const isLater = (sentAt.get(event.orderId) ?? 0) > since;
      expected[isLater ? 'must' : 'may'].push(pairOf(event.id, webhookId));
    }
  }
  return expected;
}

function auditBytes(arrivals: Arrival[], events: EventOfOrder[], queued: string[]): string[] {
  const faults: string[] = [];
  const committed = new Set(queued);
  const bodies = new Map(events.map(({ event }) => [event.id, event.body]));
  for (const { eventId, webhookId, body } of arrivals) {
    const pair = pairOf(eventId, webhookId);
    if (!committed.has(pair)) faults.push(`${pair} arrived and was never committed.`);
    else if (bodies.get(eventId) !== body) faults.push(`${pair} came with other bytes: ${body}`);
  }
  return faults;
}

/** Finds every delivery that is lost, made up, changed, or sent to a webhook that must not get it. */
export function auditDeliveries(world: World, diary: Diary, books: Books): string[] {
  const events = eventsOfLoop(world, books);
  const queued = books.deliveries.map(({ eventId, webhookId }) => pairOf(eventId, webhookId));
  const faults = auditPromises(diary);
  faults.push(...compareWithBooks('deliveries', expectedDeliveries(events, diary), queued));

  const acknowledged = diary.arrivals.filter(({ acknowledgedAt }) => acknowledgedAt !== null);
  const taken = new Set(acknowledged.map((one) => pairOf(one.eventId, one.webhookId)));
  for (const { eventId, webhookId, state } of books.deliveries) {
    const pair = pairOf(eventId, webhookId);
    if (!taken.has(pair)) faults.push(`LOST: ${pair} is ${state} and was never acknowledged.`);
    else if (state !== 'delivered') faults.push(`${pair} was acknowledged and is ${state}.`);
  }
  return [...faults, ...auditBytes(diary.arrivals, events, queued)];
}
