/** How many pending deliveries the webhooks of an account may have together by default. */
export const defaultMaxOpenDeliveries = 1_000_000;

/** The error of a delivery that failed at once because its account had as many pending ones as it may have. */
export const queueLimitReached = 'queue_limit_reached';

/** How long a count is used, in milliseconds. Deliveries that other processes queue meanwhile, or finish, are not known. */
export const countedMs = 1_000;

/** The pending deliveries of an account. */
export interface OpenDeliveries {
  /** How many its webhooks have together, as their queues say. */
  open: number;
  /** How many they may have; null for the default. */
  limit: number | null;
}

/** How many accounts are remembered. */
const maxKnown = 10_000;

/**
 * Decides which deliveries of an account are more than it may have pending. What an account has is read once a second at most, and
 * what this process queues is counted in between. So several processes together may exceed a limit by what they queue in a second.
 */
export class DeliveryRoom {
  readonly #defaultLimit: number;
  readonly #accounts = new Map<string, { left: number; countedAt: number }>();

  constructor(defaultLimit = defaultMaxOpenDeliveries) {
    this.#defaultLimit = defaultLimit;
  }

  /** Returns whether the deliveries of an account have to be counted before `take`. */
  isUnknown(accountId: string, now: number): boolean {
    const known = this.#accounts.get(accountId);
    // The clock may be set back.
    return known === undefined || Math.abs(now - known.countedAt) >= countedMs;
  }

  /** Sets what an account has. */
  set(accountId: string, { open, limit }: OpenDeliveries, now: number): void {
    if (this.#accounts.size >= maxKnown) this.#accounts.clear();
    this.#accounts.set(accountId, { left: (limit ?? this.#defaultLimit) - open, countedAt: now });
  }

  /** Takes the place of a delivery. Returns false if the account has none left. */
  readonly take = (accountId: string): boolean => {
    const known = this.#accounts.get(accountId);
    if (known === undefined) return true;
    if (known.left <= 0) return false;
    known.left -= 1;
    return true;
  };
}
