import type { KeptEvent } from '../events/domain-event';
import type { Answer, Answered, IdempotencyClaim } from '../idempotency-claim';
import type { Moment } from '../moment';
import type { Position } from '../position';
import type { Webhook } from '../webhooks/webhook';
import type { Delivery } from './delivery';
import type { DeliveryFilter, DeliveryRecord, LoggedDelivery } from './logged-delivery';

/**
 * What an account may see of the deliveries to its webhooks, and what it may ask of them. Those to a
 * webhook that was removed are not found. Each verb is one transaction; `decide` is pure, may be called
 * again, and refuses by throwing. A claim that was answered before is answered the same.
 */
export interface DeliveryLogStore {
  /**
   * An account's deliveries, newest first, from `after` on, `limit` at most. Where `needsSearch` says so it may
   * take a while: accounts take turns then, and of each account only a few searches run at once.
   *
   * @param signal Ends a search: the promise rejects with its reason, and nothing more is read.
   * @throws DomainError `rate_limited` when too many searches of the account are in progress.
   */
  listDeliveries(
    accountId: string,
    filter: DeliveryFilter,
    page: { after: Position | null; limit: number },
    signal?: AbortSignal,
  ): Promise<LoggedDelivery[]>;
  /** The account's delivery with this id, with its body and its attempts, or null. */
  findDelivery(accountId: string, id: string): Promise<DeliveryRecord | null>;
  /** Puts a delivery back into its queue as `decide` says; what held its endpoint holds it no longer. */
  replayDelivery<Given extends Answer>(
    request: { accountId: string; id: string; claim: IdempotencyClaim | null; moment: Moment },
    decide: (found: LoggedDelivery | null) => { delivery: LoggedDelivery; answer: Given },
  ): Promise<Answered<Given>>;
  /** Queues a delivery of an event that is in no log; what held its endpoint holds it no longer. */
  addSample<Given extends Answer>(
    request: {
      accountId: string;
      webhookId: string;
      claim: IdempotencyClaim | null;
      moment: Moment;
    },
    decide: (found: Webhook | null) => { event: KeptEvent; delivery: Delivery; answer: Given },
  ): Promise<Answered<Given>>;
}
