import type { EventsPage, FollowEvents, Tradepost } from '@tradepost/sdk';
import { type Clock, Outage, type Steadiness } from './outage';

/** How events are followed. */
export interface Following extends Steadiness {
  /** Where to begin, and how long each question waits. */
  from: FollowEvents;
  /** Is told of each page before it is handed on. */
  onContact?: () => void;
}

/**
 * Follows the account's events page by page, also over a while in which the service is away, as it is
 * when it is started anew: then it goes on where it was. A service that was never there is not waited
 * for. It ends when it is interrupted.
 *
 * @throws what following throws; of a service that cannot be reached only after the patience.
 */
export async function* followSteadily(
  { events }: Pick<Tradepost, 'events'>,
  { from, onContact, ...steadiness }: Following,
  clock: Clock,
): AsyncIterable<EventsPage> {
  const { signal } = clock;
  const outage = new Outage(steadiness, clock);
  let place = from;
  for (;;) {
    try {
      for await (const page of events.follow(place, { signal }).pages()) {
        outage.isOver();
        onContact?.();
        yield page;
        const { since: _, ...others } = place;
        place = { ...others, after: page.nextCursor };
      }
      return;
    } catch (error) {
      await outage.wait(error);
    }
    if (signal.aborted) return;
  }
}
