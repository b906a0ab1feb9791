/** One step of a walk from the oldest to the newest. It takes a moment, whatever there is to skip. */
export interface PruneStep {
  /** The `next` of the step before; null to begin with the oldest. */
  after: string | null;
  /** Only what is older goes, in milliseconds since 1970. */
  before: number;
  /** How many things it looks at, and how many rows of any kind it removes before it ends: few hundreds. */
  limit: number;
}

/** What a step came to. */
export interface Pruned {
  /** How many things it removed, what belongs to them not counted. */
  removed: number;
  /** Where the next step is to go on; null when the walk has come to its end. */
  next: string | null;
}

/**
 * What removes that which has been kept for long enough. Each verb is one small transaction, or none when
 * there is nothing to remove, so that nobody waits for it.
 */
export interface RetentionStore {
  /** Removes deliveries that were delivered, or failed, before a moment, with their attempts. */
  pruneDeliveries(step: PruneStep): Promise<Pruned>;
  /**
   * Removes events that happened before a moment, and that neither a delivery nor a notification is about
   * any more, from the log of each account.
   */
  pruneEvents(step: PruneStep): Promise<Pruned>;
  /** Removes notifications that were made before a moment and have been read. */
  pruneNotifications(step: PruneStep): Promise<Pruned>;
  /**
   * Removes answers whose idempotency keys have expired, `limit` at most.
   *
   * @returns How many there were.
   */
  pruneIdempotencyKeys(request: { now: number; limit: number }): Promise<number>;
  /**
   * Removes what is left of webhooks that were removed: their deliveries, whatever their state, and in the
   * end themselves. It ends once `limit` rows are gone.
   *
   * @returns How many webhooks and deliveries are gone; 0 when none is left.
   */
  pruneRemovedWebhooks(request: { limit: number }): Promise<number>;
  /**
   * Overwrites what was deleted wherever the store still has a copy of it, as the log of what it writes: after
   * this, secrets of removed webhooks are in none of its files.
   *
   * @returns Whether it is done; false when others were in the way: try again later.
   */
  eraseDeleted(): Promise<boolean>;
}
