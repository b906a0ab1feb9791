import { orderStatuses } from '@tradepost/contract/wire';
import { isVisibleTo } from '../orders/order';
import type { PastEvent, TimelineStore } from '../orders/order-timeline';
import type { SummaryStore } from '../summary/summary';
import type { MemoryData } from './memory-data';
import { isOwnedBy, toLoggedMemoryDelivery } from './memory-deliveries';

/** Creates the store of timelines. */
export function createMemoryTimelineStore(data: MemoryData): TimelineStore {
  return {
    async readPast(accountId, orderId, { entries, attempts }) {
      const order = data.orders.get(orderId);
      if (order === undefined) return null;
      const logged = data.log.filter(
        (entry) => entry.accountId === accountId && entry.event.orderId === orderId,
      );
      const events = logged.slice(-entries).map(({ event }): PastEvent => {
        const notification = [...data.notifications.values()].find(
          (one) => one.eventId === event.id && one.accountId === accountId,
        );
        const deliveries = [...data.deliveries.values()].filter(
          (one) => one.eventId === event.id && isOwnedBy(data, one, accountId),
        );
        return {
          ...event,
          notification: notification ? { id: notification.id, read: notification.read } : null,
          deliveries: deliveries.map((delivery) => ({
            ...toLoggedMemoryDelivery(data, delivery),
            attempts: delivery.attempts.slice(-attempts),
          })),
        };
      });
      return { order, events, prunedTo: data.prunedTo.get(accountId) ?? 0 };
    },
  };
}

/** Creates the store of summaries. */
export function createMemorySummaryStore(data: MemoryData): SummaryStore {
  return {
    async countAccount(caller, limit, now) {
      const { accountId } = caller;
      const visible = [...data.orders.values()].filter((order) => isVisibleTo(order, caller));
      const countOrders = (status: string) =>
        Math.min(limit, visible.filter((order) => order.status === status).length);
      const unread = [...data.notifications.values()].filter(
        (one) => one.accountId === accountId && !one.read,
      );
      const own = [...data.webhooks.values()].filter(
        (one) => one.accountId === accountId && !one.isDeleted,
      );
      const active = own.filter(({ status }) => status === 'active');
      const disabled = own.filter(({ disabledAt }) => disabledAt !== null);
      const waiting = active.filter(({ id }) => data.getQueue(id).health.backoffUntil > now);
      return {
        orders: Object.fromEntries(
          orderStatuses.map((status) => [status, countOrders(status)]),
        ) as Record<(typeof orderStatuses)[number], number>,
        unread: Math.min(limit, unread.length),
        webhooks: {
          active: active.length - waiting.length,
          paused: own.length - active.length - disabled.length,
          disabled: disabled.length,
          backoff: waiting.length,
        },
      };
    },
  };
}
