import type { Answer, Answered, IdempotencyClaim } from '../idempotency-claim';
import type { Moment } from '../moment';
import type { Position } from '../position';
import type { Webhook } from './webhook';
import type { WatchedWebhook } from './webhook-traffic';

/** Where webhooks are kept. Each verb is one transaction. */
export interface WebhookStore {
  /** Adds a webhook; `decide` is told how many the account has. A claim that was answered before is answered the same, and nothing is decided. */
  addWebhook<Given extends Answer>(
    request: { accountId: string; claim: IdempotencyClaim | null; moment: Moment },
    decide: (registered: number) => { webhook: Webhook; answer: Given },
  ): Promise<Answered<Given>>;
  /** An account's webhooks, newest first, from `after` on, `limit` at most. */
  listWebhooks(
    accountId: string,
    page: { after: Position | null; limit: number },
  ): Promise<WatchedWebhook[]>;
  /** The account's webhook with this id, or null. */
  findWebhook(accountId: string, id: string): Promise<WatchedWebhook | null>;
  /**
   * Changes a webhook of an account, and with it its queue: a paused one waits, and one that `isMended`
   * is held no longer. `decide` is pure, may be called again, and refuses by throwing. A claim that was
   * answered before is answered the same, and nothing is decided.
   */
  changeWebhook<Given extends Answer>(
    request: { accountId: string; id: string; claim: IdempotencyClaim | null; moment: Moment },
    decide: (found: WatchedWebhook | null) => { webhook: Webhook; answer: Given },
  ): Promise<Answered<Given>>;
  /**
   * Removes a webhook of an account: from now on nothing is sent to it, and neither it nor its deliveries
   * can be found. What is left of them is pruned later. Its secrets are erased, in the responses too that are
   * kept for idempotency keys: such a claim is refused with `webhook_deleted`.
   *
   * @returns Whether the account had it.
   */
  removeWebhook(accountId: string, id: string, now: number): Promise<boolean>;
}
