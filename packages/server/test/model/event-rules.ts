import type { ModelCount } from './account-state';
import { queueDelivery } from './delivery-rules';
import { type ModelEvent, type ModelState, placeholder } from './state';

/** For how long the service uses what it has counted, in milliseconds. Source: decision 0077. */
export const countedFor = 1_000;

/** What is published. */
export interface Publication extends Pick<ModelEvent, 'type' | 'orderId' | 'actor' | 'data'> {
  recipients: string[];
  /** The order that the notifications name; null to notify nobody. */
  notifiedOrderId: string | null;
  /** What they must contain. */
  mentions: string[];
  /** A webhook that does not get it. */
  exceptWebhookId?: string;
}

/** Writes an event to the logs of its recipients, with a notification and a delivery to each subscribed webhook. */
export function publish(
  state: ModelState,
  { recipients, notifiedOrderId, mentions, exceptWebhookId, ...given }: Publication,
): void {
  const event: ModelEvent = {
    id: placeholder(state, 'evt'),
    ...given,
    createdAt: state.now,
    text: placeholder(state, 'text'),
  };
  for (const accountId of recipients) {
    state.log.push({ accountId, event });
    if (notifiedOrderId === null) continue;
    state.notifications.push({
      id: placeholder(state, 'ntf'),
      number: state.created,
      accountId,
      eventId: event.id,
      type: event.type.replace('.', '_'),
      orderId: notifiedOrderId,
      mentions,
      read: false,
      createdAt: state.now,
    });
  }
  for (const accountId of recipients) {
    const room = openRoom(state, accountId);
    for (const webhook of state.subscribers ?? state.webhooks) {
      const isSubscribed = !webhook.isDeleted && webhook.events.includes(event.type);
      if (webhook.accountId !== accountId || !isSubscribed) continue;
      if (webhook.id === exceptWebhookId) continue;
      const delivery = queueDelivery(state, webhook, event);
      if (room.take()) continue;
      // It is not in the statistics, as decision 0077 says.
      delivery.state = 'failed';
      delivery.error = 'queue_limit_reached';
      delivery.finishedAt = state.now;
    }
  }
}

/** How many more deliveries an account may have pending now. */
function countRoom({ accounts, webhooks, deliveries }: ModelState, accountId: string): number {
  const limit = accounts.find(({ id }) => id === accountId)?.maxOpenDeliveries ?? Infinity;
  const own = webhooks.filter((one) => one.accountId === accountId && !one.isDeleted);
  const ids = new Set(own.map(({ id }) => id));
  const open = deliveries.filter((one) => one.state === 'pending' && ids.has(one.webhookId));
  return limit - open.length;
}

/** Returns the counts of the last second that the service may use now, other than a new one. */
export function usableCounts({ now, counts }: ModelState): ModelCount[] {
  return counts.filter(({ at }) => now - at < countedFor);
}

/** Opens what an account may have pending. `take` returns false if nothing is left. */
function openRoom(state: ModelState, accountId: string): { take: () => boolean } {
  const account = state.accounts.find(({ id }) => id === accountId);
  const others = usableCounts(state).filter((one) => one.accountId === accountId);
  if (account?.maxOpenDeliveries == null && others.length === 0) return { take: () => true };
  const counted = { accountId, at: state.now, left: countRoom(state, accountId) };
  // Nobody knows which of these the service uses from now on, so each loses what is taken.
  const known = [...others, counted];
  state.counts = [...state.counts.filter((one) => one.accountId !== accountId), ...known];
  const room = state.usedCount?.accountId === accountId ? state.usedCount : counted;
  return {
    take() {
      if (room.left <= 0) return false;
      for (const one of known) one.left -= 1;
      return true;
    },
  };
}
