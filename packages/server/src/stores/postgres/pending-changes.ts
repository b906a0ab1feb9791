/** A change that waits for its transaction. */
export interface Pending {
  requestedAt: number;
}

/**
 * With so many pending changes, some wait for more than the next transactions. Then how long the oldest one has waited shows that
 * there are too many, even if all others make progress.
 */
const manyChanges = 200;

/**
 * The changes that wait for the database, and not for a row that another session has locked: that says nothing about how long
 * others will take.
 */
export class PendingChanges {
  readonly #now: () => number;
  readonly #pending = new Set<Pending>();
  /** When a change was committed last. */
  #endedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param now Returns milliseconds since an arbitrary start.
   * @default now `performance.now`
   */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Adds a change. */
  add(): Pending {
    const pending = { requestedAt: this.#now() };
    this.#pending.add(pending);
    return pending;
  }

  /** Removes a change that failed, or that starts to wait for something else. */
  remove(pending: Pending): void {
    this.#pending.delete(pending);
  }

  /** Removes a change that was committed or rejected by a rule, which shows that the database works. */
  end(pending: Pending): void {
    this.#pending.delete(pending);
    this.#endedAt = this.#now();
  }

  /**
   * For how long changes have made no progress, in milliseconds; 0 if none is pending. A slow commit is no overload while others
   * end. With very many changes, for how long the oldest one has waited.
   */
  get delay(): number {
    const [oldest] = this.#pending;
    if (oldest === undefined) return 0;
    const { requestedAt } = oldest;
    const since =
      this.#pending.size > manyChanges ? requestedAt : Math.max(requestedAt, this.#endedAt);
    return this.#now() - since;
  }
}
