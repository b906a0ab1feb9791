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
