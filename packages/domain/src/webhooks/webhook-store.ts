import type { WebhookStatus } from '@tradepost/contract/wire';
import type { AuditEntry } from '../audit/audit-log';
import type { DomainEvent } from '../events/event';
import type { CommandContext } from '../kernel/context';
import type { IdempotencyKey, IdempotentResult, StoredResponse } from '../kernel/idempotency';
import type { PageKey } from '../kernel/pagination';
import type { StatsCounts } from './stats-counts';
import type { Webhook, WebhookWithHealth } from './webhook';

/** Which stored buckets are summed up. Times are in milliseconds. */
export interface StatsQuery {
  /** The width of the stored buckets. */
  width: number;
  /** When the first one starts (inclusive), and the last one ends (exclusive). */
  since: number;
  until: number;
  /** How long the buckets of the result are, from `since` on: a multiple of `width`. */
  bucketMs: number;
}

/** The counts of a webhook in one bucket of the result. */
export interface SummedStats extends StatsCounts {
  webhookId: string;
  /** The index of the bucket, from 0. */
  bucket: number;
}

/** A webhook that may have to be disabled. */
export interface FailingWebhook {
  webhook: WebhookWithHealth;
  /** The order that the notification names; null if there is none. */
  orderId: string | null;
}

/** A webhook that the service disables: it is paused. */
export interface DisabledWebhook {
  webhookId: string;
  accountId: string;
  url: string;
  /** Milliseconds since 1970. */
  failingSince: number;
  /** Also when it was updated, in milliseconds since 1970. */
  disabledAt: number;
  lastStatus: number | null;
  lastError: string | null;
  /** The event that says so. */
  event: DomainEvent;
  /** Its entry in the audit log. */
  audit: AuditEntry;
}

/** Stores webhooks. Each method is one transaction. */
export interface WebhookStore {
  /**
   * Adds a webhook. `decide` receives the number of webhooks that the account has, and its limit. If the idempotency key has a stored
   * response, returns that and does not call `decide`.
   */
  addWebhook<Response extends StoredResponse>(
    request: { accountId: string; idempotencyKey: IdempotencyKey | null; context: CommandContext },
    decide: (
      existingCount: number,
      limit: number | null,
    ) => {
      webhook: Webhook;
      response: Response;
      audit?: AuditEntry | null;
    },
  ): Promise<IdempotentResult<Response>>;
  /** Lists an account's webhooks after `after`, newest first, up to `limit`. */
  listWebhooks(
    accountId: string,
    page: { after: PageKey | null; limit: number },
  ): Promise<WebhookWithHealth[]>;
  /** Lists the webhooks of one account, or of all accounts, newest first: for the operator. */
  listAllWebhooks(accountId?: string): Promise<WebhookWithHealth[]>;
  /** Returns the account's webhook with this ID, or null. */
  findWebhook(accountId: string, id: string): Promise<WebhookWithHealth | null>;
  /** Returns the account of a webhook that is not deleted, or null: for the operator. */
  findOwner(id: string): Promise<string | null>;
  /**
   * Pauses or resumes a webhook of an account, as `changeWebhook` does, but without its secrets: for the operator.
   *
   * @param audit The entry of the audit log. It is written if the status changes.
   * @returns Whether the status has changed.
   */
  changeStatus(
    request: { accountId: string; id: string; status: WebhookStatus; context: CommandContext },
    audit: AuditEntry,
  ): Promise<boolean>;
  /**
   * Sums up the statistics of webhooks. Leaves out buckets in which nothing was counted. Attempts and finished deliveries are counted
   * where they are recorded, in the same transaction.
   */
  sumStats(webhookIds: readonly string[], query: StatsQuery): Promise<SummedStats[]>;
  /**
   * Changes a webhook of an account and its queue: a paused queue stops, and `resetHealth` says what is reset. `decide`
   * must be pure, may be called again, and throws to reject. If the idempotency key has a stored response, returns that and
   * does not call `decide`.
   */
  changeWebhook<Response extends StoredResponse>(
    request: {
      accountId: string;
      id: string;
      idempotencyKey: IdempotencyKey | null;
      context: CommandContext;
    },
    decide: (found: WebhookWithHealth | null) => {
      webhook: Webhook;
      response: Response;
      audit?: AuditEntry | null;
    },
  ): Promise<IdempotentResult<Response>>;
  /**
   * Returns the webhooks that `shouldDisable` is about, up to `limit`, the longest failing first: they are not held, in backoff, and their
   * last failure was recorded at least `failingForMs` after the first. Others would stand before those that can be disabled, in each
   * round. Read by an index, which has only failing endpoints.
   */
  listFailing(request: { now: number; failingForMs: number; limit: number }): Promise<string[]>;
  /**
   * Disables a webhook: pauses it, stops its queue, and adds the event. `decide` must be pure, may be called again, and returns null to
   * change nothing. It gets the webhook, unless it was deleted, and the order that a notification names: that of the last delivery to it
   * that failed, or of the oldest one that waits; null if none of these is about an order.
   *
   * @returns What `decide` returned.
   */
  disableWebhook(
    id: string,
    context: CommandContext,
    decide: (found: FailingWebhook | null) => DisabledWebhook | null,
  ): Promise<DisabledWebhook | null>;
  /**
   * Deletes a webhook of an account. From then on nothing is sent to it, and neither it nor its deliveries can be found; what
   * is left of them is pruned later. Its secrets are erased, also in stored responses: a request that repeats such an
   * idempotency key is rejected with `webhook_deleted`.
   *
   * @returns Whether the account had this webhook.
   */
  deleteWebhook(accountId: string, id: string, now: number, audit?: AuditEntry): Promise<boolean>;
}
