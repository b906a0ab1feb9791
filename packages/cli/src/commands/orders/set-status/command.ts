import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import { resolveSettings } from '../../../config/settings';
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
import type { InputRow } from '../../../input/parse-ids';
import { addInputOptions, type InputOptions, inputNote, readRows } from '../../../input/read-input';
import { findJournal, findLatestJournal } from '../../../journal/jobs';
import { isOrderStatus } from '../../../journal/status-change';
import { chooseFormat, describeShape } from '../../../output/format';
import { printNotice, writeData } from '../../../output/print';
import { formatCount } from '../../../output/text';
import { orderView } from '../order-view';
import { type BulkOptions, changeMany, resume } from './change-many';
import { changeOne } from './change-one';
import { statusOutcomeView } from './outcome-view';

interface Options extends GlobalOptions, BulkOptions, InputOptions {
  statusColumn?: string;
  ifStatus?: OrderStatus;
  reason?: string;
  resume?: string;
}

const outputFields: readonly string[] = [...orderView.fields, ...statusOutcomeView.fields];

export function configure(command: Command, context: CliContext): void {
  command
    .usage(
      '[options] <id...> <status>\n       tradepost orders set-status [options] <status> --file <file>\n       tradepost orders set-status [options] --file <file> --status-column <name>\n       tradepost orders set-status --resume <file|latest>',
    )
    .addArgument(
      command.createArgument(
        '[ids-and-status...]',
        `order IDs, ord_…, followed by the status: ${orderStatuses.join(', ')}`,
      ),
    );
  addInputOptions(command, 'ord')
    .option(
      '--status-column <name>',
      'move each order to the status in this column or JSON field; rows without one are left out',
    )
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
    .option('--concurrency <n>', 'number of orders at a time (default: 8)', integerParser(1, 64))
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
      '$ tradepost orders set-status cancelled --file orders.csv --dry-run',
      '$ tradepost orders set-status --file orders.csv --status-column Status --dry-run',
    ],
    Output: [
      `json, one ID: the order as it is now, ${describeShape(orderView)}`,
      'table, one ID: the order with its status before and after',
      `json, several IDs, --stdin, --file, --dry-run, --resume: an array of ${describeShape(statusOutcomeView)}`,
      'outcome: updated, unchanged (already had the status), would_change, would_fail, skipped (condition not met), failed, not_attempted',
      'from: the status before; null if the order could not be read',
      'On a terminal a table of several orders has only those that failed: --verbose lists all.',
    ],
    Notes: [
      'It needs the key of a seller or agent account. The service checks each transition.',
      inputNote,
      'Moving an order to its current status succeeds and changes nothing.',
      '--reason is an extension of the API. Where a service does not have it, --reason is an error and nothing is changed.',
      'completed and cancelled are final: on a terminal it asks before such a change.',
      'It continues after a failure. Exit code 7: some orders were moved and some failed. Orders that --if-status skipped are not failures.',
      'It waits while the service is unreachable or limits the rate, and then continues.',
      'Ctrl-C completes requests in flight. The journal has all outcomes; --resume continues, with the limits of the first run unless others are given.',
      '--resume latest continues the newest job of this service and account that has orders left, or failures that may pass.',
    ],
  });
}

async function setStatus(args: string[], options: Options, context: CliContext): Promise<void> {
  const { ifStatus = null, reason, statusColumn } = options;
  if (options.resume !== undefined) {
    const hasInput = args.length > 0 || options.stdin || options.file || statusColumn;
    rejectIf(
      hasInput || ifStatus || reason,
      '--resume takes IDs, status, condition and reason from the journal',
    );
    rejectIf(options.journal !== undefined, '--resume continues the journal that it reads');
    const settings = resolveSettings(context, options);
    const path =
      options.resume === 'latest'
        ? findLatestJournal(settings, context)
        : findJournal(options.resume, context);
    return await resume(path, settings, options, context);
  }
  rejectIf(
    statusColumn !== undefined && isOrderStatus(args.at(-1)),
    `--status-column has the status of each order: omit '${args.at(-1)}', or the option`,
  );
  const status = statusColumn === undefined ? args.at(-1) : null;
  if (status !== null && !isOrderStatus(status)) throw explainStatus(args);
  rejectIf(options.failOnSkip && ifStatus === null, '--fail-on-skip needs --if-status');
  const condition = { ifStatus, ...(reason !== undefined && { reason }) };
  const ids = status === null ? args : args.slice(0, -1);
  const rows = await readRows(ids, options, 'ord', context, statusColumn);
  if (rows !== null) {
    const targets = findTargets(rows, status, context);
    if (targets.size > 0) {
      const settings = resolveSettings(context, options);
      return await changeMany({ ...condition, targets }, settings, options, context);
    }
    // An empty list was piped into it: that is not an error.
    const format = await chooseFormat(options, statusOutcomeView, context);
    await writeData(context.stdout, format.end());
    return printNotice(context, 'Nothing changed.');
  }
  if (status === null || ids.length === 0) {
    throw usageError('Missing order ID', 'To read IDs from a file, pass --file FILE or --stdin.');
  }
  for (const id of ids) {
    rejectIf(!isId(id, 'ord'), `'${id}' is not an order ID: order IDs begin with ord_`);
  }
  const [only, ...others] = new Set(ids);
  const isBulk = options.dryRun || options.maxFailures || options.journal;
  if (only === undefined || others.length > 0 || isBulk) {
    const targets = new Map(ids.map((id) => [id, status]));
    const settings = resolveSettings(context, options);
    return await changeMany({ ...condition, targets }, settings, options, context);
  }
  await changeOne(only, { ...condition, status }, options, context);
}

/** Returns the status of each row: the same for all, or what the row has. A row without one is left out. */
function findTargets(
  rows: readonly InputRow[],
  status: OrderStatus | null,
  context: CliContext,
): Map<string, OrderStatus> {
  if (status !== null) return new Map(rows.map(({ id }) => [id, status]));
  const targets = new Map<string, OrderStatus>();
  for (const { id, value, where } of rows) {
    const text = String(value ?? '').trim();
    const own = text.toLowerCase();
    if (isOrderStatus(own)) targets.set(id, own);
    else if (text !== '') throw usageError(`${where}: ${invalidStatus(text)}`);
  }
  const left = rows.length - targets.size;
  if (left > 0) printNotice(context, `Left out ${formatCount(left, 'row')} without a status.`);
  return targets;
}

/** Explains why the last argument is no status. */
function explainStatus(args: readonly string[]): CliError {
  const last = args.at(-1);
  return last === undefined || isId(last, 'ord')
    ? usageError(`Missing status after the IDs. Use one of: ${orderStatuses.join(', ')}`)
    : usageError(invalidStatus(last));
}

function invalidStatus(text: string): string {
  return `Invalid status '${truncate(text)}'. Use one of: ${orderStatuses.join(', ')}`;
}

function rejectIf(condition: unknown, message: string): void {
  if (condition) throw usageError(message);
}

function usageError(message: string, ...hints: Hint[]): CliError {
  const help = localHint('See', 'orders set-status --help');
  return new CliError('usage', message, ...hints, help);
}
