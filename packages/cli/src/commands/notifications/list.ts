import type { Notification, NotificationListParams } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  type GlobalOptions,
  getPageSize,
  type PaginationOptions,
  timeNote,
} from '../../input/options';
import { describeShape, filterPages, requestPages } from '../../output/format';
import { printList } from '../../output/print';
import {
  addNotificationFilter,
  checkFilter,
  hasFilter,
  matchesFilter,
  type NotificationFilterOptions,
} from './notification-filter';
import { notificationView } from './notification-view';
import { requestUnread } from './unread-pages';

interface Options extends GlobalOptions, PaginationOptions, NotificationFilterOptions {
  unread?: true;
}

/** `tradepost notifications list` */
export function configure(command: Command, context: CliContext): void {
  addNotificationFilter(command.option('--unread', 'only unread notifications'), context);
  addPaginationOptions(command, 'notifications').action(() =>
    list(command.optsWithGlobals<Options>(), context),
  );
  addHelp(command, {
    fields: notificationView.fields,
    Examples: [
      '$ tradepost notifications list --unread',
      '$ tradepost notifications list --order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH --type order_status_changed',
      '$ tradepost notifications list --all --output ndjson',
    ],
    Output: [
      `json: an array of ${describeShape(notificationView)}`,
      'On a narrow terminal a table wraps messages and leaves out columns from the right.',
    ],
    Notes: [timeNote],
  });
}

async function list(options: Options, context: CliContext): Promise<void> {
  checkFilter(options, context);
  const { signal } = context;
  const isFiltered = options.unread === true || hasFilter(options);
  const { notifications } = createClient(context, options);
  const load = (page: NotificationListParams) => notifications.list(page, { signal }).pages();
  const isWanted = (notification: Notification) =>
    !(options.unread && notification.read) && matchesFilter(notification, options);
  const request = (page: NotificationListParams & { limit: number }) =>
    requestPages(load, page, isWanted);
  const query = { limit: getPageSize(options, isFiltered) };
  const pages = options.unread ? requestUnread(request, query, context) : request(query);
  const found = isFiltered ? filterPages(pages, isWanted) : pages;
  await printList(found, ['notification', 'notifications'], notificationView, context, options);
}
