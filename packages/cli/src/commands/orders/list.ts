import { type OrderSort, type OrderStatus, orderStatuses, type Page } from '@tradepost/sdk';
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
  orderSorts,
  type PaginationOptions,
  parseId,
  timeNote,
  timeParser,
} from '../../input/options';
import { describeShape, filterPages, requestPages, type View } from '../../output/format';
import { printList, printNotice } from '../../output/print';
import { getTerminalWidth } from '../../output/wrap';
import type { LoadOrders } from './order-pages';
import {
  addNamesOption,
  chooseNames,
  minNamesWidth,
  type NamedOrder,
  type NamesMode,
  namedOrderView,
  namesNote,
  orderView,
  withBuyer,
  withLastChange,
} from './order-view';
import { explainRejection } from './rejected-extensions';

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
      'Several statuses, --buyer, --listing, --updated-since and --sort are extensions of the API: where a service does not have them, more orders are read than are shown.',
    ],
  });
}

async function list(options: Options, context: CliContext): Promise<void> {
  const { status: statuses = [], since, until, sort } = options;
  if (since !== undefined && until !== undefined && Date.parse(since) > Date.parse(until)) {
    throw new CliError(
      'usage',
      `--since (${since}) is later than --until (${until})`,
      'Swap the two times.',
    );
  }
  const { signal } = context;
  const names = chooseListNames(options, context);
  const view = options.fields === undefined ? chooseView(names, options) : namedOrderView;
  const { orders } = createClient(context, options);
  const isWanted = buildFilter(options);
  const query = buildQuery(options, isWanted !== null);
  const [status, ...others] = statuses;
  const isPlain =
    names === 'never' && sort === undefined && others.length === 0 && isWanted === null;
  const load: LoadOrders = (params) =>
    requestPages((page) => orders.list(page, { signal }).pages(), params, isWanted ?? (() => true));
  const onFallback = () =>
    printNotice(context, 'The service rejected the filters; reading all orders instead.');
  const onSort = () =>
    printNotice(context, 'The service may not sort orders; reading all of them to sort them.');
  const pages: AsyncIterable<Page<NamedOrder>> = isPlain
    ? load({ ...query, ...(status && { status }) })
    : (await import('./order-pages')).listWithExtensions(load, query, {
        statuses,
        names,
        onFallback,
        onSort,
      });
  const filtered = isWanted === null ? pages : filterPages(pages, isWanted);
  try {
    await printList(filtered, ['order', 'orders'], view, context, options);
  } catch (error) {
    throw names === 'always' ? explainRejection(error, 'names') : error;
  }
}

/** Names that a narrow terminal does not show are not requested. */
function chooseListNames(options: Options, context: CliContext): NamesMode {
  const names = chooseNames(options, context);
  const hasRoom = getTerminalWidth(context.stdout) >= minNamesWidth;
  return names === 'if-supported' && !hasRoom ? 'never' : names;
}

function chooseView(names: NamesMode, { sort, updatedSince }: Options): View<NamedOrder> {
  const named = names === 'always' ? withBuyer(namedOrderView) : namedOrderView;
  const view = names === 'never' ? orderView : named;
  const isByChange = sort?.endsWith('updatedAt') || updatedSince !== undefined;
  return isByChange ? withLastChange(view) : view;
}

function buildQuery(options: Options, isFiltered: boolean) {
  const { buyer, listing, since, until, updatedSince, sort } = options;
  return {
    // A single order does not show whether the service sorted them.
    limit: Math.max(getPageSize(options, isFiltered), sort === undefined ? 1 : 2),
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

/** Creates the filter for what a service may ignore; null if the options have none. */
function buildFilter(options: Options): ((order: NamedOrder) => boolean) | null {
  const { status = [], buyer, listing, since, until, updatedSince } = options;
  const hasFilter = [buyer, listing, since, until, updatedSince].some((one) => one !== undefined);
  if (!hasFilter && status.length < 2) return null;
  const isAtOrAfter = (time: string, from: string | undefined) =>
    from === undefined || Date.parse(time) >= Date.parse(from);
  return (order) =>
    // A service may have statuses of its own: it decides for a single one.
    (status.length < 2 || status.some((one) => one === order.status)) &&
    (buyer === undefined || order.buyerId === buyer) &&
    (listing === undefined || order.listingId === listing) &&
    isAtOrAfter(order.createdAt, since) &&
    (until === undefined || !isAtOrAfter(order.createdAt, until)) &&
    isAtOrAfter(order.updatedAt, updatedSince);
}
