import { comparePairs, formatPair } from './expected-pairs';
import { listLoopEvents } from './loop-events';
import type { RecordedState } from './recorded-state';
import type { SeedData } from './seed-data';

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
