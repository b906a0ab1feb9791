import type { StoredEvent } from '../events/event';
import type { CommandContext } from '../kernel/context';
import type { IdempotencyKey, IdempotentResult, StoredResponse } from '../kernel/idempotency';
import type { PageKey } from '../kernel/pagination';
import type { Webhook } from '../webhooks/webhook';
import type { AttemptResult, Delivery, LeasedDelivery } from './delivery';
import type { DeliveryFilter, DeliveryRecord, LoggedDelivery } from './logged-delivery';

/** The state of all queues, including those of other processes. Used for metrics. */
export interface QueueStatus {
  /** Pending deliveries, including those in flight. */
  depth: number;
  /** Leased deliveries. */
  inFlight: number;
  /**
   * When the longest overdue delivery that is not in flight became due, in milliseconds since 1970; null if there is none.
   * Deliveries of paused endpoints and of endpoints in backoff do not count.
   */
  oldestDueAt: number | null;
}

/** A worker that the store knows. */
export interface WorkerRegistration {
  /** Passed with its lease requests. Never used again by another worker. */
  id: string;
  /**
   * Ends the registration, and its leases with it: call it when no attempt is in flight.
   *
   * @param now Milliseconds since 1970.
   */
  end(now: number): Promise<void>;
}

/** Stores the queues of deliveries, one for each endpoint. Changes add deliveries in their own transaction. */
export interface DeliveryStore {
  /**
   * Leases due deliveries, up to `limit`: from each endpoint no more than its fair share and its concurrency limit, the
   * longest due first. A lease lasts until `leaseUntil`; then the delivery is due again, even if the worker has crashed. The
   * cost does not grow with the queues. May take several transactions; rejects only if none of them leased anything.
   */
  leaseDue(request: {
    now: number;
    leaseUntil: number;
    leaseToken: string;
    limit: number;
    /** The ID of a registered worker; without one, the leases last until they end, whatever happens. */
    worker?: string | undefined;
  }): Promise<LeasedDelivery[]>;
  /**
   * Registers a worker, so that its leases need not run out if its process or its thread dies. The store notices that by a lock
   * that ends with the process, such as a lock of the operating system or of a database session; never by missing signs of life,
   * since a worker that hangs may resume.
   */
  registerWorker(): Promise<WorkerRegistration>;
  /**
   * Releases the leases of workers that have certainly died: their deliveries are due at once, ahead of their queues. Leases of
   * workers that live, hang, or run where their end cannot be noticed last until they end. Cheap if no worker has died. May need
   * another call a second later to be certain.
   *
   * @param now Milliseconds since 1970.
   * @returns How many leases were released.
   */
  releaseDeadLeases(now: number): Promise<number>;
  /**
   * Records attempt results and updates the health of their endpoints. A result whose lease has ended changes nothing, so
   * results may be recorded again when this rejects. May take several transactions, some of which may have succeeded.
   *
   * @param now Milliseconds since 1970.
   */
  recordAttempts(results: AttemptResult[], now: number): Promise<void>;
  /**
   * Call when a worker starts, after `releaseDeadLeases`. Leases that are left of other workers no longer count towards the concurrency limits of
   * their endpoints, but last until they end. Also adjusts to a clock that was set back while no worker ran.
   *
   * @param now Milliseconds since 1970.
   */
  resetStaleLeases(now: number): Promise<void>;
  /**
   * Adjusts waits and leases after the clock was set. After it was set back, a wait that started in what is now the future
   * starts again from now. After it was set forward, leases that had not ended are extended, so that no delivery is leased
   * twice. Several workers may call it for the same change.
   *
   * @param clock.expected The time if the clock had not been set, in milliseconds since 1970; `now` if unknown.
   */
  adjustToClock(clock: { expected: number; now: number }): Promise<void>;
  /** Returns when a delivery may be leased next, in milliseconds since 1970; null if none is scheduled. */
  nextDueAt(): Promise<number | null>;
  /**
   * Fails deliveries whose deadline has passed while their endpoint was paused or in backoff, the longest overdue first, up to
   * `limit`.
   *
   * @returns How many deliveries failed.
   */
  failOverdue(request: { now: number; limit: number }): Promise<number>;
  /** Returns the state of the queues. The cost grows with the number of endpoints, not with the number of deliveries. */
  queueStatus(now: number): Promise<QueueStatus>;
}

/**
 * Reads an account's deliveries and queues the ones it requests. Deliveries of deleted webhooks are not found. Each method is
 * one transaction. `decide` must be pure, may be called again, and throws to reject. If the idempotency key has a stored
 * response, `decide` is not called.
 */
export interface DeliveryLogStore {
  /**
   * Lists an account's deliveries after `after`, newest first, up to `limit`. If `needsSearch` is true for the filter, this may
   * take a while: accounts take turns, and only a few searches of each account run at once.
   *
   * @param signal Cancels a search. The promise rejects with the signal's reason.
   * @throws DomainError `rate_limited` if too many searches of the account are in flight.
   */
  listDeliveries(
    accountId: string,
    filter: DeliveryFilter,
    page: { after: PageKey | null; limit: number },
    signal?: AbortSignal,
  ): Promise<LoggedDelivery[]>;
  /** Returns the account of a delivery whose webhook is not deleted, or null: for the operator. */
  findOwner(id: string): Promise<string | null>;
  /** Returns the account's delivery with this ID, with its body and its attempts, or null. */
  findDelivery(accountId: string, id: string): Promise<DeliveryRecord | null>;
  /**
   * Puts deliveries back into their queues as `decide` returns them, ahead of what waits there, and ends the backoff of their
   * endpoints. `decide` gets those of the account that exist, and returns some of them.
   */
  replayDeliveries<Response extends StoredResponse>(
    request: {
      accountId: string;
      ids: readonly string[];
      idempotencyKey: IdempotencyKey | null;
      context: CommandContext;
    },
    decide: (found: LoggedDelivery[]) => { deliveries: LoggedDelivery[]; response: Response },
  ): Promise<IdempotentResult<Response>>;
  /** Queues a delivery of an event that is in no event log, and ends the backoff of its endpoint. */
  enqueueTestDelivery<Response extends StoredResponse>(
    request: {
      accountId: string;
      webhookId: string;
      idempotencyKey: IdempotencyKey | null;
      context: CommandContext;
    },
    decide: (found: Webhook | null) => {
      event: StoredEvent;
      delivery: Delivery;
      response: Response;
    },
  ): Promise<IdempotentResult<Response>>;
}
