import type { Order, OrderListParams, OrderSort, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import { type FilterExtra, listExtended } from '../../client/extensions';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  type GlobalOptions,
  getPageSize,
  orderExpansions,
  orderSorts,
  type PaginationOptions,
} from '../../input/options';
import { describeShape, isForPerson } from '../../output/format';
import { printList } from '../../output/print';
import { getTerminalWidth } from '../../output/text';
import type { ListPage, View } from '../../output/view';
import {
  addOrderFilter,
  createOrderFilter,
  filterNotes,
  type OrderFilter,
  type OrderFilterOptions,
  selectOrders,
} from './order-filter';
import {
  addNamesOption,
  chooseNames,
  minNamesWidth,
  type NamedOrder,
  type NamesMode,
  namedOrderView,
  namesNote,
  orderView,
  placeNames,
  toNamesOption,
  withLastChange,
} from './order-view';

/** Up to how many orders a person gets to know how many a list has. */
const shownTotal = 1_000;

interface Options extends GlobalOptions, PaginationOptions, OrderFilterOptions {
  names?: boolean;
  sort?: OrderSort;
}

/** `tradepost orders list` */
export function configure(command: Command, context: CliContext): void {
  addOrderFilter(command, context).addOption(
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
      '$ tradepost orders list --buyer "harbour street" --quantity 17..23 --since tuesday',
      '$ tradepost orders list --buyer usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB --updated-since 2d --sort -updatedAt',
      '$ tradepost orders list --since 2d --fields id,status,buyerName,createdAt',
      '$ tradepost orders list --all --output csv > orders.csv',
      "$ tradepost orders list --status pending --jq '[.[].quantity] | add'",
    ],
    Output: [
      `json: an array of ${describeShape(orderView)}`,
      'json, with --names: buyerName, sellerName, agentName and listingTitle too',
      'table: with --updated-since or a sort by updatedAt, the column UPDATED instead of CREATED',
      'On a narrow terminal a table leaves out columns from the right; with fewer than 80 cells it has names only with --names.',
    ],
    Notes: [
      ...filterNotes,
      namesNote,
      '--sort is an extension of the API, and an error where a service does not have it.',
    ],
  });
}

async function list(options: Options, context: CliContext): Promise<void> {
  const names = chooseListNames(options, context);
  const view = options.fields === undefined ? chooseView(names, options) : namedOrderView;
  const client = createClient(context, options);
  const { sort } = options;
  const selection = {
    ...(await selectOrders(client, options, context)),
    ...(sort !== undefined && { sort }),
    limit: getPageSize(options),
    // Of a list that may be cut, a person wants to know how much of it there is.
    ...(isForPerson(options, context) && !options.all && { count: shownTotal }),
  };
  const pages = listOrders(client.orders, selection, {
    signal: context.signal,
    names: toNamesOption(names, options),
    sortOption: '--sort',
  });
  await printList(pages, ['order', 'orders'], view, context, options);
}

/** Names that a narrow terminal does not show are not requested. */
function chooseListNames(options: Options, context: CliContext): NamesMode {
  const names = chooseNames(options, context);
  const hasRoom = getTerminalWidth(context.stdout) >= minNamesWidth;
  return names === 'if-supported' && !hasRoom ? 'never' : names;
}

function chooseView(names: NamesMode, { sort, updatedSince }: Options): View<NamedOrder> {
  const view = names === 'never' ? orderView : namedOrderView;
  const isByChange = sort?.endsWith('updatedAt') || updatedSince !== undefined;
  return isByChange ? withLastChange(view) : view;
}

/** Which orders to list, and how. Names and limits as in the API. */
export interface OrderSelection extends OrderFilter {
  sort?: OrderSort;
  /** Up to how many orders the first page counts, if the service has this extension. */
  count?: number;
  limit: number;
  cursor?: string;
}

interface OrderListing {
  signal: AbortSignal;
  /** Whether orders have names. With an option they must have, and without one if the service has them. */
  names: { option?: string } | null;
  /** How an error calls the sort. */
  sortOption: string;
}

type OrderExtra = FilterExtra<Order, OrderListParams>;

/**
 * Lists orders with what the API specification does not have: filters, several statuses, a sort, names. Filters work with
 * any service.
 *
 * @throws {CliError} `unsupported_option` for a sort or names that the service does not have
 */
export async function* listOrders(
  orders: Tradepost['orders'],
  { statuses = [], sort, count, limit, cursor, ...filters }: OrderSelection,
  { signal, names, sortOption }: OrderListing,
): AsyncGenerator<ListPage<NamedOrder>> {
  const [status, ...others] = statuses;
  const hasSeveral = others.length > 0;
  const selected = { ...filters, ...(hasSeveral && { status: [...statuses] }) };
  const extras: OrderExtra[] = [];
  if (Object.values(selected).some((filter) => filter !== undefined)) {
    const isWanted = createOrderFilter(selected);
    extras.push({ extension: 'orders.filters', parameters: selected, isWanted });
  }
  if (sort !== undefined) {
    extras.push({ extension: 'orders.sort', parameters: { sort }, option: sortOption });
  }
  if (count !== undefined) extras.push({ extension: 'orders.count', parameters: { count } });
  if (names !== null) {
    extras.push({ extension: 'orders.expand', parameters: { expand: orderExpansions }, ...names });
  }
  const pages = listExtended<Order, OrderListParams>({
    list: ({ count: wanted, ...query }) =>
      orders.list(wanted === undefined || query.cursor ? query : { ...query, count: wanted }, {
        signal,
      }),
    query: {
      ...(status !== undefined && !hasSeveral && { status }),
      ...(cursor !== undefined && { cursor }),
    },
    extras,
    limit,
  });
  if (names === null) return yield* pages;
  for await (const page of pages) yield { ...page, data: page.data.map(placeNames) };
}
