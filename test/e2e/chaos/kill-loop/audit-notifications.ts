import { eventsOfLoop } from './events-of-loop';
import { compareWithBooks, pairOf } from './expected-pairs';
import type { Books } from './recorded-state';
import type { World } from './seed-data';

/** Finds every event that one of its parties was not notified of, or was twice, or somebody else was. */
export function auditNotifications(world: World, books: Books): string[] {
  const events = eventsOfLoop(world, books);
  const ours = new Set(events.map(({ event }) => event.id));
  const must = events.flatMap(({ event, recipients }) =>
    recipients.map((accountId) => pairOf(event.id, accountId)),
  );
  const found = books.notifications
    .filter(({ eventId }) => ours.has(eventId))
    .map(({ eventId, accountId }) => pairOf(eventId, accountId));
  return compareWithBooks('notifications', { must, may: [] }, found);
}
