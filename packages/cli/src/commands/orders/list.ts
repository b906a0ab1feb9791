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
import { InvalidArgument } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  checkPeriod,
  type GlobalOptions,
  getPageSize,
  listParser,
  nouns,
  orderExpansions,
  orderSorts,
  type PaginationOptions,
  parseId,
  parseQuantities,
  timeNote,
  timeParser,
  untilParser,
} from '../../input/options';
import { describeShape, isForPerson } from '../../output/format';
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

/** Up to how many orders a person gets to know how many a list has. */
const shownTotal = 1_000;

/** The options that select orders. Times are ISO 8601. */
export interface OrderFilterOptions {
  status?: readonly OrderStatus[];
  /** An ID, or a part of a name. */
  buyer?: string;
  seller?: string;
  listing?: string;
  quantity?: { minQuantity?: number; maxQuantity?: number };
  since?: string;
  until?: string;
  updatedSince?: string;
}

export interface OrderFilter {
  statuses?: readonly OrderStatus[];
  buyerId?: string;
  sellerId?: string;
  listingId?: string;
  minQuantity?: number;
  maxQuantity?: number;
  createdAfter?: string;
  createdBefore?: string;
  updatedAfter?: string;
}

export const filterNotes = [
  timeNote,
  'Filters are extensions of the API. Where a service does not have them, all orders are read and selected here. --buyer and --seller with a name need the extension partners: a part of the name is enough, whatever its case and accents.',
];

export function addOrderFilter(command: Command, context: CliContext): Command {
  return command
    .option(
      '--status <status>',
      `only orders in one of these statuses: ${orderStatuses.join(', ')}`,
      listParser(orderStatuses, 'status'),
    )
    .option('--buyer <name>', 'only orders of this buyer: a part of the name, or usr_…', parseParty)
    .option('--seller <name>', 'only orders of this seller, likewise', parseParty)
    .option('--listing <id>', 'only orders from this listing, lst_…', (id) => parseId(id, 'lst'))
    .option(
      '--quantity <n>',
      'only orders of so many units: 17, 17..23, 17.. or ..23',
      parseQuantities,
    )
    .option('--since <time>', 'only orders created at or after <time>', timeParser(context))
    .option('--until <time>', 'only orders created before <time>', untilParser(context))
    .option(
      '--updated-since <time>',
      'only orders last changed at or after <time>',
      timeParser(context),
    );
}

/** An ID of another type is a mistake and not a name. */
function parseParty(text: string): string {
  const name = text.trim();
  if (name === '') throw new InvalidArgument('Use a part of the name, or usr_….');
  return Object.keys(nouns).some((prefix) => name.startsWith(`${prefix}_`))
    ? parseId(name, 'usr')
    : name;
}

/**
 * Returns which orders the options select. Names are looked up.
 *
 * @throws what `findParty` throws
 */
export async function selectOrders(
  client: Tradepost,
  {
    status: statuses,
    listing,
    quantity,
    since,
    until,
    updatedSince,
    ...parties
  }: OrderFilterOptions,
  context: CliContext,
): Promise<OrderFilter> {
  checkPeriod(since, until);
  const find = async (kind: 'buyer' | 'seller') =>
    parties[kind] === undefined
      ? undefined
      : (await import('./find-party')).findParty(client, kind, parties[kind], context);
  const [buyerId, sellerId] = [await find('buyer'), await find('seller')];
  return {
    ...(statuses !== undefined && { statuses }),
    ...(buyerId !== undefined && { buyerId }),
    ...(sellerId !== undefined && { sellerId }),
    ...(listing !== undefined && { listingId: listing }),
    ...quantity,
    // The times after which orders are listed are excluded themselves.
    ...(since !== undefined && { createdAfter: justBefore(since) }),
    ...(until !== undefined && { createdBefore: until }),
    ...(updatedSince !== undefined && { updatedAfter: justBefore(updatedSince) }),
  };
}

function justBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}

interface Options extends GlobalOptions, PaginationOptions, OrderFilterOptions {
  names?: boolean;
  sort?: OrderSort;
}

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
  const filter = await selectOrders(client, options, context);
  const selection = {
    ...filter,
    ...(sort !== undefined && { sort }),
    limit: getPageSize(options),
    // Of a list that may be cut, a person wants to know how much of it there is.
    ...(isForPerson(options, context) &&
      !options.all &&
      isCountedByIndex(filter) && { count: shownTotal }),
  };
  const pages = listOrders(client.orders, selection, {
    signal: context.signal,
    names: toNamesOption(names, options),
    sortOption: '--sort',
  });
  await printList(pages, ['order', 'orders'], view, context, options);
}

/** Whether a service counts such orders without reading all of them. */
function isCountedByIndex({
  statuses,
  createdAfter,
  createdBefore,
  ...others
}: OrderFilter): boolean {
  return Object.keys(others).length === 0;
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

/** Creates the filter of a query, for a service that does not have it. */
export function createOrderFilter({
  status,
  createdAfter,
  createdBefore,
  updatedAfter,
  minQuantity = 0,
  maxQuantity = Number.POSITIVE_INFINITY,
  ...ids
}: OrderListParams): (order: Order) => boolean {
  const isAfter = (time: string, limit: string | Date | undefined) =>
    limit === undefined || Date.parse(time) > new Date(limit).getTime();
  const isBefore = (time: string, limit: string | Date | undefined) =>
    limit === undefined || Date.parse(time) < new Date(limit).getTime();
  return (order) =>
    (typeof status !== 'object' || status.some((one) => one === order.status)) &&
    (['buyerId', 'sellerId', 'listingId'] as const).every(
      (field) => (ids[field] ?? order[field]) === order[field],
    ) &&
    order.quantity >= minQuantity &&
    order.quantity <= maxQuantity &&
    isAfter(order.createdAt, createdAfter) &&
    isBefore(order.createdAt, createdBefore) &&
    isAfter(order.updatedAt, updatedAfter);
}
