import type { ListNotifications, Notification } from '@tradepost/sdk';
import type { Command } from 'commander';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { addLimitOptions, type ListLimitOptions, limitsOf } from '../../list-limit';
import { filterPages } from '../../output/filter-pages';
import { showList } from '../../output/show-list';
import type { Terminal } from '../../terminal';
import { notificationShape, notificationView } from './notification-view';

interface Options extends GlobalOptions, ListLimitOptions {
  unread?: true;
}

/** `tradepost notifications list`. */
export function define(command: Command, terminal: Terminal): void {
  command.option('--unread', 'only notifications that are not marked read');
  addLimitOptions(command, 'notifications')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost notifications list --unread',
          '$ tradepost notifications list --all --output ndjson',
        ],
        Output: [
          `json: an array of ${notificationShape}`,
          'On a narrow terminal a table shortens messages and leaves columns out, from the right.',
        ],
      }),
    )
    .action(() => list(command.optsWithGlobals<Options>(), terminal));
}

async function list(options: Options, terminal: Terminal): Promise<void> {
  const { limit, pageSize } = limitsOf(options);
  const query: ListNotifications = { limit: pageSize };
  if (options.unread) query.read = false;
  const { notifications } = connect(terminal, options);
  const isUnread = ({ read }: Notification) => !read;
  const pages = notifications.list(query, { signal: terminal.signal }).pages();
  await showList(
    { pages: options.unread ? filterPages(pages, isUnread) : pages, limit, noun: 'notifications' },
    notificationView,
    terminal,
    options,
  );
}
