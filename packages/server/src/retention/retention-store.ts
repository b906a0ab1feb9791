/** One step of a scan from the oldest to the newest. It is short, whatever there is to skip. */
export interface PruneStep {
  /** Where the step before it ended: its `next`. Null starts with the oldest. */
  after: string | null;
  /** Only what is older is removed, in milliseconds since 1970. */
  before: number;
  /**
   * How many things it examines at most: a few hundred. It removes no more than that, and may end sooner so that
   * nobody waits for it; it removes one at least where there is one to remove.
   */
  limit: number;
}

/** A step that removes what events depend on. An event is removed together with the last thing that is about it. */
export interface ReferencePruneStep extends PruneStep {
  /** Events that happened before this time are removed too once nothing is about them, in milliseconds since 1970. */
  eventsBefore: number;
}

/** What a step came to. */
export interface Pruned {
  /** How many things it removed, what belongs to them not counted. */
  removed: number;
  /** For how long it kept the store busy, in milliseconds; what it waited for others is not counted. */
  busyMs: number;
  /** For how long others kept it waiting before it could write, in milliseconds. */
  waitedMs: number;
}

/** What a step of a scan came to. */
export interface ScanPruned extends Pruned {
  /** Where it ended, for the next step to continue; null as long as nothing was examined. */
  next: string | null;
  /** Whether its time was over before it had removed all that it examined. */
  isCut: boolean;
  /** Whether nothing that is old enough is left behind `next`. */
  done: boolean;
}

/**
 * Removes what has been kept for long enough. Each verb is one short transaction in which some hundred rows go, or
 * none when there is nothing to remove. What a power failure undoes is removed again: a
 * store need not wait for the disk.
 */
export interface RetentionStore {
  /** Removes deliveries that were delivered, or failed, before a time, with their attempts. */
  pruneDeliveries(step: ReferencePruneStep): Promise<ScanPruned>;
  /**
   * Removes events that happened before a time, and that neither a delivery nor a notification is about, from the log
   * of each account.
   */
  pruneEvents(step: PruneStep): Promise<ScanPruned>;
  /**
   * Removes notifications that were created before a time: all of them with `unread`, or only those that were read.
   * What was created before `since` is not examined.
   */
  pruneNotifications(
    step: ReferencePruneStep & { unread: boolean; since?: number },
  ): Promise<ScanPruned>;
  /** Removes answers whose idempotency keys have expired, `limit` at most; 0 when none is left. */
  pruneIdempotencyKeys(request: { now: number; limit: number }): Promise<Pruned>;
  /**
   * Removes what is left of webhooks that were removed: their deliveries, whatever their state, and in the end
   * themselves. Webhooks and deliveries count; 0 when none is left. It ends once `limit` rows are gone.
   */
  pruneRemovedWebhooks(request: { limit: number }): Promise<Pruned>;
  /**
   * Overwrites what was deleted wherever the store still has a copy of it, as the log of what it writes: after
   * this, secrets of removed webhooks are in none of its files.
   *
   * @returns Whether it is done; false when others were in the way: try again later.
   */
  eraseDeleted(): Promise<boolean>;
}
