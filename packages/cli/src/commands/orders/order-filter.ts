import {
  isTradepostError,
  type Order,
  type OrderListParams,
  type OrderStatus,
  orderStatuses,
  type Partner,
  type Tradepost,
} from '@tradepost/sdk';
import type { Command } from 'commander';
import { requireExtension } from '../../client/extensions';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import {
  checkPeriod,
  isId,
  listParser,
  maxPageSize,
  nouns,
  parseId,
  parseQuantities,
  timeNote,
  timeParser,
  untilParser,
} from '../../input/options';
import { formatCount } from '../../output/text';

/** The options that select orders. Times are ISO 8601. */
export interface OrderFilterOptions {
  status?: readonly OrderStatus[];
  /** An ID, or a part of a name. */
  buyer?: string;
  seller?: string;
  listing?: string;
  quantity?: { minQuantity?: number; maxQuantity?: number };
  /** Created at or after it. */
  since?: string;
  /** Created before it. */
  until?: string;
  /** Last changed at or after it. */
  updatedSince?: string;
}

/** Which orders are selected. Names as in the API. */
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

/** What help pages say about these options. */
export const filterNotes = [
  timeNote,
  'Filters are extensions of the API. Where a service does not have them, all orders are read and selected here. --buyer and --seller with a name need the extension partners: a part of the name is enough, whatever its case and accents.',
];

/** Adds the options that select orders. */
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
  const isLikeId = Object.keys(nouns).some((prefix) => text.trim().startsWith(`${prefix}_`));
  return isLikeId ? parseId(text, 'usr') : text.trim();
}

/**
 * Returns which orders the options select. Names are looked up.
 *
 * @throws {CliError} `usage` for a name that no partner has, or several; `unsupported_option` if the service has no names
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
  const [buyerId, sellerId] = [
    await findParty(client, 'buyer', parties.buyer, context),
    await findParty(client, 'seller', parties.seller, context),
  ];
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

/** How many partners an error lists. */
const maxListed = 10;

/**
 * Returns the ID of a buyer or seller, by the ID itself or a part of the name.
 *
 * @param option how an error calls what has the name
 * @throws what `selectOrders` throws
 */
export async function findParty(
  { partners }: Tradepost,
  kind: 'buyer' | 'seller',
  name: string | undefined,
  { signal }: Pick<CliContext, 'signal'>,
  option = `--${kind}`,
): Promise<string | undefined> {
  if (name === undefined || isId(name, 'usr')) return name;
  const found: Partner[] = [];
  try {
    for await (const partner of partners.list({ name, limit: maxPageSize }, { signal })) {
      if (partner.kind === kind) found.push(partner);
    }
  } catch (error) {
    if (isTradepostError(error) && error.status === 404) {
      requireExtension('partners', `${option} with a name`, error.extensions);
    }
    throw error;
  }
  const exact = found.filter((one) => one.name.toLowerCase() === name.toLowerCase());
  const [match, ...others] = exact.length > 0 ? exact : found;
  if (match === undefined) {
    throw new CliError(
      'usage',
      `No ${kind} that this account has traded with has '${name}' in its name`,
      { text: 'To see names, run', command: 'orders list', args: ['--names'] },
    );
  }
  if (others.length === 0) return match.id;
  const all = [match, ...others].sort((one, other) => one.name.localeCompare(other.name));
  const listed = all.slice(0, maxListed).map(({ id, name }) => `${id} (${name})`);
  const rest = all.length - listed.length;
  throw new CliError(
    'usage',
    `${formatCount(all.length, kind)} have '${name}' in their names: ${listed.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`,
    'Use one of these IDs, or more of the name.',
  );
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
