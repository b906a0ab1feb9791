const promptAtOnce = 256;
const promptFor = 1_000;
/** How many attempts may be in flight by default, quick or not. */
export const defaultMaxAttempts = 2_000;

/**
 * Room for attempts under way. Only those younger than a second count towards what a worker does at
 * once: receivers that take their time hold a socket, and nobody else's turn.
 */
export class AttemptSlots {
  readonly #most: number;
  /** Starts of the attempts that count, the oldest first. */
  readonly #prompt = new Map<symbol, number>();
  #taken = 0;

  /** @param most How many attempts may be in flight at once, quick or not. */
  constructor(most: number = defaultMaxAttempts) {
    this.#most = most;
  }

  /** How many are in flight. */
  get inFlight(): number {
    return this.#taken;
  }

  /**
   * Takes a slot for an attempt that starts now; the answer gives it back.
   *
   * @param now A time of `Clock.elapsed`, here and below: one that is never set back.
   */
  take(now: number): () => void {
    const slot = Symbol('attempt');
    this.#prompt.set(slot, now);
    this.#taken += 1;
    return () => {
      this.#prompt.delete(slot);
      this.#taken -= 1;
    };
  }

  /** How many attempts may start now. */
  free(now: number): number {
    for (const [slot, startedAt] of this.#prompt) {
      if (now - startedAt < promptFor) break;
      this.#prompt.delete(slot);
    }
    return Math.max(0, Math.min(promptAtOnce - this.#prompt.size, this.#most - this.#taken));
  }

  /** When time alone makes room; infinite when an attempt has to end for it. */
  nextFreeAt(): number {
    const [oldest] = this.#prompt.values();
    if (oldest === undefined || this.#taken >= this.#most) return Number.POSITIVE_INFINITY;
    return oldest + promptFor;
  }
}
