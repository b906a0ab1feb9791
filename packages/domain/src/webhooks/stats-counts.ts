import { type Attempt, attemptTimeoutMs } from '../deliveries/delivery';

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/** The widths of the buckets in which statistics are stored, and how long each is kept, in milliseconds. */
export const storedBuckets = {
  minute: { width: minute, keptMs: 25 * hour },
  hour: { width: hour, keptMs: 35 * day },
} as const;

/**
 * The histogram of latencies: for each of its counters, up to which latency it counts, in milliseconds (inclusive). The last one counts
 * everything longer too.
 */
export const latencyLimits = {
  latency5: 5,
  latency10: 10,
  latency25: 25,
  latency50: 50,
  latency100: 100,
  latency250: 250,
  latency500: 500,
  latency1000: 1_000,
  latency2500: 2_500,
  latency5000: 5_000,
  latency10000: 10_000,
  latency15000: attemptTimeoutMs,
} as const;

/** A counter of the histogram. */
export type LatencyCounter = keyof typeof latencyLimits;

/** The counters of the histogram, with their limits. */
export const latencyCounters = Object.entries(latencyLimits) as [LatencyCounter, number][];

/** A counter of attempts, by the class of their response. */
export type ClassCounter = 'status2xx' | 'status3xx' | 'status4xx' | 'status5xx' | 'noStatus';

/** What is counted of a webhook. */
export type StatsCounter =
  | 'delivered'
  | 'failed'
  | ClassCounter
  /** The sum of the latencies in milliseconds. */
  | 'latencySum'
  | LatencyCounter;

/** The counts of a webhook in some period. */
export type StatsCounts = Record<StatsCounter, number>;

/** A stored bucket. */
export interface StatsRow extends StatsCounts {
  webhookId: string;
  /** In milliseconds. */
  width: number;
  /** A multiple of the width, in milliseconds since 1970. */
  start: number;
}

const noCounts: StatsCounts = {
  delivered: 0,
  failed: 0,
  status2xx: 0,
  status3xx: 0,
  status4xx: 0,
  status5xx: 0,
  noStatus: 0,
  latencySum: 0,
  latency5: 0,
  latency10: 0,
  latency25: 0,
  latency50: 0,
  latency100: 0,
  latency250: 0,
  latency500: 0,
  latency1000: 0,
  latency2500: 0,
  latency5000: 0,
  latency10000: 0,
  latency15000: 0,
};

/** All counters. */
export const statsCounters = Object.keys(noCounts) as StatsCounter[];

/** Adds counts to others. */
export function addCounts(to: StatsCounts, counts: StatsCounts): void {
  for (const counter of statsCounters) to[counter] += counts[counter];
}

/** Sums counts up. */
export function sumCounts(all: Iterable<StatsCounts>): StatsCounts {
  const sum = { ...noCounts };
  for (const counts of all) addCounts(sum, counts);
  return sum;
}

/** The counters by the first digit of a status. A status outside these classes, such as 999, counts like none. */
const classes: readonly (ClassCounter | undefined)[] = [
  undefined,
  undefined,
  'status2xx',
  'status3xx',
  'status4xx',
  'status5xx',
];

function getLatencyCounter(latency: number): LatencyCounter {
  for (const [counter, limit] of latencyCounters) if (latency <= limit) return counter;
  return 'latency15000';
}

/** What one change adds to the stored buckets: each row once. */
export class StatsTally {
  readonly #minutes = new Map<string, StatsRow>();
  /** The row that was changed last: results of an endpoint follow each other. */
  #recent: StatsRow | undefined;

  /** Counts an attempt, in the buckets in which it started. */
  addAttempt(
    webhookId: string,
    { startedAt, durationMs, status }: Pick<Attempt, 'startedAt' | 'durationMs' | 'status'>,
  ): void {
    const row = this.#find(webhookId, startedAt);
    const counter = status === null ? undefined : classes[Math.floor(status / 100)];
    if (counter === undefined) {
      row.noStatus += 1;
      return;
    }
    row[counter] += 1;
    row[getLatencyCounter(durationMs)] += 1;
    row.latencySum += durationMs;
  }

  /** Counts a delivery that was finished. */
  addFinished(webhookId: string, state: 'delivered' | 'failed', finishedAt: number): void {
    this.#find(webhookId, finishedAt)[state] += 1;
  }

  /** What to add. */
  get rows(): StatsRow[] {
    const { width } = storedBuckets.hour;
    const hours = new Map<string, StatsRow>();
    for (const row of this.#minutes.values()) {
      const start = toStart(row.start, width);
      const key = `${row.webhookId} ${start}`;
      const hour = hours.get(key);
      if (hour === undefined) hours.set(key, { ...row, width, start });
      else addCounts(hour, row);
    }
    return [...this.#minutes.values(), ...hours.values()];
  }

  /** Returns the minute of a webhook. */
  #find(webhookId: string, time: number): StatsRow {
    const { width } = storedBuckets.minute;
    const start = toStart(time, width);
    if (this.#recent?.start === start && this.#recent.webhookId === webhookId) return this.#recent;
    const key = `${webhookId} ${start}`;
    let row = this.#minutes.get(key);
    if (row === undefined) {
      row = { webhookId, width, start, ...noCounts };
      this.#minutes.set(key, row);
    }
    this.#recent = row;
    return row;
  }
}

/** Returns when the bucket with a time starts. */
function toStart(time: number, width: number): number {
  return Math.floor(time / width) * width;
}
