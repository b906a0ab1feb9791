import type { DedupeState, DedupeStore } from './dedupe-store';

/** Settings of `memoryDedupe`. */
export interface MemoryDedupeOptions {
  /** How many handled deliveries are remembered at most; the oldest goes first. 10,000 unless told. */
  max?: number | undefined;
  /**
   * Seconds that a handled delivery is remembered: 90,000 unless told, an hour more than the service
   * goes on with its attempts. Source: the interface, "Retries".
   */
  ttl?: number | undefined;
  /** The clock, in milliseconds since 1970. `Date.now` unless told. */
  now?: (() => number) | undefined;
}

/** A `DedupeStore` that answers at once. */
export interface MemoryDedupe extends DedupeStore {
  begin(key: string): DedupeState;
  done(key: string): void;
  failed(key: string): void;
}

/**
 * A `DedupeStore` in the memory of this process. It forgets everything when the process ends, and
 * other processes do not see it: where that matters, keep the keys in your database.
 *
 * Deliveries that are being handled are never let go of and do not count towards `max`: there are
 * only as many of them as handlers that run.
 *
 * @throws {RangeError} when `max` or `ttl` is not a positive number.
 */
export function memoryDedupe({
  max = 10_000,
  ttl = 90_000,
  now = Date.now,
}: MemoryDedupeOptions = {}): MemoryDedupe {
  if (!(max >= 1 && ttl > 0)) {
    throw new RangeError(
      `memoryDedupe: max and ttl must be positive numbers, not ${max} and ${ttl}: leave them out for 10,000 deliveries and 25 hours`,
    );
  }
  const busy = new Set<string>();
  // Oldest first: a key is put in once, when it is done, and all live equally long.
  const forgetAt = new Map<string, number>();

  return {
    begin(key) {
      if (busy.has(key)) return 'busy';
      if ((forgetAt.get(key) ?? 0) > now()) return 'done';
      forgetAt.delete(key);
      busy.add(key);
      return 'new';
    },
    done(key) {
      busy.delete(key);
      forgetAt.delete(key);
      forgetAt.set(key, now() + ttl * 1_000);
      for (const [oldest, at] of forgetAt) {
        if (forgetAt.size <= max && at > now()) break;
        forgetAt.delete(oldest);
      }
    },
    failed(key) {
      busy.delete(key);
    },
  };
}
