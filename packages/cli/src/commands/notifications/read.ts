import type { Notification, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { type BulkRun, runBulk, sendFor, toBulkFailure } from '../../bulk/run-bulk';
import { createClient } from '../../client/create-client';
import { wasNotAttempted } from '../../client/outage';
import type { CliContext } from '../../context';
import { assertObject, CliError, getErrorMessage, localHint } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import {
  addIds,
  type GlobalOptions,
  maxPageSize,
  rateOption,
  reconnectTimeoutOption,
  timeNote,
  verboseOption,
  yesOption,
} from '../../input/options';
import { confirm } from '../../input/prompt';
import { chooseFormat, describeShape, isForPerson } from '../../output/format';
import { createBestEffortWriter, isReaderGone, printNotice, writeData } from '../../output/print';
import { formatCount } from '../../output/text';
import type { Format } from '../../output/view';
import { type Marking, markOlder, nothingMarked } from './mark-older';
import {
  addNotificationFilter,
  checkFilter,
  hasFilter,
  matchesFilter,
  type NotificationFilterOptions,
} from './notification-filter';
import { listNotifications } from './notification-pages';
import { notificationView } from './notification-view';

interface Options extends GlobalOptions, NotificationFilterOptions {
  all?: true;
  dryRun?: true;
  yes?: true;
  verbose?: true;
  rate?: number;
  reconnectTimeout: number;
}

const concurrency = 8;

export function configure(command: Command, context: CliContext): void {
  addIds(command, 'ntf').option('--all', 'all unread notifications');
  addNotificationFilter(command, context)
    .option('--dry-run', 'show what would be marked, and change nothing')
    .option(...yesOption)
    .option(...verboseOption)
    .option(...rateOption)
    .option(...reconnectTimeoutOption)
    .action((ids: string[]) => read(ids, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: notificationView.fields,
    Examples: [
      '$ tradepost notifications read ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
      '$ tradepost notifications read --order ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH --yes',
      '$ tradepost notifications read --type order_created --until 7d --dry-run',
      '$ tradepost notifications read --all --yes --output ndjson --fields orderId,message',
    ],
    Output: [
      `json: an array of the notifications that are now read, ${describeShape(notificationView)}`,
      'json, with --dry-run: an array of those that would be marked',
      'On a terminal there is no table of several that were marked: --verbose lists them.',
    ],
    Notes: [
      'Filters select the unread notifications that match all of them; --all is not needed then.',
      'Without IDs, more than one needs confirmation, or --yes.',
      'Many are marked 1,000 at a time, if the service can do that; not with --order, --type, --since or --rate.',
      'It continues after a failure. Exit code 7: some are read and some failed.',
      timeNote,
    ],
  });
}

async function read(ids: string[], options: Options, context: CliContext): Promise<void> {
  checkUsage(ids, options);
  checkFilter(options, context);
  const format = await chooseFormat(options, notificationView, context);
  const client = createClient(context, options, { concurrency });
  if (ids.length > 0) {
    return await markAsRead([...new Set(ids)], nothingMarked, client, format, options, context);
  }

  const found = await listUnread(client, options, context);
  if (options.dryRun) {
    await writeData(context.stdout, format.formatItems(found));
    await writeData(context.stdout, format.end());
    const count = formatCount(found.length, 'notification');
    return printNotice(context, `Would mark ${count} as read. Nothing changed.`);
  }
  if (found.length === 0) {
    await writeData(context.stdout, format.end());
    const match = hasFilter(options) ? ' match the filters' : '';
    return printNotice(context, `No unread notifications${match}.`);
  }
  if (found.length > 1) {
    const question = `Mark ${formatCount(found.length, 'notification')} as read?`;
    await confirm(question, context, { ...options, canDryRun: true });
  }
  const targets = found.map(({ id }) => id);
  const { order, type, since, rate, reconnectTimeout } = options;
  const isSelection = [order, type, since, rate].some((option) => option !== undefined);
  const older = isSelection
    ? nothingMarked
    : await markOlder(found, client, reconnectTimeout, context);
  await markAsRead(targets, older, client, format, options, context);
}

/** @param older what was done of the targets already */
async function markAsRead(
  targets: readonly string[],
  older: Marking,
  { notifications }: Tradepost,
  format: Format<Notification>,
  options: Options,
  context: CliContext,
): Promise<void> {
  const { rate, reconnectTimeout } = options;
  const marked = new Map(older.done.map((one) => [one.id, one]));
  const left = targets.filter((id) => !marked.has(id));
  const [failed = '', ...others] = left;
  const failures = older.error === null ? [] : [{ id: failed, error: older.error }];
  const stopped = { failures, notAttempted: older.error === null ? left : others };
  const run = older.isStopped
    ? stopped
    : await runBulk(
        {
          ids: left,
          concurrency,
          intervalMs: rate,
          reconnectTimeout,
          showProgress: true,
          async work(id, requests) {
            const { data, error } = await sendFor(requests, (request) =>
              notifications.markRead(id, request),
            );
            // A service may send less than the notification: then the other fields are empty.
            if (data !== null) marked.set(id, data as Notification);
            if (wasNotAttempted(error, context)) return { outcome: 'not_attempted', error: null };
            return { outcome: error === null ? 'updated' : 'failed', error };
          },
        },
        context,
      );
  const done = targets.flatMap((id) => marked.get(id) ?? []);
  const writer = createBestEffortWriter(context.stdout);
  // As with a list that cannot be fetched, nothing is printed if nothing succeeded.
  if (done.length > 0 || run.failures.length === 0) {
    const shown = targets.length > 1 && isCountEnough(options, context) ? [] : done;
    await writer.write(() => format.formatItems(shown));
    await writer.write(() => format.end());
  }
  reportResult(targets, done, run, writer.failure(), context);
}

/** Whether a person who marks several notifications is only told how many. */
function isCountEnough(options: Options, context: CliContext): boolean {
  return isForPerson(options, context) && !options.verbose;
}

function reportResult(
  targets: readonly string[],
  done: readonly Notification[],
  run: Pick<BulkRun, 'failures' | 'notAttempted'>,
  writeFailure: unknown,
  context: CliContext,
): void {
  const printFailure = isReaderGone(writeFailure) ? null : writeFailure;
  const total = `Marked ${formatCount(done.length, 'notification')} as read`;
  if (printFailure !== null) {
    const reason = getErrorMessage(printFailure);
    printNotice(context, `${total}, but the result could not be printed: ${reason}`);
  }
  const nouns = ['notification as read', 'notifications as read'] as const;
  const failure = toBulkFailure('Marked', nouns, targets, done.length, run, context);
  if (failure !== null) throw failure;
  if (printFailure !== null) throw printFailure;
  printNotice(context, `${total}.`);
}

/** @throws {CliError} `usage` for IDs together with a selection, and for neither */
function checkUsage(ids: readonly string[], options: Options): void {
  const { all, dryRun } = options;
  const isSelection = all || hasFilter(options);
  const help = localHint('See', 'notifications read --help');
  if (ids.length > 0 && isSelection) {
    throw new CliError('usage', 'Specify notification IDs or --all with filters, not both', help);
  }
  if (ids.length > 0 && dryRun) {
    throw new CliError('usage', '--dry-run needs --all or a filter, not IDs', help);
  }
  if (ids.length === 0 && !isSelection) {
    throw new CliError('usage', 'Specify notification IDs, --all or a filter', help);
  }
}

/** Reads the whole list first: marking shifts later pages. */
async function listUnread(
  { notifications }: Tradepost,
  options: Options,
  context: CliContext,
): Promise<Notification[]> {
  const { signal } = context;
  const found = new Map<string, Notification>();
  for await (const { data } of listNotifications(notifications, true, maxPageSize, { signal })) {
    for (const notification of data) {
      const { id } = assertObject(notification);
      if (matchesFilter(notification, options)) found.set(id, notification);
    }
  }
  return [...found.values()];
}
