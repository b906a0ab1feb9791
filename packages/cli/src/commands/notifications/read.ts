import type { Notification, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { wasHeldBack } from '../../bulk/outage';
import { runBulk } from '../../bulk/run-bulk';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { BulkError, CliError, getErrorMessage, localHint } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import {
  addIds,
  type GlobalOptions,
  rateOption,
  reconnectTimeoutOption,
} from '../../input/options';
import { chooseFormat } from '../../output/choose-format';
import { describeShape } from '../../output/format';
import { createBestEffortWriter, isReaderGone, printNotice } from '../../output/print';
import { formatCount } from '../../output/text';
import { notificationView } from './notification-view';

interface Options extends GlobalOptions {
  all?: true;
  /** Milliseconds between two starts. */
  rate?: number;
  reconnectTimeout: number;
}

const concurrency = 8;

/** `tradepost notifications read <id...>`, or `--all` */
export function configure(command: Command, context: CliContext): void {
  addIds(command, 'ntf')
    .option('--all', 'all unread notifications')
    .option(...rateOption)
    .option(...reconnectTimeoutOption)
    .action((ids: string[]) => read(ids, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    Examples: [
      '$ tradepost notifications read ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
      '$ tradepost notifications read --all --output ndjson --fields orderId,message',
    ],
    Output: [
      `json: an array of the notifications that are now read, ${describeShape(notificationView)}`,
    ],
    Notes: ['It continues after a failure. Exit code 7: some are read and some failed.'],
  });
}

async function read(ids: string[], options: Options, context: CliContext): Promise<void> {
  if ((ids.length === 0) !== (options.all === true)) {
    throw new CliError(
      'usage',
      ids.length === 0
        ? 'Specify notification IDs or --all'
        : 'Specify notification IDs or --all, not both',
      localHint('See', 'notifications read --help'),
    );
  }
  const format = await chooseFormat(options, notificationView, context.stdout);
  const client = createClient(context, options, concurrency);
  const targets = [...new Set(options.all ? await listUnreadIds(client, context.signal) : ids)];
  const marked = new Map<string, Notification>();
  const { failures, notAttempted } = await runBulk(
    {
      ids: targets,
      concurrency,
      intervalMs: options.rate,
      reconnectTimeout: options.reconnectTimeout,
      showProgress: true,
      async work(id, { send }) {
        const { error } = await send(async (signal) => {
          try {
            const request = { signal, maxRetries: 0 };
            // A service may send less than the notification: then the other fields are empty.
            marked.set(id, (await client.notifications.markRead(id, request)) as Notification);
            return { error: null };
          } catch (error) {
            return { error };
          }
        });
        if (wasHeldBack(error, context)) return { outcome: 'not_attempted', error: null };
        return { outcome: error === null ? 'updated' : 'failed', error };
      },
    },
    context,
  );
  const done = targets.flatMap((id) => marked.get(id) ?? []);
  const [first] = failures;
  const writer = createBestEffortWriter(context.stdout);
  // As with a list that cannot be fetched, nothing is printed if nothing succeeded.
  if (done.length > 0 || first === undefined) {
    await writer.write(() => format.formatItems(done));
    await writer.write(() => format.end());
  }
  const printFailure = isReaderGone(writer.failure()) ? null : writer.failure();
  if (printFailure !== null) {
    const count = formatCount(done.length, 'notification');
    const why = getErrorMessage(printFailure);
    printNotice(context, `Marked ${count} as read, but the result could not be printed: ${why}`);
  }
  if (first === undefined) {
    if (targets.length === 0) printNotice(context, 'No unread notifications.');
    if (printFailure !== null) throw printFailure;
    return;
  }
  if (targets.length === 1) throw first.error;
  const rest = notAttempted.length > 0 ? `, ${notAttempted.length} not attempted` : '';
  throw new BulkError(
    `Marked ${done.length} of ${targets.length} notifications as read; ${failures.length} failed${rest}`,
    done.length,
    failures,
  );
}

/** Reads the whole list first: marking shifts later pages. */
async function listUnreadIds({ notifications }: Tradepost, signal: AbortSignal): Promise<string[]> {
  const all = await notifications
    .list({ read: false, limit: 100 }, { signal })
    .toArray({ limit: Number.POSITIVE_INFINITY });
  // A service may not support the filter.
  return all.filter((notification) => !notification.read).map(({ id }) => id);
}
