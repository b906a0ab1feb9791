import {
  deliveryStates,
  eventTypes,
  type NotificationListParams,
  type Order,
  type OrderListParams,
  type OrderSort,
  orderStatuses,
  type Page,
} from '@tradepost/sdk';
import { assertEventsOfOrder } from '../../client/check-events';
import {
  assertNamed,
  assertSelected,
  ignoredSortError,
  isSortIgnored,
} from '../../client/check-orders';
import { mayRejectParameter } from '../../client/rejections';
import { fetchIdentity } from '../../config/identity';
import { assertObject, CliError } from '../../errors/cli-error';
import { orderExpansions, orderSorts } from '../../input/options';
import type { Client, Schemas, Tool } from './tool';

const withNames = { expand: orderExpansions };

/** The most items that a call returns. */
const maxItems = 100;

/** Creates the tools that change nothing. */
export function createReadTools(
  client: Client,
  { array, string, int, boolean, oneOf, union }: Schemas,
): Tool[] {
  const paging = {
    limit: int().min(1).max(maxItems).default(20).describe(`1 to ${maxItems}`),
    cursor: string().optional().describe('nextCursor of the previous page'),
  };
  const time = (what: string) =>
    string().optional().describe(`${what}: ISO 8601 with offset, such as 2026-11-20T09:30:00Z`);
  const names = boolean()
    .optional()
    .describe('true: with the names of the accounts and the title of the listing');
  const id = (noun: string, prefix: string) => string().describe(`ID of the ${noun}, ${prefix}_…`);

  return [
    readTool(
      'whoami',
      'Current account',
      'Returns the account of the API key.',
      {},
      {
        run: async (_, request) => ({ account: await fetchIdentity(client, request) }),
      },
    ),
    readTool(
      'list_orders',
      'List orders',
      'Lists orders that the account may see, by default newest first.',
      {
        status: union(
          [oneOf(orderStatuses), array(oneOf(orderStatuses)).min(1)],
          `Use one of ${orderStatuses.join(', ')}, or an array of these`,
        )
          .optional()
          .describe('one status, or several as an array'),
        buyerId: string().optional().describe('only orders of this buyer, usr_…'),
        listingId: string().optional().describe('only orders from this listing, lst_…'),
        createdAfter: time('only orders created after this time'),
        createdBefore: time('only orders created before this time'),
        updatedAfter: time('only orders last changed after this time'),
        sort: oneOf(orderSorts)
          .optional()
          .describe('- is from newest to oldest; with it, limit is at least 2'),
        names,
        ...paging,
      },
      {
        async run({ names: wantsNames, ...query }, request) {
          const { sort, limit = maxItems } = query as OrderListParams;
          // A single order does not show whether the service sorted them.
          const size = sort === undefined ? limit : Math.max(limit, 2);
          const wanted = { ...query, limit: size, ...(wantsNames === true && withNames) };
          const page = await client.orders.list(wanted, request);
          assertSelected(page.data, query);
          if (wantsNames === true) page.data.forEach(assertNamed);
          if (sort !== undefined) await assertSortKept(client, page, { ...wanted, sort }, request);
          if (page.data.length === 0) await assertNone(client, query, request);
          return keepToLimit(page, query);
        },
      },
    ),
    readTool(
      'get_order',
      'Show an order',
      'Returns one order. Its history is what list_events returns for its orderId.',
      { id: id('order', 'ord'), names },
      {
        async run(args, request) {
          const id = String(args.id);
          if (args.names !== true) return await client.orders.get(id, request);
          const order = await client.orders.get(id, { ...request, ...withNames });
          assertNamed(order);
          return order;
        },
      },
    ),
    readTool(
      'list_notifications',
      'List notifications',
      'Lists notifications of the account, newest first.',
      { unread: boolean().optional().describe('true: only unread ones'), ...paging },
      {
        run: async ({ unread, ...query }, request) =>
          keepToLimit(
            unread === true
              ? await listUnread(client, query, request)
              : await client.notifications.list(query, request),
            query,
          ),
      },
    ),
    readTool(
      'list_events',
      'List events',
      'Lists events of the account, oldest first: changes of orders, tasks and listings.',
      {
        since: time('only events at or after this time'),
        after: string().optional().describe('nextCursor of the previous page; not with since'),
        orderId: string().optional().describe('only events of this order, ord_…: its history'),
        limit: paging.limit,
      },
      {
        async run({ orderId, ...query }, request) {
          if (orderId === undefined) return await client.events.list(query, request);
          const id = String(orderId);
          const page = await client.events.list({ ...query, orderId: id }, request);
          assertEventsOfOrder(page.data, id);
          return page;
        },
      },
    ),
    readTool('list_webhooks', 'List webhooks', 'Lists webhooks, newest first.', paging, {
      run: async (query, request) => await client.webhooks.list(query, request),
    }),
    readTool(
      'get_webhook',
      'Show a webhook',
      'Returns one webhook: URL, event types and status. Its secret is never returned.',
      { id: id('webhook', 'whk') },
      { run: async (args, request) => await client.webhooks.get(String(args.id), request) },
    ),
    readTool(
      'list_deliveries',
      'List deliveries',
      'Lists deliveries of events to webhooks, newest first.',
      {
        webhookId: string().optional().describe('only those of this webhook, whk_…'),
        state: oneOf(deliveryStates).optional(),
        event: oneOf(eventTypes).optional(),
        ...paging,
      },
      { run: async (query, request) => await client.deliveries.list(query, request) },
    ),
    readTool(
      'get_delivery',
      'Show a delivery',
      'Returns one delivery with its attempts: when, the response of the receiver, and why it failed.',
      { id: id('delivery', 'dlv') },
      { run: async (args, request) => await client.deliveries.get(String(args.id), request) },
    ),
  ];
}

