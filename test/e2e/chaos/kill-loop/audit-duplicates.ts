import { formatPair } from './expected-pairs';
import type { Arrival, OperationLog } from './operation-log';
import type { RecordedState } from './recorded-state';

/** How long after a receiver's 2xx the result may be unrecorded, in milliseconds. Older ones are not in flight. */
const recordTimeoutMs = 3_000;

function describeArrivals(arrivals: Arrival[]): string {
  const ends = arrivals.map(({ run, cut, acknowledgedAt }) => {
    const end = cut ? 'cut off' : acknowledgedAt === null ? 'not acknowledged' : 'acknowledged';
    return `${run} (${end})`;
  });
  return ends.join(', ');
}

/** Checks how often one delivery arrived. Except for cut connections, each arrival is a separate attempt. */
function auditArrivals(
  pair: string,
  arrivals: Arrival[],
  attempts: number,
  { killedAt, disturbedRuns }: Pick<OperationLog, 'killedAt' | 'disturbedRuns'>,
): string[] {
  if (arrivals.some(({ run }) => disturbedRuns.has(run))) return [];
  const violations: string[] = [];
  const whole = arrivals.filter(({ cut }) => !cut);
  const killed = new Set(whole.map(({ run }) => run).filter((run) => killedAt.has(run)));
  if (whole.length > attempts + killed.size) {
    const how = `${attempts} attempts were recorded and ${killed.size} of these runs were killed`;
    violations.push(`${pair} arrived in the runs ${describeArrivals(arrivals)}; ${how}.`);
  }
  arrivals.slice(0, -1).forEach(({ run, acknowledgedAt }, index) => {
    if (acknowledgedAt === null) return;
    const early = Math.round((killedAt.get(run) ?? Number.POSITIVE_INFINITY) - acknowledgedAt);
    if (arrivals[index + 1]?.run === run) {
      violations.push(
        `${pair} was acknowledged but arrived again without a kill in between: ${describeArrivals(arrivals)}.`,
      );
    } else if (early > recordTimeoutMs) {
      violations.push(`${pair} was acknowledged ${early} ms before the kill but arrived again.`);
    }
  });
  return violations;
}

/**
 * Finds deliveries that arrived too often. Each recorded attempt explains one arrival, and each kill one more
 * of a delivery that was in flight. A delivery that was recorded as delivered must never arrive again. What arrived in a run in
 * which workers seemed to be dead is not judged.
 */
export function auditDuplicates(log: OperationLog, { deliveries }: RecordedState): string[] {
  const arrivalsByPair = new Map<string, Arrival[]>();
  for (const arrival of log.arrivals) {
    const pair = formatPair(arrival.eventId, arrival.webhookId);
    const earlier = arrivalsByPair.get(pair);
    if (earlier) earlier.push(arrival);
    else arrivalsByPair.set(pair, [arrival]);
  }
  return deliveries.flatMap(({ eventId, webhookId, attempts }) => {
    const pair = formatPair(eventId, webhookId);
    return auditArrivals(pair, arrivalsByPair.get(pair) ?? [], attempts, log);
  });
}
