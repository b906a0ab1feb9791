import type { Diary } from './operation-log';
import type { Books } from './recorded-state';

/** A kill loop in numbers. */
export interface Summary {
  kills: number;
  /** Orders placed and moves made, as 2xx answered them. */
  answeredChanges: number;
  /** Requests that were refused as they should be. */
  refused: number;
  /** Requests that a kill left without an answer; each was repeated. */
  broken: number;
  /** Requests that were answered 503; each was repeated. */
  unavailable: number;
  /** Old requests that were sent again under their key. */
  repeatedKeys: number;
  events: number;
  deliveries: number;
  /** Requests that reached a receiver. */
  arrivals: number;
  /** Of these, what the receiver acknowledged and yet got again. */
  duplicates: number;
  /** Arrivals of which no attempt was recorded: a kill came first, or the receiver cut the connection. */
  unrecorded: number;
  /** The most duplicates that one kill led to. */
  mostOfOneKill: number;
  /** Seconds with clients and kills. */
  killingSeconds: number;
  /** Seconds from the last change until the last delivery was made. */
  drainingSeconds: number;
}

/** Adds up a kill loop. Times are milliseconds. */
export function summarize(
  diary: Diary,
  books: Books,
  times: { killing: number; draining: number },
): Summary {
  const { placed, arrivals, killedAt } = diary;
  const last = new Map<string, Diary['arrivals'][number]>();
  const duplicatesOf = new Map<number, number>();
  for (const arrival of arrivals) {
    const pair = `${arrival.eventId} ${arrival.webhookId}`;
    const before = last.get(pair);
    last.set(pair, arrival);
    if (before === undefined || before.acknowledgedAt === null) continue;
    duplicatesOf.set(before.run, (duplicatesOf.get(before.run) ?? 0) + 1);
  }
  const duplicates = [...duplicatesOf.values()];
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
  const seconds = (milliseconds: number) => Math.round(milliseconds / 100) / 10;
  return {
    kills: killedAt.size,
    answeredChanges: placed.length + sum(placed.map(({ answered }) => answered.length)),
    refused: diary.refused,
    broken: diary.broken,
    unavailable: diary.unavailable,
    repeatedKeys: diary.repeated,
    events: books.events.length,
    deliveries: books.deliveries.length,
    arrivals: arrivals.length,
    duplicates: sum(duplicates),
    unrecorded: arrivals.length - sum(books.deliveries.map(({ attempts }) => attempts)),
    mostOfOneKill: Math.max(0, ...duplicates),
    killingSeconds: seconds(times.killing),
    drainingSeconds: seconds(times.draining),
  };
}