/**
 * Checks a page that a service may have sorted by chance.
 *
 * @throws {CliError} `invalid_response` if it ignores the sort
 */
async function assertSortKept(
  { orders }: Client,
  page: Page<Order>,
  { cursor, ...query }: OrderListParams & { sort: OrderSort; limit: number },
  request: { signal: AbortSignal },
): Promise<void> {
  // The first page has shown it.
  if (cursor !== undefined) return;
  const readEnd = async (sort: OrderSort) =>
    (await orders.list({ ...query, sort, limit: 2 }, request)).data;
  if (await isSortIgnored(page, query, readEnd)) throw ignoredSortError(query.sort);
}

/**
 * Checks an empty list of several statuses, which a service without this extension may take for one.
 *
 * @throws {CliError} `invalid_response` if there are orders in one of them
 */
async function assertNone(
  { orders }: Client,
  { status, ...query }: OrderListParams,
  request: { signal: AbortSignal },
): Promise<void> {
  if (typeof status !== 'object' || query.cursor !== undefined) return;
  for (const one of status) {
    const { data } = await orders.list({ ...query, status: one }, request);
    if (data.length === 0) continue;
    throw new CliError(
      'invalid_response',
      'The service did not find orders in several statuses, although there are some',
      'Several statuses are an extension of the API that this service may not have: list one at a time.',
    );
  }
}

/**
 * Keeps a list within the limit of the call, if the service sends everything at once. A page with a cursor stays whole:
 * what is cut off could not be requested again.
 */
function keepToLimit<Item>(page: Page<Item>, { sort, limit = maxItems }: OrderListParams) {
  const { data, nextCursor } = page;
  const most = Math.max(limit, sort === undefined ? 1 : 2);
  if (data.length <= most || nextCursor !== null) return page;
  const advice = most < maxItems ? 'select fewer, or set a larger limit' : 'select fewer';
  const note = `These are the first ${most} of ${data.length} items: ${advice}.`;
  return { ...page, data: data.slice(0, most), note };
}

/** Lists the unread notifications of a page, also of a service that does not have the filter. */
async function listUnread(
  { notifications }: Client,
  query: NotificationListParams,
  request: { signal: AbortSignal },
) {
  const page = await notifications.list({ ...query, read: false }, request).catch((error) => {
    if (mayRejectParameter(error)) return notifications.list(query, request);
    throw error;
  });
  return { ...page, data: page.data.filter((one) => !assertObject(one).read) };
}

function readTool(
  name: string,
  title: string,
  description: string,
  input: Tool['input'],
  { run }: Pick<Tool, 'run'>,
): Tool {
  return { name, title, description, input, isChange: false, run };
}
