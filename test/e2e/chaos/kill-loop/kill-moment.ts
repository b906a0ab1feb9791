import type { Counter } from '../../../helpers/counter';
import { passTurns } from '../../../helpers/pass-turns';
import type { SeededRandom } from '../../../helpers/seeded-random';

/** What happens while the server runs, and what a kill can be timed by. */
export interface Activity {
  /** Requests as they go out. */
  requests: Counter;
  /** Requests as their answers come in. */
  answers: Counter;
  /** Deliveries as they arrive at a receiver, before it answers. */
  arrivals: Counter;
  /** Deliveries as a receiver has acknowledged them. */
  acknowledgements: Counter;
}

/**
 * When to kill a server: after `count` of what is counted, or for `start` while it starts, its database
 * open and nothing accepted yet; and so many turns of the event loop later, which scatters kills over all
 * that one request or delivery goes through.
 */
export type KillMoment =
  | { by: keyof Activity; count: number; turns: number }
  | { by: 'start'; turns: number };

/**
 * Kills come after this many answers at the latest, should no delivery come. Enough for the engine's thread to
 * start, which takes longer than the API: else no kill would hit a delivery.
 */
const mostAnswers = 200;

/** Draws when the next kill is to come. */
export function drawKillMoment(random: SeededRandom): KillMoment {
  const turns = random.below(40);
  if (random.chance(0.1)) return { by: 'start', turns };
  const by = random.pick(['requests', 'answers', 'arrivals', 'acknowledgements'] as const);
  return { by, count: 1 + random.below(random.chance(0.2) ? 60 : 25), turns };
}

/** Waits for a kill's moment in a server that accepts requests. */
export async function reachKillMoment(
  { by, count, turns }: { by: keyof Activity; count: number; turns: number },
  activity: Activity,
): Promise<void> {
  await Promise.race([activity[by].further(count), activity.answers.further(mostAnswers)]);
  await passTurns(turns);
}
