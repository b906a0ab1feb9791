import { type Order, type OrderListParams, type OrderStatus, orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  type GlobalOptions,
  getPageSize,
  type PaginationOptions,
  timeNote,
  timeParser,
} from '../../input/options';
import { describeShape, filterPages } from '../../output/format';
import { printList } from '../../output/print';
import { orderView } from './order-view';

interface Options extends GlobalOptions, PaginationOptions {
  status?: OrderStatus;
  since?: string;
  until?: string;
}

/** `tradepost orders list` */
export function configure(command: Command, context: CliContext): void {
  const status = command.createOption('--status <status>', 'only orders in this status');
  command
    .addOption(status.choices(orderStatuses))
    .option('--since <time>', 'only orders created at or after <time>', timeParser(context))
    .option('--until <time>', 'only orders created before <time>', timeParser(context));
  addPaginationOptions(command, 'orders').action(() =>
    list(command.optsWithGlobals<Options>(), context),
  );
  addHelp(command, {
    fields: orderView.fields,
    Examples: [
      '$ tradepost orders list --status pending',
      '$ tradepost orders list --since 2d --fields id,status,createdAt',
      '$ tradepost orders list --all --output csv > orders.csv',
      "$ tradepost orders list --status pending --jq '[.[].quantity] | add'",
    ],
    Output: [
      `json: an array of ${describeShape(orderView)}`,
      'On a narrow terminal a table leaves out columns from the right.',
    ],
    Notes: [timeNote],
  });
}

async function list(options: Options, context: CliContext): Promise<void> {
  const { status, since, until } = options;
  if (since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until)) {
    throw new CliError(
      'usage',
      `--since (${since}) is later than --until (${until})`,
      'Swap the two times.',
    );
  }
  const query: OrderListParams = { limit: getPageSize(options) };
  if (status !== undefined) query.status = status;
  // `createdAfter` excludes its time.
  if (since !== undefined) query.createdAfter = new Date(Date.parse(since) - 1).toISOString();
  if (until !== undefined) query.createdBefore = until;
  const { orders } = createClient(context, options);
  const pages = orders.list(query, { signal: context.signal }).pages();
  const isWanted = ({ createdAt }: Order) =>
    (since === undefined || Date.parse(createdAt) >= Date.parse(since)) &&
    (until === undefined || Date.parse(createdAt) < Date.parse(until));
  const wanted = since || until ? filterPages(pages, isWanted) : pages;
  await printList(wanted, ['order', 'orders'], orderView, context, options);
}
