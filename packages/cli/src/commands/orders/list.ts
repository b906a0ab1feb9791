import {
  type Order,
  type OrderListParams,
  type OrderSort,
  type OrderStatus,
  orderStatuses,
  type Tradepost,
} from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import { type FilterExtra, listExtended } from '../../client/extensions';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  checkPeriod,
  type GlobalOptions,
  getPageSize,
  listParser,
  orderExpansions,
  orderSorts,
  type PaginationOptions,
  parseId,
  timeNote,
  timeParser,
} from '../../input/options';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import { getTerminalWidth } from '../../output/text';
import type { ListPage, View } from '../../output/view';
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

interface Options extends GlobalOptions, PaginationOptions {
  names?: boolean;
  status?: readonly OrderStatus[];
  buyer?: string;
  listing?: string;
  /** Created at or after it. */
  since?: string;
  /** Created before it. */
  until?: string;
  /** Last changed at or after it. */
  updatedSince?: string;
  sort?: OrderSort;
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
      'table: with --updated-since or a sort by updatedAt, the column UPDATED instead of CREATED',
      'On a narrow terminal a table leaves out columns from the right; with fewer than 80 cells it has names only with --names.',
    ],
    Notes: [
      timeNote,
      namesNote,
      'Filters and --sort are extensions of the API. Where a service does not have the filters, all orders are read and selected here; without the sort, --sort is an error.',
    ],
  });
}

async function list(options: Options, context: CliContext): Promise<void> {
  checkPeriod(options.since, options.until, '--until');
  const names = chooseListNames(options, context);
  const view = options.fields === undefined ? chooseView(names, options) : namedOrderView;
  const { orders } = createClient(context, options);
  const pages = listOrders(orders, buildSelection(options), {
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

function buildSelection(options: Options): OrderSelection {
  const { status: statuses, buyer, listing, since, until, updatedSince, sort } = options;
  return {
    limit: getPageSize(options),
    ...(statuses !== undefined && { statuses }),
    ...(buyer !== undefined && { buyerId: buyer }),
    ...(listing !== undefined && { listingId: listing }),
    // The times after which orders are listed are excluded themselves.
    ...(since !== undefined && { createdAfter: justBefore(since) }),
    ...(until !== undefined && { createdBefore: until }),
    ...(updatedSince !== undefined && { updatedAfter: justBefore(updatedSince) }),
    ...(sort !== undefined && { sort }),
  };
}

function justBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}

/** Which orders to list, and how. Names and limits as in the API. */
export interface OrderSelection {
  statuses?: readonly OrderStatus[];
  buyerId?: string;
  listingId?: string;
  createdAfter?: string;
  createdBefore?: string;
  updatedAfter?: string;
  sort?: OrderSort;
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
  { statuses = [], sort, limit, cursor, ...filters }: OrderSelection,
  { signal, names, sortOption }: OrderListing,
): AsyncGenerator<ListPage<NamedOrder>> {
  const [status, ...others] = statuses;
  const hasSeveral = others.length > 0;
  const selected = { ...filters, ...(hasSeveral && { status: [...statuses] }) };
  const extras: OrderExtra[] = [];
  if (Object.values(selected).some((filter) => filter !== undefined)) {
    const isWanted = createFilter(selected);
    extras.push({ extension: 'orders.filters', parameters: selected, isWanted });
  }
  if (sort !== undefined) {
    extras.push({ extension: 'orders.sort', parameters: { sort }, option: sortOption });
  }
  if (names !== null) {
    extras.push({ extension: 'orders.expand', parameters: { expand: orderExpansions }, ...names });
  }
  const pages = listExtended<Order, OrderListParams>({
    list: (query) => orders.list(query, { signal }),
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

/** Creates the filter of a query. */
function createFilter({
  status,
  buyerId,
  listingId,
  createdAfter,
  createdBefore,
  updatedAfter,
}: OrderListParams): (order: Order) => boolean {
  const isAfter = (time: string, limit: string | Date | undefined) =>
    limit === undefined || Date.parse(time) > new Date(limit).getTime();
  const isBefore = (time: string, limit: string | Date | undefined) =>
    limit === undefined || Date.parse(time) < new Date(limit).getTime();
  return (order) =>
    (typeof status !== 'object' || status.some((one) => one === order.status)) &&
    (buyerId === undefined || order.buyerId === buyerId) &&
    (listingId === undefined || order.listingId === listingId) &&
    isAfter(order.createdAt, createdAfter) &&
    isBefore(order.createdAt, createdBefore) &&
    isAfter(order.updatedAt, updatedAfter);
}
