import { pairOf } from './expected-pairs';
import type { Arrival, Diary } from './operation-log';
import type { Books } from './recorded-state';

/** How long after a receiver's 2xx an outcome may be unrecorded: what is older is not in flight. Milliseconds. */
const recordedWithin = 3_000;

function describe(came: Arrival[]): string {
  const ends = came.map(({ run, cut, acknowledgedAt }) => {
    const end = cut ? 'cut off' : acknowledgedAt === null ? 'not acknowledged' : 'acknowledged';
    return `${run} (${end})`;
  });
  return ends.join(', ');
}

/** What is wrong about the times that one delivery came. Cut connections aside, each is an attempt of its own. */
function auditArrivals(
  pair: string,
  came: Arrival[],
  attempts: number,
  killedAt: Map<number, number>,
): string[] {
  const faults: string[] = [];
  const whole = came.filter(({ cut }) => !cut);
  const killed = new Set(whole.map(({ run }) => run).filter((run) => killedAt.has(run)));
  if (whole.length > attempts + killed.size) {
    const how = `${attempts} attempts were recorded and ${killed.size} of these runs were killed`;
    faults.push(`${pair} came in the runs ${describe(came)}; ${how}.`);
  }
  came.slice(0, -1).forEach(({ run, acknowledgedAt }, index) => {
    if (acknowledgedAt === null) return;
    const early = Math.round((killedAt.get(run) ?? Number.POSITIVE_INFINITY) - acknowledgedAt);
    if (came[index + 1]?.run === run) {
      faults.push(
        `${pair} was acknowledged and came again with no kill between: ${describe(came)}.`,
      );
    } else if (early > recordedWithin) {
      faults.push(`${pair} was acknowledged ${early} ms before the kill and yet came again.`);
    }
  });
  return faults;
}

/**
 * Finds deliveries that came oftener than they had to: each recorded attempt accounts for one arrival, each
 * kill for one more of what was in flight then, and what was recorded as delivered never comes again.
 */
export function auditRepetitions({ arrivals, killedAt }: Diary, { deliveries }: Books): string[] {
  const cameOf = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const pair = pairOf(arrival.eventId, arrival.webhookId);
    const came = cameOf.get(pair);
    if (came) came.push(arrival);
    else cameOf.set(pair, [arrival]);
  }
  return deliveries.flatMap(({ eventId, webhookId, attempts }) => {
    const pair = pairOf(eventId, webhookId);
    return auditArrivals(pair, cameOf.get(pair) ?? [], attempts, killedAt);
  });
}
