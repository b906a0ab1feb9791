import {
  allEventTypes,
  type DeliveryListParams,
  type DeliveryStats,
  deliveryStates,
  type LatestEventsParams,
  type OrderStatus,
  orderCount,
  orderStatuses,
  type StatsWindow,
  statsWindows,
} from '@tradepost/sdk';
import { explainDelivery } from '@tradepost/sdk/explain';
import { fetchIdentity } from '../../config/identity';
import { orderSorts } from '../../input/options';
import type { ListPage } from '../../output/view';
import { listNotifications } from '../notifications/notification-pages';
import { findParty } from '../orders/find-party';
import { loadOrder } from '../orders/get/load-order';
import { listOrders, type OrderSelection } from '../orders/list';
import { toHint } from '../webhooks/action-hint';
import { findWebhook } from '../webhooks/explain/command';
import type { Outputs } from './outputs';
import type { Client, Protocol, Tool } from './tool';
import { formatToolHint } from './tool-hints';

/** The most items that a call returns. */
export const maxItems = 100;

/** What tools work with. */
export interface Toolbox {
  client: Client;
  protocol: Protocol;
  outputs: Outputs;
  /** Milliseconds since 1970. */
  now: () => number;
  /** The names of the tools that are offered. */
  offered: ReadonlySet<string>;
}

/** Creates the schemas of arguments that several tools have. */
export function createInputs({ string, int }: Protocol) {
  return {
    id: (noun: string, prefix: string) => string().describe(`ID of the ${noun}, ${prefix}_…`),
    ofId: (noun: string, prefix: string) =>
      string().optional().describe(`only those of this ${noun}, ${prefix}_…`),
    time: (what: string) =>
      string().optional().describe(`${what}: ISO 8601 with offset, such as 2026-11-20T09:30:00Z`),
    paging: {
      limit: int().min(1).max(maxItems).default(20).describe(`1 to ${maxItems}`),
      cursor: string().optional().describe('nextCursor of the previous page'),
    },
  };
}

