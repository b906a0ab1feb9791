import { type contract, pageLimit } from '@tradepost/contract';
import { decodeCursor, slicePage } from '../kernel/pagination';
import type { RouteHandlers } from '../route-handlers';
import {
  type NotificationStore,
  notificationNotFound,
  toNotificationResponse,
} from './notification';

/** Creates the handlers of the notification endpoints. */
export function notificationRoutes(
  notifications: NotificationStore,
): RouteHandlers<typeof contract.notifications> {
  return {
    async list({ caller, query }) {
      const limit = query.limit ?? pageLimit.default;
      const found = await notifications.listNotifications(
        caller.accountId,
        query.read === undefined ? {} : { read: query.read },
        { after: query.cursor ? decodeCursor(query.cursor, 'ntf') : null, limit: limit + 1 },
      );
      const { items, nextCursor } = slicePage(found, limit);
      return { status: 200, body: { data: items.map(toNotificationResponse), nextCursor } };
    },

    async update({ caller, params }) {
      const notification = await notifications.markRead(caller.accountId, params.id);
      if (notification === null) throw notificationNotFound(params.id);
      return { status: 200, body: { data: toNotificationResponse(notification) } };
    },
  };
}
