import type { Notification, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { endsAll } from '../../bulk/outcome';
import { runPool } from '../../bulk/pool';
import { BulkError, type Failure } from '../../bulk-error';
import { CliError } from '../../cli-error';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { idsArgument } from '../../input/id-argument';
import { messageOf } from '../../message-of';
import { chooseFormat } from '../../output/choose-format';
import { note } from '../../output/note';
import { progressOf } from '../../output/progress';
import { tryToPrint } from '../../output/try-to-print';
import type { Terminal } from '../../terminal';
import { notificationShape, notificationView } from './notification-view';

interface Options extends GlobalOptions {
  all?: true;
}

/** How many notifications are marked at a time. */
const concurrency = 8;

/** `tradepost notifications read <id...>`, or `--all`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idsArgument(command, 'ntf', '[id...]'))
    .option('--all', 'every notification that is not marked read')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost notifications read ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
          '$ tradepost notifications read --all --output ndjson --fields orderId,message',
        ],
        Output: [`json: an array of the notifications that are now read, ${notificationShape}`],
        Notes: ['It goes on after a failure. Exit code 7: some are read and some failed.'],
      }),
    )
    .action((ids: string[]) => read(ids, command.optsWithGlobals<Options>(), terminal));
}

async function read(ids: string[], options: Options, terminal: Terminal): Promise<void> {
  if ((ids.length === 0) !== (options.all === true)) {
    throw new CliError(
      'usage',
      ids.length === 0
        ? 'which notifications are read: name their ids, or pass --all'
        : '--all is for every notification: it takes no ids',
      '`tradepost notifications read --help` shows what there is.',
    );
  }
  const format = await chooseFormat(options, notificationView, terminal.stdout);
  const client = connect(terminal, options, concurrency);
  // An id that is named twice is marked once, and counted once.
  const targets = [...new Set(options.all ? await unreadIds(client, terminal.signal) : ids)];
  const { done, failures } = await markRead(client, targets, terminal);
  const [first] = failures;
  // As any list that could not be had: when nothing is read, nothing is printed.
  const isNothing = done.length === 0 && first !== undefined;
  const unprinted = isNothing ? null : await tryToPrint(done, format, terminal.stdout);
  const isAre = done.length === 1 ? 'notification is' : 'notifications are';
  if (unprinted !== null) {
    const why = `that could not be printed: ${messageOf(unprinted)}`;
    note(terminal, `${done.length} ${isAre} marked read, but ${why}`);
  }
  if (first === undefined) {
    if (targets.length === 0) note(terminal, 'No notification is unread.');
    if (unprinted !== null) throw unprinted;
    return;
  }
  if (targets.length === 1) throw first.error;
  const untried = targets.length - done.length - failures.length;
  throw new BulkError(
    `${done.length} of ${targets.length} notifications could be marked read; ${failures.length} failed${untried > 0 ? `, ${untried} not tried` : ''}`,
    done.length,
    failures,
  );
}

/** The whole list first: what is marked read while pages are still to come would move them. */
async function unreadIds({ notifications }: Tradepost, signal: AbortSignal): Promise<string[]> {
  const all = await notifications
    .list({ read: false, limit: 100 }, { signal })
    .toArray({ limit: Number.POSITIVE_INFINITY });
  // A service without that filter sends those that are read too.
  return all.filter((notification) => !notification.read).map(({ id }) => id);
}

/** Marks notifications read, and tells which are, in the order that they were named in. */
async function markRead(
  { notifications }: Tradepost,
  ids: readonly string[],
  terminal: Terminal,
): Promise<{ done: Notification[]; failures: Failure[] }> {
  const { signal } = terminal;
  const marked = new Map<string, Notification>();
  const failed = new Map<string, Failure>();
  const progress = progressOf(ids.length, terminal);
  async function work(id: string): Promise<boolean> {
    try {
      marked.set(id, await notifications.markRead(id, { signal }));
      progress.step('done');
      return false;
    } catch (error) {
      failed.set(id, { id, error });
      progress.step('failed');
      return endsAll({ id, error });
    }
  }
  await runPool({ targets: ids, concurrency, work, endsAll: (ends) => ends, signal });
  progress.clear();
  return {
    done: ids.flatMap((id) => marked.get(id) ?? []),
    failures: ids.flatMap((id) => failed.get(id) ?? []),
  };
}
