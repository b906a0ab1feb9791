import type { OperationLog } from './operation-log';
import type { RecordedState } from './recorded-state';

/** A kill loop in numbers. */
export interface Summary {
  kills: number;
  /** Orders and status changes that a 2xx acknowledged. */
  acceptedChanges: number;
  /** Requests that a domain rule rejected. */
  rejected: number;
  /** Requests that a kill left without a response. Each was repeated. */
  broken: number;
  /** Requests with a 503. Each was repeated. */
  unavailable: number;
  /** Earlier requests that were repeated with the same key. */
  repeatedKeys: number;
  events: number;
  deliveries: number;
  /** Requests that reached a receiver. */
  arrivals: number;
  /** Arrivals that the receiver had acknowledged before. */
  duplicates: number;
  /** Arrivals without a recorded attempt: a kill came first, or the receiver cut the connection. */
  unrecorded: number;
  /** The largest number of duplicates that one kill caused. */
  maxDuplicatesPerKill: number;
  /** Seconds with clients and kills. */
  killingSeconds: number;
  /** Seconds from the last change to the last delivery. */
  drainingSeconds: number;
}

/** Summarizes a kill loop. Durations are in milliseconds. */
export function summarize(
  log: OperationLog,
  state: RecordedState,
  durations: { killing: number; draining: number },
): Summary {
  const { placed, arrivals, killedAt } = log;
  const last = new Map<string, OperationLog['arrivals'][number]>();
  const duplicatesByRun = new Map<number, number>();
  for (const arrival of arrivals) {
    const pair = `${arrival.eventId} ${arrival.webhookId}`;
    const before = last.get(pair);
    last.set(pair, arrival);
    if (before === undefined || before.acknowledgedAt === null) continue;
    duplicatesByRun.set(before.run, (duplicatesByRun.get(before.run) ?? 0) + 1);
  }
  const duplicates = [...duplicatesByRun.values()];
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
  const seconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10;
  return {
    kills: killedAt.size,
    acceptedChanges: placed.length + sum(placed.map(({ accepted }) => accepted.length)),
    rejected: log.rejected,
    broken: log.broken,
    unavailable: log.unavailable,
    repeatedKeys: log.repeated,
    events: state.events.length,
    deliveries: state.deliveries.length,
    arrivals: arrivals.length,
    duplicates: sum(duplicates),
    unrecorded: arrivals.length - sum(state.deliveries.map(({ attempts }) => attempts)),
    maxDuplicatesPerKill: Math.max(0, ...duplicates),
    killingSeconds: seconds(durations.killing),
    drainingSeconds: seconds(durations.draining),
  };
}

/** How long one fault lasted, and how long after its end everything worked again. In milliseconds. */
export interface RecoveryTime {
  lasted: number;
  /** Until each API process committed a change. */
  writes: number;
  /** Until the deliveries of these changes were acknowledged. */
  deliveries: number;
  /** Until the leases of dead workers were released, and all other workers had their locks. They check once a second. */
  leases: number;
  /** Until each process reports to be ready. It checks its database once a second. */
  ready: number;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Collects how long servers took to recover from each kind of fault. */
export class RecoveryTimes<Fault extends string> {
  readonly #times = new Map<Fault, RecoveryTime[]>();

  /** Adds one round. */
  add(fault: Fault, time: RecoveryTime): void {
    this.#times.set(fault, [...(this.#times.get(fault) ?? []), time]);
  }

  /**
   * Returns a row for each fault: median / maximum, in milliseconds after the end of the fault.
   *
   * @param countDuplicates Returns how many deliveries arrived again because of a fault.
   */
  summarize(countDuplicates: (fault: Fault) => number): object[] {
    return [...this.#times].sort().map(([fault, times]) => {
      const describe = (of: keyof RecoveryTime) => {
        const values = times.map((time) => Math.round(time[of]));
        return `${median(values)} / ${Math.max(...values)}`;
      };
      return {
        fault,
        rounds: times.length,
        lasted: describe('lasted'),
        writes: describe('writes'),
        deliveries: describe('deliveries'),
        leases: describe('leases'),
        ready: describe('ready'),
        duplicates: countDuplicates(fault),
      };
    });
  }
}
