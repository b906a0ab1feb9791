import type { Notification } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  type GlobalOptions,
  getPageSize,
  maxPageSize,
  type PaginationOptions,
  timeNote,
} from '../../input/options';
import { describeShape, filterPages } from '../../output/format';
import { printList } from '../../output/print';
import {
  addNotificationFilter,
  checkFilter,
  hasFilter,
  matchesFilter,
  type NotificationFilterOptions,
} from './notification-filter';
import { listNotifications } from './notification-pages';
import { notificationView } from './notification-view';

interface Options extends GlobalOptions, PaginationOptions, NotificationFilterOptions {
  unread?: true;
}

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
  const { notifications } = createClient(context, options);
  const isFiltered = hasFilter(options);
  const limit = isFiltered ? maxPageSize : getPageSize(options);
  const pages = listNotifications(notifications, options.unread, limit, {
    signal: context.signal,
  });
  const isWanted = (notification: Notification) => matchesFilter(notification, options);
  const found = isFiltered ? filterPages(pages, isWanted) : pages;
  await printList(found, ['notification', 'notifications'], notificationView, context, options);
}
