import { encodeTime, monotonicFactory } from 'ulid';

/** The time and the timers that a service uses. Tests inject one that they control. */
export interface Clock {
  /** Whether it shows the real time, so that a store may correct the time of a change when it writes it. Those of tests do not. */
  readonly isReal?: boolean;
  /** Milliseconds since 1970. May go backwards, as system clocks do. */
  now(): number;
  /** Milliseconds since an arbitrary start, with fractions. Never goes backwards, even if the clock is set. */
  elapsed(): number;
  /** Runs `work` once, after `milliseconds`. Returns a function that cancels it. */
  schedule(milliseconds: number, work: () => void): () => void;
}

/** The system clock. On Node, its timers do not keep the process alive. */
export const systemClock: Clock = {
  isReal: true,
  now: () => Date.now(),
  elapsed: () => performance.now(),
  schedule(milliseconds, work) {
    const timer: unknown = setTimeout(work, milliseconds);
    (timer as { unref?(): void }).unref?.();
    return () => clearTimeout(timer as number);
  },
};

/**
 * How far a clock may deviate from elapsed time before it counts as set, in milliseconds. Time services make smaller
 * corrections all the time.
 */
export const clockTolerance = 1_000;

const dayMs = 86_400_000;
/** The day of the last timestamp, and how it is written, as in `2026-01-15T`. */
let lastDay = Number.NaN;
let lastDate = '';

const pad = (value: number, digits: number) => String(value).padStart(digits, '0');

/**
 * Formats milliseconds since 1970 as the contract requires: ISO 8601, UTC, with milliseconds. Most timestamps of a page are of
 * one day, whose date is formatted once.
 */
export function formatTimestamp(milliseconds: number): string {
  const day = Math.floor(milliseconds / dayMs);
  if (day !== lastDay) {
    lastDate = new Date(milliseconds).toISOString().slice(0, -'00:00:00.000Z'.length);
    lastDay = day;
  }
  const time = milliseconds - day * dayMs;
  const seconds = Math.floor(time / 1_000);
  const minutes = Math.floor(seconds / 60);
  return `${lastDate}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}:${pad(seconds % 60, 2)}.${pad(time % 1_000, 3)}Z`;
}

/** The time of a change, and the IDs created in it. */
export interface CommandContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Creates an ID that sorts by `now`. */
  newId(prefix: IdPrefix): string;
  /** Returns the context of the same change at another time. Undefined if the time is chosen, as in tests: it stays. */
  at?(now: number): CommandContext;
}

/** Creates a context with the current time. */
export function createContext(clock: Clock, newId: IdGenerator): CommandContext {
  const at = (now: number): CommandContext => ({
    now,
    newId: (prefix) => newId(prefix, now),
    ...(clock.isReal && { at }),
  });
  return at(clock.now());
}

/** How far the time of a change is corrected at most, in milliseconds. If it is off by more, the clock was set back. */
const maxCorrectionMs = 60_000;

/** Returns the context of a change that must not be before a time. A store corrects only times of a real clock. */
export function notBefore(context: CommandContext, first: number): CommandContext {
  const isCorrected = first > context.now && first <= context.now + maxCorrectionMs;
  return (isCorrected && context.at?.(first)) || context;
}

/** The prefixes of IDs. Source: API specification, "Resources and their fields"; `aud` is of the audit log, which no client sees. */
export type IdPrefix =
  | 'ord'
  | 'usr'
  | 'lst'
  | 'ntf'
  | 'whk'
  | 'evt'
  | 'dlv'
  | 'tsk'
  | 'key'
  | 'aud';

/** Creates an ID such as `ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH` that sorts by `now`, in milliseconds since 1970. */
export type IdGenerator = (prefix: IdPrefix, now: number) => string;

const pool = new Uint32Array(256);
let unused = 0;

function secureRandom(): number {
  if (unused === 0) {
    crypto.getRandomValues(pool);
    unused = pool.length;
  }
  unused -= 1;
  return (pool[unused] ?? 0) / 2 ** 32;
}

/**
 * Creates an ID generator. Its IDs increase even within one millisecond and when the clock goes backwards.
 *
 * @param random Returns numbers from 0 to below 1.
 * @default random the secure random source of the system
 */
export function createIdGenerator(random: () => number = secureRandom): IdGenerator {
  const next = monotonicFactory(random);
  return (prefix, now) => `${prefix}_${next(now)}`;
}

/**
 * Returns a string that sorts before every ID created at `now` or later, and after every older one.
 *
 * @param now Milliseconds since 1970. Negative values count as 0.
 */
export function smallestIdAt(prefix: IdPrefix, now: number): string {
  return `${prefix}_${encodeTime(Math.max(0, now))}`;
}
