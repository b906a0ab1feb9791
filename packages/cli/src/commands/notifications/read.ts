import type { Notification } from '@tradepost/sdk';
import type { Command } from 'commander';
import { BulkError, type Failure } from '../../bulk-error';
import { connect } from '../../connect';
import { exitReasonOf } from '../../exit-codes';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { chooseFormat } from '../../output/choose-format';
import { writeData } from '../../output/write';
import type { Terminal } from '../../terminal';
import { idsArgument } from '../id-argument';
import { notificationShape, notificationView } from './notification-view';

/** `tradepost notifications read <id...>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idsArgument(command, 'ntf'))
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost notifications read ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
          "$ tradepost notifications list --unread --output json | jq -r '.[].id' | xargs tradepost notifications read",
        ],
        Output: [`json: an array of the notifications that are now read, ${notificationShape}`],
        Notes: ['It goes on after a failure. Exit code 7: some are read and some failed.'],
      }),
    )
    .action((ids: string[]) => read(ids, command.optsWithGlobals<GlobalOptions>(), terminal));
}

async function read(ids: string[], options: GlobalOptions, terminal: Terminal): Promise<void> {
  const { notifications } = connect(terminal, options);
  const done: Notification[] = [];
  const failures: Failure[] = [];
  for (const id of ids) {
    try {
      done.push(await notifications.markRead(id, { signal: terminal.signal }));
    } catch (error) {
      failures.push({ id, error });
      if (endsAll(error)) break;
    }
  }
  const format = await chooseFormat(options, notificationView, terminal.stdout);
  await writeData(terminal.stdout, format.part(done));
  // As any list that could not be had: when nothing is read, nothing is printed.
  if (done.length > 0) await writeData(terminal.stdout, format.end());
  const [first] = failures;
  if (first === undefined) return;
  if (ids.length === 1) throw first.error;
  const untried = ids.length - done.length - failures.length;
  throw new BulkError(
    `${done.length} of ${ids.length} notifications could be marked read; ${failures.length} failed${untried > 0 ? `, ${untried} not tried` : ''}`,
    done.length,
    failures,
  );
}

/** Whether an error would meet every other notification too. */
function endsAll(error: unknown): boolean {
  return ['usage', 'auth', 'unreachable', 'interrupted'].includes(exitReasonOf(error));
}
