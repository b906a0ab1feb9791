import type { EventsPage, FollowEvents, Tradepost } from '@tradepost/sdk';
import { exitReasonOf } from './exit-codes';
import { messageOf } from './message-of';
import type { Terminal } from './terminal';

/** How events are followed. */
export interface Following {
  /** Where to begin, and how long each question waits. */
  from: FollowEvents;
  /** How long the service may be away, in milliseconds; 0 for not at all. */
  patience: number;
  /** Is told when the service is away: why, and that it is asked again. */
  onLost: (error: unknown) => void;
  /** Is told when it is there again. */
  onBack: () => void;
}

/** Between two tries, in milliseconds: 1 s, 2 s, 4 s … at most 15 s. */
function pauseAfter(tries: number): number {
  return Math.min(1_000 * 2 ** (tries - 1), 15_000);
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
  { from, patience, onLost, onBack }: Following,
  { now, wait, signal }: Pick<Terminal, 'now' | 'wait' | 'signal'>,
): AsyncIterable<EventsPage> {
  let place = from;
  let hadContact = false;
  let lostAt: number | null = null;
  let tries = 0;
  for (;;) {
    try {
      for await (const page of events.follow(place, { signal }).pages()) {
        if (lostAt !== null) onBack();
        hadContact = true;
        lostAt = null;
        tries = 0;
        yield page;
        const { since: _, ...others } = place;
        place = { ...others, after: page.nextCursor };
      }
      return;
    } catch (error) {
      if (!hadContact || exitReasonOf(error) !== 'unreachable') throw error;
      if (lostAt === null) {
        if (patience > 0) onLost(error);
        lostAt = now();
      }
      if (now() - lostAt >= patience) throw error;
      tries += 1;
    }
    await wait(Math.min(pauseAfter(tries), lostAt + patience - now()), signal);
    if (signal.aborted) return;
  }
}

/**
 * Tells a person that the service is away, and that it is there again.
 *
 * @param giveUpAfter seconds
 */
export function steadiness(
  giveUpAfter: number,
  say: (text: string) => void,
): Omit<Following, 'from'> {
  return {
    patience: giveUpAfter * 1_000,
    onLost: (error) => say(`${messageOf(error)} It is asked again for ${giveUpAfter} s.`),
    onBack: () => say('The service is there again.'),
  };
}
