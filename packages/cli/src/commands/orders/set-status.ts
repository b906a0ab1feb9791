import { type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import { CliError } from '../../cli-error';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { isId } from '../../input/id-argument';
import { countParser } from '../../input/parse-count';
import { parseIds } from '../../input/parse-ids';
import { readInput } from '../../input/read-input';
import { chooseFormat } from '../../output/choose-format';
import { note } from '../../output/note';
import { showChange } from '../../output/show-change';
import { writeData } from '../../output/write';
import { type BulkOptions, changeMany, resume } from '../../status-change/change-many';
import { changeOrder, unguardedNote } from '../../status-change/change-order';
import {
  isOrderStatus,
  type StatusChange,
  statusOutcomeShape,
  statusOutcomeView,
} from '../../status-change/status-change';
import type { Terminal } from '../../terminal';
import { orderShape, orderView } from './order-view';

interface Options extends GlobalOptions, BulkOptions {
  stdin?: true;
  ifStatus?: OrderStatus;
  resume?: string;
}

/** `tradepost orders set-status <id...> <status>`, or with the ids on stdin, or going on with a file. */
export function define(command: Command, terminal: Terminal): void {
  command
    .usage(
      '[options] <id...> <status>\n       tradepost orders set-status [options] <status> --stdin\n       tradepost orders set-status --resume <file>',
    )
    .addArgument(
      command.createArgument(
        '[ids-and-status...]',
        `the ids of orders, ord_…, and then the status: ${orderStatuses.join(', ')}`,
      ),
    )
    .option(
      '--stdin',
      'read the ids from stdin: one by one, or JSON, NDJSON or CSV with a field id',
    )
    .addOption(
      command
        .createOption(
          '--if-status <status>',
          'only orders in this status, and only if nobody changes them meanwhile',
        )
        .choices(orderStatuses),
    )
    .option('--dry-run', 'show before and after, and change nothing')
    .option('--yes', 'do not ask, where several orders are changed')
    .addOption(
      command
        .createOption('--concurrency <n>', 'how many orders at a time')
        .argParser(countParser(1, 64))
        .default(8),
    )
    .option('--max-failures <n>', 'stop once so many have failed', countParser(1, 999_999_999))
    .option('--result-file <file>', 'where to write down what came of each of several orders')
    .option('--no-result-file', 'write nothing down: it cannot be resumed then')
    .option('--resume <file>', 'go on with the orders of a result file that are not done')
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost orders set-status ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH confirmed',
          '$ tradepost orders list --status pending --all --output ndjson | tradepost orders set-status confirmed --stdin --if-status pending --yes',
          '$ tradepost orders set-status cancelled --stdin --dry-run < orders.csv',
        ],
        Output: [
          `json: of one id the order as it now is, ${orderShape}`,
          `json: of several ids, --stdin, --dry-run and --resume an array of ${statusOutcomeShape}`,
          'outcome: done, unchanged (was so already), would-change, skipped (the condition does not hold), failed, untried',
        ],
        Notes: [
          'It takes the key of a seller or agent account. Whether an order may make the move shows when it is made.',
          'The status that the order already has is accepted and changes nothing.',
          'Several: it goes on after a failure; exit code 7 means that some are done and some are not.',
          'Ctrl-C finishes what is under way. What came of each is in the result file, and --resume goes on from there.',
        ],
      }),
    )
    .action((args: string[]) => setStatus(args, command.optsWithGlobals<Options>(), terminal));
}

async function setStatus(args: string[], options: Options, terminal: Terminal): Promise<void> {
  if (options.resume !== undefined) {
    refuse(
      args.length > 0 || options.stdin || options.ifStatus,
      '--resume takes the ids, the status and its condition from the file',
    );
    refuse(options.resultFile !== undefined, '--resume goes on writing the file that it reads');
    return await resume(options.resume, options, terminal);
  }
  const status = args.at(-1);
  refuse(status === undefined, 'a status is missing');
  if (!isOrderStatus(status)) {
    throw usage(
      `'${status}' is no status: the last argument is one of ${orderStatuses.join(', ')}`,
    );
  }
  const change = { status, ifStatus: options.ifStatus ?? null };
  const ids = args.slice(0, -1);
  if (options.stdin) {
    refuse(ids.length > 0, 'ids are given either as arguments or on stdin, not both');
    const text = (await readInput(terminal, 'the ids')).toString('utf8');
    const found = await parseIds(text, 'ord');
    if (found.repeated > 0)
      note(terminal, `${found.repeated} ids came more than once: each is changed once.`);
    if (found.ids.length > 0) {
      return await changeMany({ ...change, ids: found.ids }, options, terminal);
    }
    // What a list without orders pipes into it: nothing is to be done, and nothing is wrong.
    const format = await chooseFormat(options, statusOutcomeView, terminal.stdout);
    await writeData(terminal.stdout, format.end());
    return note(terminal, 'stdin has no ids: nothing was done.');
  }
  refuse(ids.length === 0, 'the id of an order is missing');
  for (const id of ids)
    refuse(!isId(id, 'ord'), `'${id}' is no order: the id of an order begins with ord_`);
  const [only, ...others] = new Set(ids);
  const isBulk = options.dryRun || options.maxFailures || options.resultFile;
  if (only === undefined || others.length > 0 || isBulk) {
    return await changeMany({ ...change, ids: [...new Set(ids)] }, options, terminal);
  }
  await changeOne(only, change, options, terminal);
}

/** Moves one order, and prints it as it is then. */
async function changeOne(
  id: string,
  change: StatusChange,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const format = await chooseFormat(options, orderView, terminal.stdout);
  const { orders } = connect(terminal, options);
  const { order, error } = await changeOrder(orders, id, {
    ...change,
    dryRun: false,
    inDoubt: false,
    onUnguarded: () => note(terminal, unguardedNote),
    signal: terminal.signal,
  });
  if (error !== null || order === null) throw error;
  const look = `tradepost orders get ${id}`;
  const what = `order ${id} is ${order.status}`;
  await showChange({ what, look, text: () => format.one(order) }, terminal);
}

function refuse(condition: unknown, message: string): void {
  if (condition) throw usage(message);
}

function usage(message: string): CliError {
  return new CliError(
    'usage',
    message,
    '`tradepost orders set-status --help` shows what there is.',
  );
}
