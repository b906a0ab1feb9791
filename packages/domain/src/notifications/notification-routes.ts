import { type contract, markReadLimit, pageLimit } from '@tradepost/contract';
import { type Clock, createContext, type IdGenerator } from '../kernel/context';
import { withReplayedHeader } from '../kernel/idempotency';
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
  clock: Clock,
  newId: IdGenerator,
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

    async markAllRead({ caller, body, idempotencyKey }) {
      const { accountId } = caller;
      const before = Date.parse(body.before);
      const context = createContext(clock, newId);
      const request = { accountId, before, limit: markReadLimit, idempotencyKey, context };
      const { response, replayed } = await notifications.markAllRead(request, (data) => ({
        status: 200 as const,
        headers: {},
        body: { data },
      }));
      return replayed ? withReplayedHeader(response) : response;
    },
  };
}
