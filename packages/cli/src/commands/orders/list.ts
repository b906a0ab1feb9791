import { orderStatuses } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  type GlobalOptions,
  getPageSize,
  listParser,
  type PaginationOptions,
  parseId,
  timeNote,
  timeParser,
} from '../../input/options';
import { orderSorts } from '../../input/order-choices';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import { addNamesOption, chooseNames, namesNote } from './names';
import { listOrderPages, type OrderSelection } from './order-pages';
import { namedOrderView, orderView } from './order-view';

interface Options extends GlobalOptions, PaginationOptions, OrderSelection {
  names?: boolean;
}

/** `tradepost orders list` */
export function configure(command: Command, context: CliContext): void {
  command
    .option(
      '--status <status>',
      `only orders in one of these statuses: ${orderStatuses.join(', ')}`,
      listParser(orderStatuses, 'status'),
    )
    .option('--buyer <id>', 'only orders of this buyer, usr_…', (id) => parseId(id, 'usr'))
    .option('--listing <id>', 'only orders from this listing, lst_…', (id) => parseId(id, 'lst'))
    .option('--since <time>', 'only orders created at or after <time>', timeParser(context))
    .option('--until <time>', 'only orders created before <time>', timeParser(context))
    .option(
      '--updated-since <time>',
      'only orders last changed at or after <time>',
      timeParser(context),
    )
    .addOption(
      command
        .createOption('--sort <field>', 'sort by this field, with - from newest to oldest')
        .choices(orderSorts),
    );
  addNamesOption(command);
  addPaginationOptions(command, 'orders').action(() =>
    list(command.optsWithGlobals<Options>(), context),
  );
  addHelp(command, {
    fields: namedOrderView.fields,
    Examples: [
      '$ tradepost orders list --status pending,confirmed',
      '$ tradepost orders list --buyer usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB --updated-since 2d --sort -updatedAt',
      '$ tradepost orders list --since 2d --fields id,status,buyerName,createdAt',
      '$ tradepost orders list --all --output csv > orders.csv',
      "$ tradepost orders list --status pending --jq '[.[].quantity] | add'",
    ],
    Output: [
      `json: an array of ${describeShape(orderView)}`,
      'json, with --names: buyerName, sellerName, agentName and listingTitle too',
      'On a narrow terminal a table leaves out columns from the right.',
    ],
    Notes: [
      timeNote,
      namesNote,
      'Several statuses, --buyer, --listing, --updated-since and --sort need a service with these extensions to be fast.',
    ],
  });
}

async function list(options: Options, context: CliContext): Promise<void> {
  const { since, until } = options;
  if (since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until)) {
    throw new CliError(
      'usage',
      `--since (${since}) is later than --until (${until})`,
      'Swap the two times.',
    );
  }
  const names = chooseNames(options, context);
  const view = names === 'never' && options.fields === undefined ? orderView : namedOrderView;
  const pages = listOrderPages(createClient(context, options), options, {
    limit: getPageSize(options),
    names,
    signal: context.signal,
  });
  await printList(pages, ['order', 'orders'], view, context, options);
}
