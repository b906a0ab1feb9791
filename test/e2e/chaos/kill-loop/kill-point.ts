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
export type KillPoint = ActivityPoint | { by: 'start'; turns: number };

/** A point in the activity of a server that accepts requests. */
export interface ActivityPoint {
  by: keyof Activity;
  count: number;
  turns: number;
}

/**
 * The kill comes after this many responses at the latest, in case no delivery arrives. It has to leave time for
 * the engine's thread, which starts after the API: otherwise no kill would hit a delivery.
 */
const maxResponses = 200;
const maxTurns = 40;

/** Draws the point of the next kill. */
export function drawKillPoint(random: SeededRandom): KillPoint {
  return random.chance(0.1)
    ? { by: 'start', turns: random.below(maxTurns) }
    : drawActivityPoint(random);
}

/** Draws a point in the activity of a server. */
export function drawActivityPoint(random: SeededRandom): ActivityPoint {
  const turns = random.below(maxTurns);
  const by = random.pick(['requests', 'responses', 'arrivals', 'acknowledgements'] as const);
  return { by, count: 1 + random.below(random.chance(0.2) ? 60 : 25), turns };
}

/** Waits for a kill point of a server that accepts requests. */
export async function waitForKillPoint(
  { by, count, turns }: ActivityPoint,
  activity: Activity,
): Promise<void> {
  await Promise.race([
    activity[by].waitForMore(count),
    activity.responses.waitForMore(maxResponses),
  ]);
  await passTurns(turns);
}
