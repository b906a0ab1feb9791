/** The result of `claim`: not handled yet, already handled, or being handled now. */
export type DedupeState = 'acquired' | 'completed' | 'in_progress';

/**
 * Remembers which deliveries were handled, because a delivery may arrive more than once. The key is the
 * signed `webhook-id`; if the service signs none, the value of `Service-Signature`.
 *
 * A store that outlives the process must expire the claims of crashed processes: let `claim` return
 * `acquired` again when the claim is older than the longest run of a handler.
 */
export interface DedupeStore {
  /**
   * Claims a key in one atomic step. The caller that gets `acquired` handles the delivery; all others get
   * `in_progress` until `complete` or `release`. If it throws, the receiver responds with 500 and the
   * service retries the delivery.
   */
  claim(key: string): DedupeState | Promise<DedupeState>;
  /** Records that the delivery was handled: from now on `claim` returns `completed`. */
  complete(key: string): unknown;
  /** Gives up a claim because the handler threw: the next `claim` returns `acquired`. */
  release(key: string): unknown;
}

/** Options of `createMemoryDedupeStore`. */
export interface MemoryDedupeStoreOptions {
  /** Maximum number of handled deliveries to remember. The oldest is removed first. @default 10_000 */
  max?: number | undefined;
  /**
   * Seconds to remember a handled delivery. The default is one hour longer than the service retries. Source:
   * API specification, "Retries". @default 90_000
   */
  ttl?: number | undefined;
  /** The clock, in milliseconds since 1970. @default Date.now */
  now?: (() => number) | undefined;
}

/** A synchronous `DedupeStore`. */
export interface MemoryDedupeStore extends DedupeStore {
  claim(key: string): DedupeState;
  complete(key: string): void;
  release(key: string): void;
}

/**
 * Creates a `DedupeStore` in the memory of this process. It is lost when the process ends, and not shared
 * with other processes. If that matters, keep the keys in your database.
 *
 * Deliveries that are being handled are never removed and do not count towards `max`: there are only as many
 * of them as running handlers.
 *
 * @throws {RangeError} when `max` or `ttl` is not a positive number.
 */
export function createMemoryDedupeStore({
  max = 10_000,
  ttl = 90_000,
  now = Date.now,
}: MemoryDedupeStoreOptions = {}): MemoryDedupeStore {
  if (!(max >= 1 && ttl > 0)) {
    throw new RangeError(
      `createMemoryDedupeStore: max and ttl must be positive numbers (got ${max} and ${ttl}). The defaults are 10,000 deliveries and 25 hours.`,
    );
  }
  const inProgress = new Set<string>();
  // Oldest first: a key is added once, when it is completed, and all keys live equally long.
  const expiresAt = new Map<string, number>();

  return {
    claim(key) {
      if (inProgress.has(key)) return 'in_progress';
      if ((expiresAt.get(key) ?? 0) > now()) return 'completed';
      expiresAt.delete(key);
      inProgress.add(key);
      return 'acquired';
    },
    complete(key) {
      inProgress.delete(key);
      expiresAt.delete(key);
      expiresAt.set(key, now() + ttl * 1_000);
      for (const [oldest, at] of expiresAt) {
        if (expiresAt.size <= max && at > now()) break;
        expiresAt.delete(oldest);
      }
    },
    release(key) {
      inProgress.delete(key);
    },
  };
}
