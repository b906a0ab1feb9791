import type { ClaimedDelivery, Outcome } from './delivery';

/** Where the queue of deliveries is kept. Deliveries are written by the changes whose events they carry. */
export interface DeliveryStore {
  /**
   * Takes deliveries that are due, the longest due first, `limit` at most. A claim lasts until
   * `leaseUntil`; then the delivery is due again, whatever became of the worker.
   */
  claimDue(request: {
    now: number;
    leaseUntil: number;
    token: string;
    limit: number;
  }): Promise<ClaimedDelivery[]>;
  /** Records outcomes, with the attempts that led to them. One whose claim no longer stands changes nothing. */
  recordAttempts(outcomes: Outcome[]): Promise<void>;
  /** When the next delivery is due, in milliseconds since 1970; null when none is pending. */
  nextDueAt(): Promise<number | null>;
}
