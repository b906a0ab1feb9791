import type { AuditActor } from '../audit/audit-log';
import { failuresBeforeBackoff } from '../deliveries/endpoint-health';
import { createEvent } from '../events/event';
import {
  type Clock,
  type CommandContext,
  createContext,
  formatTimestamp,
  type IdGenerator,
} from '../kernel/context';
import type { WebhookWithHealth } from './webhook';
import { auditWebhook } from './webhook-audit';
import type { DisabledWebhook, FailingWebhook, WebhookStore } from './webhook-store';

const dayMs = 24 * 60 * 60 * 1000;

/** After how many days of failures alone an endpoint is disabled by default. */
export const defaultDisableAfterDays = 3;

/**
 * Returns whether an endpoint has failed alone for long enough: it is active and in backoff, and its last failure was recorded that long
 * after the first one since the last success or resumption. An endpoint that gets nothing to fail at is not disabled, however long ago
 * that was.
 */
export function shouldDisable(
  { status, health }: WebhookWithHealth,
  failingForMs: number,
): boolean {
  const { failures, failingSince, failedAt } = health;
  return (
    status === 'active' &&
    failures >= failuresBeforeBackoff &&
    failingSince > 0 &&
    failedAt - failingSince >= failingForMs
  );
}

function describeReason({ lastStatus, lastError }: WebhookWithHealth['health']): string {
  const status = lastStatus === null ? null : `HTTP status ${lastStatus}`;
  return [status, lastError].filter((part) => part !== null).join(', ') || 'no response';
}

/**
 * Disables a webhook if `shouldDisable` says so: it is paused, and its account, no one else, gets an event and a notification. The event
 * is about no order: the one that the notification has to name is only where the failure was last seen. The webhook itself does not get
 * the event.
 */
export function disableWebhook(
  found: FailingWebhook | null,
  failingForMs: number,
  context: CommandContext,
): DisabledWebhook | null {
  if (found === null || !shouldDisable(found.webhook, failingForMs)) return null;
  const { id: webhookId, accountId, url, updatedAt, health } = found.webhook;
  const { failingSince, lastStatus, lastError } = health;
  const disabledAt = Math.max(context.now, updatedAt);
  const since = formatTimestamp(failingSince);
  const shown = { failingSince: since, disabledAt: formatTimestamp(disabledAt) };
  const data = { webhookId, url, ...shown, lastStatus, lastError };
  const message = `Webhook ${webhookId} (${new URL(url).host}) is disabled: all attempts have failed since ${since}, the last one with ${describeReason(health)}. Repair the endpoint, then resume the webhook.`;
  const event = createEvent(
    { event: 'webhook.disabled', data },
    { orderId: null, orderVersion: null, message, recipients: [accountId] },
    context,
  );
  return {
    ...{ webhookId, accountId, url, failingSince, disabledAt, lastStatus, lastError },
    event: { ...event, notifiedOrderId: found.orderId, exceptWebhookId: webhookId },
    audit: auditWebhook(service, 'webhook.disabled', found.webhook, context),
  };
}

/** The service itself, for the audit log. */
const service: AuditActor = { type: 'service', id: 'tradepost-server' };

/** What disabling endpoints depends on. */
export interface DisablingSettings {
  webhooks: Pick<WebhookStore, 'listFailing' | 'disableWebhook'>;
  clock: Clock;
  newId: IdGenerator;
  /** For how many days an endpoint must have failed alone; 0 for never. */
  disableAfterDays: number;
}

/** How many endpoints one step disables at most. */
const batch = 100;

/**
 * Disables endpoints that have failed alone for long enough, each in a transaction of its own. Any number of processes may run it: each
 * webhook is disabled once.
 *
 * @returns Those that it disabled, and whether others may be left.
 */
export async function disableFailing(
  { webhooks, clock, newId, disableAfterDays }: DisablingSettings,
  limit = batch,
): Promise<{ disabled: DisabledWebhook[]; hasMore: boolean }> {
  if (disableAfterDays === 0) return { disabled: [], hasMore: false };
  const failingForMs = disableAfterDays * dayMs;
  const ids = await webhooks.listFailing({ now: clock.now(), failingForMs, limit });
  const disabled: DisabledWebhook[] = [];
  for (const id of ids) {
    const context = createContext(clock, newId);
    const one = await webhooks.disableWebhook(id, context, (found) =>
      disableWebhook(found, failingForMs, context),
    );
    if (one !== null) disabled.push(one);
  }
  return { disabled, hasMore: ids.length === limit };
}