/** Creates the tools that change nothing. */
export function createReadTools(box: Toolbox): Tool[] {
  const { client, protocol, outputs, offered, now } = box;
  const { array, boolean, int, looseObject, oneOf, string, union } = protocol;
  const { id, ofId, time, paging } = createInputs(protocol);
  const { order, event, notification, webhook, stats, delivery, page } = outputs;
  const names = boolean()
    .optional()
    .describe('true: with the names of the accounts and the title of the listing');
  const party = (kind: string) =>
    string().optional().describe(`only orders of this ${kind}: usr_…, or a part of the name`);
  const quantity = (bound: string) =>
    int().min(1).optional().describe(`only orders of ${bound} so many units`);
  const namesOf = (wantsNames: unknown) => (wantsNames === true ? { option: 'names' } : null);

  return [
    {
      name: 'whoami',
      title: 'Current account',
      description: 'Returns the account of the API key.',
      input: {},
      output: looseObject({ account: looseObject({}).nullable() }),
      run: async (_, request) => ({ account: await fetchIdentity(client, request) }),
    },
    {
      name: 'list_orders',
      title: 'List orders',
      description: 'Lists orders that the account may see, by default newest first.',
      input: {
        status: union(
          [oneOf(orderStatuses), array(oneOf(orderStatuses)).min(1)],
          `Use one of ${orderStatuses.join(', ')}, or an array of these`,
        )
          .optional()
          .describe('one status, or several as an array'),
        buyer: party('buyer'),
        seller: party('seller'),
        listingId: ofId('listing', 'lst'),
        minQuantity: quantity('at least'),
        maxQuantity: quantity('at most'),
        createdAfter: time('only orders created after this time'),
        createdBefore: time('only orders created before this time'),
        updatedAfter: time('only orders last changed after this time'),
        sort: oneOf(orderSorts).optional().describe('- is from newest to oldest'),
        names,
        count: boolean().optional().describe('true: also how many there are in all, in total'),
        ...paging,
      },
      output: page(order).extend({
        total: looseObject({ count: int(), atLeast: boolean() }).optional(),
      }),
      async run({ status, buyer, seller, count, names: wantsNames, ...query }, request) {
        const statuses = status === undefined ? [] : ([status].flat() as OrderStatus[]);
        const find = (kind: 'buyer' | 'seller', name: unknown) =>
          findParty(client, kind, name as string | undefined, request, kind);
        const [buyerId, sellerId] = [await find('buyer', buyer), await find('seller', seller)];
        const selection = {
          ...(query as unknown as OrderSelection),
          ...{ statuses, ...(buyerId && { buyerId }), ...(sellerId && { sellerId }) },
          ...(count === true && { count: orderCount.max }),
        };
        const listing = { ...request, names: namesOf(wantsNames), sortOption: 'sort' };
        return await readFirst(listOrders(client.orders, selection, listing), selection.limit);
      },
    },
    {
      name: 'get_order',
      title: 'Show an order',
      description: 'Returns one order. Its history is what list_events returns for its orderId.',
      input: { id: id('order', 'ord'), names },
      output: order,
      async run(args, request) {
        const wanted = { names: namesOf(args.names), history: null };
        return (await loadOrder(client, String(args.id), wanted, request)).order;
      },
    },
    {
      name: 'get_order_timeline',
      title: 'Show what happened to an order',
      description:
        "Returns one entry for each event of an order, oldest first: the change of status and who made it, the account's notification, and the deliveries to its webhooks with their last attempts.",
      input: { id: id('order', 'ord') },
      output: outputs.timeline,
      async run(args, request) {
        const { entries, prunedBefore } = await client.orders.timeline(String(args.id), request);
        return { entries, prunedBefore };
      },
    },
    {
      name: 'get_summary',
      title: 'Account at a glance',
      description:
        'Returns how many orders have each status, how many notifications are unread, and how many webhooks are active, paused, disabled by the service because their endpoints kept failing, or in backoff. With atLeast true there are more than count.',
      input: {},
      output: outputs.summary,
      async run(_, request) {
        const { asOf, orders, unread, webhooks } = await client.summary.get(request);
        return { asOf, orders, unread, webhooks };
      },
    },
    {
      name: 'list_notifications',
      title: 'List notifications',
      description: 'Lists notifications of the account, newest first.',
      input: { unread: boolean().optional().describe('true: only unread ones'), ...paging },
      output: page(notification),
      async run({ unread, limit, ...query }, request) {
        const [only, most] = [unread === true, Number(limit)];
        const pages = listNotifications(client.notifications, only, most, request, query);
        return await readFirst(pages, most);
      },
    },
    {
      name: 'list_events',
      title: 'List events',
      description:
        'Lists events of the account, newest first: changes of orders, tasks and listings. A page may have fewer than there are.',
      input: {
        orderId: string().optional().describe('only events of this order, ord_…: its history'),
        type: oneOf(allEventTypes).optional(),
        since: time('only events at or after this time'),
        until: time('only events before this time'),
        ...paging,
      },
      output: page(event),
      async run({ cursor, ...query }, request) {
        const params = { ...query, ...(cursor !== undefined && { before: cursor }) };
        const found = await client.events.latest(params as LatestEventsParams, request);
        return { data: found.data, nextCursor: found.nextCursor };
      },
    },
    {
      name: 'get_event',
      title: 'Show an event',
      description: 'Returns one event with its data.',
      input: { id: id('event', 'evt') },
      output: event,
      run: async (args, request) => await client.events.get(String(args.id), request),
    },
    {
      name: 'list_webhooks',
      title: 'List webhooks',
      description: 'Lists webhooks, newest first.',
      input: paging,
      output: page(webhook),
      run: async (query, request) => await client.webhooks.list(query, request),
    },
    {
      name: 'get_webhook',
      title: 'Show a webhook',
      description:
        'Returns one webhook: URL, event types, status and health, and disabledAt if the service disabled it. Its secret is never returned.',
      input: { id: id('webhook', 'whk') },
      output: webhook,
      run: async (args, request) => await client.webhooks.get(String(args.id), request),
    },
    {
      name: 'get_webhook_stats',
      title: 'Show the statistics of a webhook',
      description:
        'Returns how many deliveries to a webhook were delivered and failed, its attempts by status class, and the latency of its receiver in milliseconds: in total, and in each minute, quarter of an hour or hour in which something happened.',
      input: {
        id: id('webhook', 'whk'),
        window: oneOf(statsWindows).default('24h').describe('how far back'),
      },
      output: looseObject({ webhookId: string(), since: string(), until: string(), totals: stats }),
      async run({ id: webhookId, window }, request) {
        const query = { window: window as StatsWindow };
        const found = await client.webhooks.stats(String(webhookId), query, request);
        const happened = ({ delivered, failed, attempts }: DeliveryStats) =>
          delivered + failed > 0 || Object.values(attempts).some((count) => count > 0);
        return { ...found, points: found.points.filter(happened) };
      },
    },
    {
      name: 'list_deliveries',
      title: 'List deliveries',
      description: 'Lists deliveries of events to webhooks, newest first.',
      input: {
        webhookId: ofId('webhook', 'whk'),
        orderId: ofId('order', 'ord'),
        eventId: ofId('event', 'evt'),
        state: oneOf(deliveryStates).optional(),
        event: oneOf(allEventTypes).optional(),
        since: time('only deliveries queued at or after this time'),
        until: time('only deliveries queued before this time'),
        ...paging,
      },
      output: page(delivery),
      run: async (query, request) =>
        await client.deliveries.list(query as DeliveryListParams, request),
    },
    {
      name: 'explain_delivery',
      title: 'Explain a delivery',
      description:
        'Says what became of one delivery and what to do about it, with what was sent and the last response of the receiver.',
      input: { id: id('delivery', 'dlv') },
      output: looseObject({
        verdict: string().describe(
          'delivered, failed, waiting, retrying, backoff, paused, in_progress or unknown',
        ),
        explanation: string(),
        actions: array(string()).describe('what to do, in this order'),
        delivery,
      }),
      async run(args, request) {
        const details = await client.deliveries.get(String(args.id), request);
        const { body, attempts, ...summary } = details;
        const found = await findWebhook(client, details.webhookId, request);
        const explained = explainDelivery(details, { webhook: found, now: now() });
        const { verdict, reason } = explained;
        return {
          verdict,
          explanation: reason,
          // The others are for a terminal.
          actions: explained.actions
            .filter(({ type }) => !['test', 'verify', 'forward'].includes(type))
            .map((action) => formatToolHint(toHint(action), offered) ?? action.text),
          url: attempts.at(-1)?.url ?? found?.url ?? null,
          lastResponse: attempts.at(-1)?.responseSnippet ?? null,
          delivery: summary,
          body,
        };
      },
    },
    {
      name: 'get_delivery',
      title: 'Show a delivery',
      description:
        'Returns one delivery with its body and its attempts: when, the response of the receiver, and why it failed.',
      input: { id: id('delivery', 'dlv') },
      output: delivery,
      async run(args, request) {
        const { attempts, ...found } = await client.deliveries.get(String(args.id), request);
        // Signatures say nothing to a model.
        return { ...found, attempts: attempts.map(({ headers: _, ...attempt }) => attempt) };
      },
    },
  ];
}

/**
 * Returns the first page of a list, within the limit of the call: a service without the extension sends more at once. What is cut
 * off cannot be requested by a cursor.
 */
async function readFirst<Item>(pages: AsyncIterable<ListPage<Item>>, limit: number) {
  for await (const { data, nextCursor, total } of pages) {
    const counted = total === undefined ? {} : { total };
    if (data.length <= limit) return { data, nextCursor, ...counted };
    const advice = limit < maxItems ? 'select fewer, or set a larger limit' : 'select fewer';
    const note = `These are the first ${limit} of ${data.length} items: ${advice}.`;
    return { data: data.slice(0, limit), nextCursor: null, note, ...counted };
  }
  return { data: [], nextCursor: null };
}
