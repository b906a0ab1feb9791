import { type contract, pageLimit } from '@tradepost/contract';
import type { FeatureRoutes } from '../feature-routes';
import { cutPage, readCursor } from '../position';
import { notificationNotFound, presentNotification } from './notification';
import type { NotificationStore } from './notification-store';

/** The two notification endpoints. */
export function notificationRoutes(
  notifications: NotificationStore,
): FeatureRoutes<typeof contract.notifications> {
  return {
    async list({ caller, query }) {
      const limit = query.limit ?? pageLimit.default;
      const found = await notifications.listNotifications(
        caller.accountId,
        query.read === undefined ? {} : { read: query.read },
        { after: query.cursor ? readCursor(query.cursor, 'ntf') : null, limit: limit + 1 },
      );
      const { items, nextCursor } = cutPage(found, limit);
      return { status: 200, body: { data: items.map(presentNotification), nextCursor } };
    },

    async update({ caller, params }) {
      const notification = await notifications.markRead(caller.accountId, params.id);
      if (notification === null) throw notificationNotFound(params.id);
      return { status: 200, body: { data: presentNotification(notification) } };
    },
  };
}
