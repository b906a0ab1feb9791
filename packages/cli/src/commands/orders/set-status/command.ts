import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import type { CliContext } from '../../../context';
import { CliError, type Hint, localHint, truncate } from '../../../errors/cli-error';
import { addHelp } from '../../../help/help';
import {
  type GlobalOptions,
  integerParser,
  isId,
  parseCount,
  parseReason,
  rateOption,
  reconnectTimeoutOption,
  verboseOption,
  withValues,
  yesOption,
} from '../../../input/options';
import { parseIds, readInput } from '../../../input/read-input';
import { findLatestJournal } from '../../../journal/jobs';
import { isOrderStatus } from '../../../journal/status-change';
import { chooseFormat, describeShape } from '../../../output/format';
import { printNotice, writeData } from '../../../output/print';
import { formatCount } from '../../../output/text';
import { orderView } from '../order-view';
import { type BulkOptions, changeMany, resume } from './change-many';
import { changeOne } from './change-one';
import { statusOutcomeView } from './outcome-view';

interface Options extends GlobalOptions, BulkOptions {
  stdin?: true;
  ifStatus?: OrderStatus;
  reason?: string;
  resume?: string;
}

const outputFields: readonly string[] = [...orderView.fields, ...statusOutcomeView.fields];

/** `tradepost orders set-status <id...> <status>`, with IDs on stdin, or resuming a journal */
export function configure(command: Command, context: CliContext): void {
  command
    .usage(
      '[options] <id...> <status>\n       tradepost orders set-status [options] <status> --stdin\n       tradepost orders set-status --resume <file|latest>',
    )
    .addArgument(
      command.createArgument(
        '[ids-and-status...]',
        `order IDs, ord_…, followed by the status: ${orderStatuses.join(', ')}`,
      ),
    )
    .option('--stdin', 'read IDs from stdin: plain, or JSON, NDJSON or CSV with a field id')
    .addOption(
      command
        .createOption(
          '--if-status <status>',
          'update only orders in this status, unless they change concurrently',
        )
        .choices(orderStatuses),
    )
    .option(
      '--reason <text>',
      'why, for the history that all parties of an order see: 1 to 500 characters on one line',
      parseReason,
    )
    .option('--fail-on-skip', 'exit with 6 if --if-status skipped orders')
    .option('--dry-run', 'show what would change, and change nothing')
    .option(...yesOption)
    .option(...verboseOption)
    .option('--concurrency <n>', 'number of orders at a time', integerParser(1, 64), 8)
    .option(...rateOption)
    .option('--max-failures <n>', 'stop after <n> failures', parseCount)
    .option(...reconnectTimeoutOption)
    .option('--journal <file>', 'where to record the outcome of each order')
    .option('--no-journal', 'write no journal; the run cannot be resumed')
    .option(
      '--resume <file>',
      'continue with the orders of a journal that are not done; `latest` finds it',
      withValues(
        (path: string) => path,
        () => ['latest'],
      ),
    )
    .action((args: string[]) =>
      setStatus(
        args.map((arg) => arg.trim()),
        command.optsWithGlobals<Options>(),
        context,
      ),
    );
  addHelp(command, {
    fields: outputFields,
    Examples: [
      '$ tradepost orders set-status ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH confirmed',
      '$ tradepost orders list --status pending --all --output ndjson | tradepost orders set-status confirmed --stdin --if-status pending --yes',
      "$ tradepost orders set-status ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH cancelled --reason 'The buyer ordered twice.'",
      '$ tradepost orders set-status cancelled --stdin --dry-run < orders.csv',
    ],
    Output: [
      `json, one ID: the order as it is now, ${describeShape(orderView)}`,
      'table, one ID: the order with its status before and after',
      `json, several IDs, --stdin, --dry-run, --resume: an array of ${describeShape(statusOutcomeView)}`,
      'outcome: updated, unchanged (already had the status), would_change, would_fail, skipped (condition not met), failed, not_attempted',
      'from: the status before, if the order was read first, as with --if-status or --dry-run; null otherwise',
      'On a terminal a table of several orders has only those that failed: --verbose lists all.',
    ],
    Notes: [
      'It needs the key of a seller or agent account. The service checks each transition.',
      'Moving an order to its current status succeeds and changes nothing.',
      '--reason is an extension of the API. Where a service does not have it, --reason is an error and nothing is changed.',
      'completed and cancelled are final: on a terminal it asks before such a change.',
      'It continues after a failure. Exit code 7: some orders were moved and some failed. Orders that --if-status skipped are not failures.',
      'It waits while the service is unreachable or limits the rate, and then continues.',
      'Ctrl-C completes requests in flight. The journal has all outcomes; --resume continues.',
    ],
  });
}

async function setStatus(args: string[], options: Options, context: CliContext): Promise<void> {
  if (options.resume !== undefined) {
    rejectIf(
      args.length > 0 || options.stdin || options.ifStatus || options.reason,
      '--resume takes IDs, status, condition and reason from the journal',
    );
    rejectIf(options.journal !== undefined, '--resume continues the journal that it reads');
    const path = options.resume === 'latest' ? findLatestJournal(options, context) : options.resume;
    return await resume(path, options, context);
  }
  const status = args.at(-1);
  if (!isOrderStatus(status)) throw explainStatus(args);
  const { ifStatus = null, reason } = options;
  rejectIf(options.failOnSkip && ifStatus === null, '--fail-on-skip needs --if-status');
  const change = { status, ifStatus, ...(reason !== undefined && { reason }) };
  const ids = args.slice(0, -1);
  if (options.stdin) {
    rejectIf(ids.length > 0, 'Pass IDs as arguments or on stdin, not both');
    const text = (await readInput(context, 'IDs')).toString('utf8');
    const found = await parseIds(text, 'ord');
    if (found.repeated > 0) {
      printNotice(context, `Ignored ${formatCount(found.repeated, 'repeated ID')}.`);
    }
    if (found.ids.length > 0) {
      return await changeMany({ ...change, ids: found.ids }, options, context);
    }
    // An empty list was piped into it: that is not an error.
    const format = await chooseFormat(options, statusOutcomeView, context);
    await writeData(context.stdout, format.end());
    return printNotice(context, 'No IDs on stdin. Nothing changed.');
  }
  if (ids.length === 0)
    throw usageError('Missing order ID', 'To read IDs from stdin, pass --stdin.');
  for (const id of ids) {
    rejectIf(!isId(id, 'ord'), `'${id}' is not an order ID: order IDs begin with ord_`);
  }
  const [only, ...others] = new Set(ids);
  const isBulk = options.dryRun || options.maxFailures || options.journal;
  if (only === undefined || others.length > 0 || isBulk) {
    return await changeMany({ ...change, ids: [...new Set(ids)] }, options, context);
  }
  await changeOne(only, change, options, context);
}

/** Explains why the last argument is no status. */
function explainStatus(args: readonly string[]): CliError {
  const last = args.at(-1);
  const what =
    last === undefined || isId(last, 'ord')
      ? 'Missing status after the IDs'
      : `Invalid status '${truncate(last)}'`;
  return usageError(`${what}. Use one of: ${orderStatuses.join(', ')}`);
}

function rejectIf(condition: unknown, message: string): void {
  if (condition) throw usageError(message);
}

function usageError(message: string, ...hints: Hint[]): CliError {
  const help = localHint('See', 'orders set-status --help');
  return new CliError('usage', message, ...hints, help);
}
