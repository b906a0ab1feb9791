import type { AccountRetention } from '../accounts/retention';
import type { DeliveryState } from '../deliveries/delivery';

/** An account that keeps data for times of its own. */
export interface RetainingAccount extends AccountRetention {
  id: string;
  /** Its webhooks, without deleted ones. */
  webhookIds: string[];
}

/** The states of finished deliveries. */
export const finishedStates = ['delivered', 'failed'] as const satisfies DeliveryState[];

/** Where a scan in the order of creation is. */
export interface ScanPosition {
  /** Milliseconds since 1970. */
  createdAt: number;
  id: string;
}

/** Formats a position as the `next` of a step. */
export function formatPosition({ createdAt, id }: ScanPosition): string {
  return `${createdAt}:${id}`;
}

/** Parses the `after` of a step; null stands for the start. */
export function parsePosition(after: string | null): ScanPosition {
  const [createdAt = '', id = ''] = (after ?? '0:').split(':');
  return { createdAt: Number(createdAt), id };
}

/** One step of a scan from the oldest to the newest item. It is short, regardless of how much it skips. */
export interface PruneStep {
  /** The `next` of the previous step; null to start from the oldest. */
  after: string | null;
  /** Only older items are removed, in milliseconds since 1970. */
  before: number;
  /**
   * How many items it scans at most: a few hundred. It removes no more than that, and may end sooner so that other work does
   * not wait; it removes at least one item if there is one.
   */
  limit: number;
}

/** A step that removes references to events. An event is removed with its last reference. */
export interface ReferencePruneStep extends PruneStep {
  /** Events before this time are removed with their last reference, in milliseconds since 1970. */
  eventsBefore: number;
}

/** The result of a step. */
export interface Pruned {
  /** How many items it removed, without the rows that belong to them. */
  removed: number;
  /** How long it occupied the store in milliseconds, without waiting for others. */
  busyMs: number;
  /** How long it waited for others before it could write, in milliseconds. */
  waitedMs: number;
}

/** The result of a step of a scan. */
export interface ScanPruned extends Pruned {
  /** Where the next step continues; null if nothing was scanned. */
  next: string | null;
  /** Whether its time was over before it had removed everything that it scanned. */
  isCut: boolean;
  /** Whether no item after `next` is old enough. */
  done: boolean;
}

/**
 * Removes old data. Each method is one short transaction that removes some hundred rows, or none if there is nothing to remove.
 * What a power failure undoes is removed again, so the store need not wait for the disk.
 */
export interface RetentionStore {
  /** Removes deliveries that finished before a time, with their attempts. */
  pruneDeliveries(step: ReferencePruneStep): Promise<ScanPruned>;
  /** Removes events that happened before a time and that no delivery or notification refers to, also from the event logs. */
  pruneEvents(step: PruneStep): Promise<ScanPruned>;
  /** Removes notifications created before a time: all with `unread`, otherwise only read ones. Those before `since` are not scanned. */
  pruneNotifications(
    step: ReferencePruneStep & { unread: boolean; since?: number },
  ): Promise<ScanPruned>;
  /** Returns the first account after an ID, in the order of IDs, that has times of its own; null if there is none. */
  findRetainingAccount(after: string | null): Promise<RetainingAccount | null>;
  /** Removes deliveries of a webhook that are in a final state and finished before a time, with their attempts. */
  pruneWebhookDeliveries(
    step: ReferencePruneStep & { webhookId: string; state: (typeof finishedStates)[number] },
  ): Promise<ScanPruned>;
  /** Removes the oldest notifications of an account created before a time, either read or unread ones, up to `limit`; 0 if none is left. */
  pruneAccountNotifications(
    request: Omit<ReferencePruneStep, 'after'> & { accountId: string; read: boolean },
  ): Promise<Pruned>;
  /** Removes entries of the audit log that were written before a time. */
  pruneAuditLog(step: PruneStep): Promise<ScanPruned>;
  /** Removes stored responses whose idempotency keys have expired, up to `limit`; 0 if none is left. */
  pruneIdempotencyKeys(request: { now: number; limit: number }): Promise<Pruned>;
  /** Removes sign-in codes and sessions that expired before these times, in milliseconds since 1970, up to `limit`; 0 if none is left. */
  pruneSignIns(request: {
    codesBefore: number;
    sessionsBefore: number;
    limit: number;
  }): Promise<Pruned>;
  /**
   * Removes what is left of deleted webhooks: their deliveries in any state, their statistics, and finally the webhooks. Counts
   * all of them; 0 if none is left. Ends after about `limit` rows.
   */
  pruneRemovedWebhooks(request: { limit: number }): Promise<Pruned>;
  /** Removes buckets of statistics with this width that start before a time, up to `limit`; 0 if none is left. */
  pruneStats(request: { width: number; before: number; limit: number }): Promise<Pruned>;
  /**
   * Overwrites deleted data wherever the store has a copy, such as in its write-ahead log. Afterwards, secrets of deleted
   * webhooks are in none of its files.
   *
   * @returns False if others were in the way: try again later.
   */
  eraseDeleted(): Promise<boolean>;
}
