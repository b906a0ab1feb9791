import type { ClaimedDelivery, Outcome } from './delivery';

/** How all queues stand, those of other processes included: what metrics tell. */
export interface QueueStatus {
  /** Pending deliveries, those under way included. */
  depth: number;
  /** Deliveries in workers' hands. */
  inFlight: number;
  /**
   * When that became due which has been due for longest and is not under way, in milliseconds since 1970;
   * null when there is none. What waits for a paused endpoint, or for one that is held, is not counted.
   */
  oldestDueAt: number | null;
}

/**
 * Where the queues of deliveries are kept, one for each endpoint. Deliveries are written by the changes
 * whose events they carry.
 */
export interface DeliveryStore {
  /**
   * Takes deliveries that are due, `limit` at most: from each endpoint that has some no more than its
   * fair share and than it is allowed at once, the longest due first. A claim lasts until `leaseUntil`;
   * then the delivery is due again, whatever became of the worker. What it costs does not grow with the
   * queues. It may take several transactions, and rejects only if none of them claimed anything.
   */
  claimDue(request: {
    now: number;
    leaseUntil: number;
    token: string;
    limit: number;
  }): Promise<ClaimedDelivery[]>;
  /**
   * Records outcomes, with the attempts that led to them and what they tell of their endpoints' health.
   * One whose claim no longer stands changes nothing, so outcomes may be recorded again when this rejects: it may
   * take several transactions, of which some went through.
   *
   * @param now Milliseconds since 1970.
   */
  recordAttempts(outcomes: Outcome[], now: number): Promise<void>;
  /**
   * Tells that a worker starts: claims that others left do not count against what their endpoints are
   * allowed any more, so that what a crash left behind holds up nothing else. They stand until their
   * leases end. It adjusts to a clock that was set back while no worker ran.
   *
   * @param now Milliseconds since 1970.
   */
  beginAnew(now: number): Promise<void>;
  /**
   * Adjusts what waits to a clock that was set. Of a clock that was set back: whatever began to wait at what is now
   * a time to come waits as long as it had to, from now on. Of one that was set forward: leases that had not
   * ended yet last on, so that nothing is in two hands. Several workers may call it for one setting of the clock.
   *
   * @param clock.expected What the clock would show had it not been set, in milliseconds since 1970; `now` when
   *   that is not known.
   */
  adjustToClock(clock: { expected: number; now: number }): Promise<void>;
  /** When something may be claimed next, in milliseconds since 1970; null when nothing waits for a moment. */
  nextDueAt(): Promise<number | null>;
  /**
   * Fails deliveries whose deadline has passed before they could be tried again: those of a paused
   * endpoint, or of one that is held. `limit` at most, those first that are overdue longest.
   *
   * @returns How many there were.
   */
  failOverdue(request: { now: number; limit: number }): Promise<number>;
  /** How the queues stand. What it costs grows with the endpoints, not with what waits for them. */
  queueStatus(now: number): Promise<QueueStatus>;
}
