import {
  deliveryStates,
  eventTypes,
  type OrderStatus,
  orderStatuses,
  type Page,
} from '@tradepost/sdk';
import { fetchIdentity } from '../../config/identity';
import { orderSorts } from '../../input/options';
import { listNotifications } from '../notifications/notification-pages';
import { loadOrder } from '../orders/get/load-order';
import { listOrders, type OrderSelection } from '../orders/list';
import type { Client, Schemas, Tool } from './tool';

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
        sort: oneOf(orderSorts).optional().describe('- is from newest to oldest'),
        names,
        ...paging,
      },
      {
        async run({ status, names: wantsNames, ...query }, request) {
          const statuses = status === undefined ? [] : ([status].flat() as OrderStatus[]);
          const selection = { ...(query as unknown as OrderSelection), statuses };
          const pages = listOrders(client.orders, selection, {
            ...request,
            names: wantsNames === true ? { option: 'names' } : null,
            sortOption: 'sort',
          });
          return await readFirst(pages, selection.limit);
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
          const names = args.names === true ? { option: 'names' } : null;
          const wanted = { names, history: null };
          return (await loadOrder(client, String(args.id), wanted, request)).order;
        },
      },
    ),
    readTool(
      'list_notifications',
      'List notifications',
      'Lists notifications of the account, newest first.',
      { unread: boolean().optional().describe('true: only unread ones'), ...paging },
      {
        async run({ unread, limit, ...query }, request) {
          const { notifications } = client;
          const only = unread === true;
          const most = Number(limit);
          return await readFirst(
            listNotifications(notifications, only, most, request, query),
            most,
          );
        },
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
        run: async (query, request) => await client.events.list(query, request),
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
 * Returns the first page of a list: within the limit of the call, if the service sends everything at once. A page with a
 * cursor stays whole: what is cut off could not be requested again.
 */
async function readFirst<Item>(pages: AsyncIterable<Page<Item>>, limit: number) {
  for await (const { data, nextCursor } of pages) {
    if (data.length <= limit || nextCursor !== null) return { data, nextCursor };
    const advice = limit < maxItems ? 'select fewer, or set a larger limit' : 'select fewer';
    const note = `These are the first ${limit} of ${data.length} items: ${advice}.`;
    return { data: data.slice(0, limit), nextCursor, note };
  }
  return { data: [], nextCursor: null };
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
