import type {
  Notification,
  NotificationListParams,
  RequestOptions,
  Tradepost,
} from '@tradepost/sdk';
import { type FilterExtra, listExtended } from '../../client/extensions';
import type { ListPage } from '../../output/view';

/** The filter by unread notifications works with any service. */
const unreadOnly: FilterExtra<Notification, NotificationListParams> = {
  extension: 'notifications.filters',
  parameters: { read: false },
  isWanted: ({ read }) => !read,
};

export function listNotifications(
  notifications: Tradepost['notifications'],
  unread: boolean | undefined,
  limit: number,
  request: RequestOptions,
  query: NotificationListParams = {},
): AsyncGenerator<ListPage<Notification>> {
  return listExtended<Notification, NotificationListParams>({
    list: (page) => notifications.list(page, request),
    query,
    extras: unread ? [unreadOnly] : [],
    limit,
  });
}
