import type { Notification, NotificationListParams, Page } from '@tradepost/sdk';
import { beforeFirst, orElse } from '../../client/alternative-pages';
import { mayRejectParameter } from '../../client/rejections';
import type { CliContext } from '../../context';
import { maxPageSize } from '../../input/options';
import { printNotice } from '../../output/print';

type Pages = AsyncIterable<Page<Notification>>;

/** A query with a page size. */
type NotificationPagesQuery = NotificationListParams & { limit: number };

/**
 * Requests the unread notifications page by page. The filter is an extension of the API: a service may ignore it, and
 * from one that rejects it all notifications are requested. So the caller filters them again.
 */
export function requestUnread(
  load: (query: NotificationPagesQuery) => Pages,
  query: NotificationPagesQuery,
  context: CliContext,
): Pages {
  const onFallback = () =>
    printNotice(context, 'The service rejected the filter; reading all notifications instead.');
  return orElse(
    load({ ...query, read: false }),
    () => beforeFirst(load({ ...query, limit: maxPageSize }), onFallback),
    { isExpected: mayRejectParameter },
  );
}
