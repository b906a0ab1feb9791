import type { OrderTimeline, Summary, WebhookEvent } from '@tradepost/contract/wire';
import type { ModelAccount } from './account-state';
import { showDelivery, visibleDeliveries } from './delivery-rules';
import { visibleEvents } from './list-rules';
import { formatTime, type ModelEvent, type ModelState, type Reply } from './state';
import { findOrder, visibleOrders } from './trade-rules';
import { visibleWebhooks } from './webhook-rules';

function showChange({ type, data, actor }: ModelEvent): OrderTimeline['entries'][number]['change'] {
  const event = { event: type, data } as WebhookEvent;
  if (event.event === 'order.created') {
    return { from: null, to: event.data.status, reason: null, actor };
  }
  if (event.event !== 'order.status_changed') return null;
  const { previousStatus, status, reason = null } = event.data;
  return { from: previousStatus, to: status, reason, actor };
}

/** `GET /v1/orders/:id/timeline`. Nothing is pruned in the model. */
export function getTimeline(state: ModelState, account: ModelAccount, id?: string): Reply {
  const order = findOrder(state, account, id);
  const ofOrder = visibleEvents(state, account).filter(({ event }) => event.orderId === order.id);
  const entries = ofOrder.map(({ event }) => {
    const notification = state.notifications.find(
      (one) => one.eventId === event.id && one.accountId === account.id,
    );
    const deliveries = visibleDeliveries(state, account).filter((one) => one.event.id === event.id);
    return {
      change: showChange(event),
      event: { id: event.id, type: event.type, createdAt: formatTime(event.createdAt) },
      notification: notification ? { id: notification.id, read: notification.read } : null,
      deliveries: deliveries.map((delivery) => ({
        ...showDelivery(state, delivery),
        attempts: delivery.attempts
          .map(({ startedAt, durationMs, status, error }, index) => ({
            number: index + 1,
            startedAt: formatTime(startedAt),
            durationMs,
            status,
            error,
          }))
          .slice(-10),
      })),
    };
  });
  return { status: 200, body: { data: { entries, prunedBefore: null } } };
}

function count(items: readonly unknown[]): Summary['unread'] {
  return { count: Math.min(items.length, 1_000), atLeast: items.length > 1_000 };
}

/** `GET /v1/summary`, which is the same for 5 s. */
export function getSummary(state: ModelState, account: ModelAccount): Reply {
  const last = state.summaries.find(({ accountId }) => accountId === account.id);
  if (last !== undefined && state.now < last.until) {
    return { status: 200, body: { data: last.data } };
  }
  const ofStatus = (status: string) =>
    count(visibleOrders(state, account).filter((order) => order.status === status));
  const webhooks = visibleWebhooks(state, account);
  const active = webhooks.filter(({ status }) => status === 'active');
  const backoff = active.filter(({ backoffUntil }) => backoffUntil > state.now).length;
  const data: Summary = {
    asOf: formatTime(state.now),
    orders: {
      pending: ofStatus('pending'),
      confirmed: ofStatus('confirmed'),
      fulfilling: ofStatus('fulfilling'),
      completed: ofStatus('completed'),
      cancelled: ofStatus('cancelled'),
    },
    unread: count(state.notifications.filter((one) => one.accountId === account.id && !one.read)),
    webhooks: {
      active: active.length - backoff,
      paused: webhooks.length - active.length,
      disabled: 0,
      backoff,
    },
  };
  state.summaries = [
    ...state.summaries.filter(({ accountId }) => accountId !== account.id),
    { accountId: account.id, until: state.now + 5_000, data },
  ];
  return { status: 200, body: { data } };
}
