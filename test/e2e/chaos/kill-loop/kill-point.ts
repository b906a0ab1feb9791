import type { Counter } from '../../../helpers/counter';
import { passTurns } from '../../../helpers/pass-turns';
import type { SeededRandom } from '../../../helpers/seeded-random';

/** Counters of what happens while the server runs. A kill is timed by one of them. */
export interface Activity {
  /** Requests that were sent. */
  requests: Counter;
  /** Requests whose response arrived. */
  responses: Counter;
  /** Deliveries that arrived at a receiver, before its response. */
  arrivals: Counter;
  /** Deliveries that a receiver acknowledged. */
  acknowledgements: Counter;
}

/**
 * When to kill a server: after `count` more of what is counted; or, for `start`, when it has opened its database
 * and accepts no requests yet. The kill comes `turns` turns of the event loop later, so that kills hit every
 * phase of a request or a delivery.
 */
export type KillPoint =
  | { by: keyof Activity; count: number; turns: number }
  | { by: 'start'; turns: number };

/**
 * The kill comes after this many responses at the latest, in case no delivery arrives. It has to leave time for
 * the engine's thread, which starts after the API: otherwise no kill would hit a delivery.
 */
const maxResponses = 200;

/** Draws the point of the next kill. */
export function drawKillPoint(random: SeededRandom): KillPoint {
  const turns = random.below(40);
  if (random.chance(0.1)) return { by: 'start', turns };
  const by = random.pick(['requests', 'responses', 'arrivals', 'acknowledgements'] as const);
  return { by, count: 1 + random.below(random.chance(0.2) ? 60 : 25), turns };
}

/** Waits for a kill point of a server that accepts requests. */
export async function waitForKillPoint(
  { by, count, turns }: { by: keyof Activity; count: number; turns: number },
  activity: Activity,
): Promise<void> {
  await Promise.race([
    activity[by].waitForMore(count),
    activity.responses.waitForMore(maxResponses),
  ]);
  await passTurns(turns);
}
