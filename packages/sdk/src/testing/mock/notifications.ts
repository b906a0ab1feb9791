import type { Notification } from '../../index';
import type { HandlerRequest, MockResponse } from './handler';
import type { Market, NotificationRecord } from './market';
import { slicePage } from './page';
import { MockProblem } from './problem';

/** Converts a stored notification to that of a response. */
export function toNotification({
  accountId: _,
  ...notification
}: NotificationRecord): Notification {
  return notification;
}

/** Handles `GET /v1/notifications`. */
export function listNotifications(market: Market, request: HandlerRequest): MockResponse {
  const { caller, query } = request;
  const found = market.notifications.filter(
    ({ accountId, read }) =>
      accountId === caller.id && (query.read === undefined || String(read) === query.read),
  );
  const { items, nextCursor } = slicePage(found, request, 'ntf');
  return { status: 200, body: { data: items.map(toNotification), nextCursor } };
}

/** Handles `PATCH /v1/notifications/:id`. */
export function markNotificationRead(market: Market, { caller, id }: HandlerRequest): MockResponse {
  const found = market.notifications.find(
    (notification) => notification.id === id && notification.accountId === caller.id,
  );
  if (!found) {
    throw new MockProblem(
      'notification_not_found',
      `No notification ${JSON.stringify(id)} belongs to this account. Check the ID (ntf_<id>) and the API key.`,
    );
  }
  found.read = true;
  return { status: 200, body: { data: toNotification(found) } };
}
