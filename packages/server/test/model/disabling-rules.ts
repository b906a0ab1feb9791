import { addAudit, byService } from './audit-rules';
import { publish } from './event-rules';
import { formatTime, type ModelState, type ModelWebhook } from './state';
import { isHeld } from './webhook-rules';

/** Source: decision 0013, "Disabling". */
const failingFor = 3 * 24 * 60 * 60 * 1_000;
/** Source: decision 0009, "Health". */
const failuresBeforeBackoff = 5;

function hasFailedForLong({ failures, failingSince, failedAt }: ModelWebhook): boolean {
  if (failures < failuresBeforeBackoff || failingSince === null) return false;
  return failedAt - failingSince >= failingFor;
}

/** Returns the webhooks that are to be disabled now. */
export function findFailing(state: ModelState): ModelWebhook[] {
  return state.webhooks.filter(
    (one) => !one.isDeleted && !isHeld(state, one) && hasFailedForLong(one),
  );
}

/** The order of the last delivery that failed, or of the oldest one that waits. */
function findFailedOrder({ deliveries }: ModelState, webhook: ModelWebhook): string | null {
  const own = deliveries.filter((one) => one.webhookId === webhook.id);
  const about = own.filter(({ event }) => event.orderId !== null);
  const failed = about.findLast(({ state }) => state === 'failed');
  return (failed ?? about.find(({ state }) => state === 'pending'))?.event.orderId ?? null;
}

/** Disables a webhook that was found failing, if it still is. Returns whether it did. */
export function disableWebhook(state: ModelState, id: string): boolean {
  const webhook = state.webhooks.find((one) => one.id === id);
  if (webhook === undefined || webhook.isDeleted || webhook.status === 'paused') return false;
  if (!hasFailedForLong(webhook)) return false;
  const { url, accountId, failingSince, lastStatus, lastError } = webhook;
  const since = formatTime(failingSince ?? 0);
  const times = { failingSince: since, disabledAt: formatTime(state.now) };
  const notifiedOrderId = findFailedOrder(state, webhook);
  Object.assign(webhook, { status: 'paused', disabledAt: state.now, updatedAt: state.now });
  addAudit(state, byService, 'webhook.disabled', webhook);
  publish(state, {
    type: 'webhook.disabled',
    orderId: null,
    notifiedOrderId,
    actor: null,
    data: { webhookId: id, url, ...times, lastStatus, lastError },
    recipients: [accountId],
    mentions: [id, since],
    exceptWebhookId: id,
  });
  return true;
}
