import {
  type contract,
  headerNames,
  type OrderTotal,
  pageLimit,
  timelineLimits,
} from '@tradepost/contract';
import { type Clock, createContext, type IdGenerator } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import { withReplayedHeader } from '../kernel/idempotency';
import { slicePage } from '../kernel/pagination';
import type { RequestContext, RouteHandlers } from '../route-handlers';
import {
  changeStatus,
  formatEtag,
  isVisibleTo,
  type Order,
  orderNotFound,
  placeOrder,
  toOrderResponse,
} from './order';
import { toExpandedResponses } from './order-expansion';
import {
  decodeOrderCursor,
  defaultSort,
  encodeOrderCursor,
  getCountSort,
  isByTime,
  needsSearch,
  simplifyFilter,
  toOrderFilter,
} from './order-list';
import type { OrderFilter, OrderStore } from './order-store';
import { type TimelineStore, toTimelineResponse } from './order-timeline';

/** Creates the handlers of the order endpoints. */
export function orderRoutes(
  orders: OrderStore,
  timelines: TimelineStore,
  clock: Clock,
  newId: IdGenerator,
): RouteHandlers<typeof contract.orders> {
  /** @param known The number of orders, if the page has all of them. */
  async function countUpTo(
    most: number,
    { caller, signal }: RequestContext,
    filter: OrderFilter,
    known: number | null,
  ): Promise<OrderTotal> {
    const found = known ?? (await orders.countOrders(caller, filter, most + 1, signal));
    return { count: Math.min(found, most), atLeast: found > most };
  }

  return {
    async list(request) {
      const { caller, query } = request;
      const { limit = pageLimit.default, sort = defaultSort, cursor } = query;
      const filter = simplifyFilter(caller, toOrderFilter(query));
      const after = cursor ? decodeOrderCursor(cursor, sort) : null;
      if (filter === null) {
        const total = query.count && { total: { count: 0, atLeast: false } };
        return { status: 200, body: { data: [], nextCursor: null, ...total } };
      }
      const isSearch = needsSearch(filter, sort);
      const signal = isSearch ? request.signal : undefined;
      const isFinal = clock.isReal === true && isByTime(filter, sort);
      const page = { after, limit: limit + 1, sort, isFinal };
      const found = await orders.listOrders(caller, filter, page, signal);
      const encode = (last: Order) => encodeOrderCursor(last, sort);
      const { items, nextCursor } = slicePage(found, limit, encode);
      const whole = after === null && nextCursor === null ? items.length : null;
      const total = query.count && (await countUpTo(query.count, request, filter, whole));
      if (isSearch || (total && needsSearch(filter, getCountSort(filter)))) {
        await request.requireValidKey();
      }
      const data = query.expand
        ? await toExpandedResponses(orders, items, query.expand)
        : items.map(toOrderResponse);
      return { status: 200, body: { data, nextCursor, ...(total && { total }) } };
    },

    async create({ caller, body, idempotencyKey }) {
      if (caller.kind !== 'buyer') {
        throw new DomainError(
          'account_kind_not_allowed',
          `Only a buyer account may create an order; this key belongs to ${
            caller.kind === 'agent' ? 'an agent' : 'a seller'
          }.`,
        );
      }
      const context = createContext(clock, newId);
      const { response, replayed } = await orders.placeOrder(
        { listingId: body.listingId, buyerId: caller.accountId, idempotencyKey, context },
        (listing, at) => {
          const change = placeOrder(caller, body, listing, at);
          const { order } = change;
          const headers = { Location: `/v1/orders/${order.id}`, ...versionHeaders(order) };
          return {
            change,
            response: { status: 201 as const, headers, body: { data: toOrderResponse(order) } },
          };
        },
      );
      return replayed ? withReplayedHeader(response) : response;
    },

    async get({ caller, params, query }) {
      const order = await orders.findOrder(params.id);
      if (order === null || !isVisibleTo(order, caller)) throw orderNotFound(params.id);
      const [expanded] = query.expand
        ? await toExpandedResponses(orders, [order], query.expand)
        : [];
      return {
        status: 200,
        headers: versionHeaders(order),
        body: { data: expanded ?? toOrderResponse(order) },
      };
    },

    async update({ caller, params, headers, body }) {
      const context = createContext(clock, newId);
      const { status: to, reason } = body;
      const request = { caller, id: params.id, to, ifMatch: headers['if-match'], reason };
      const { order, changed } = await orders.changeOrder(params.id, context, (found, at) =>
        changeStatus(request, found, at),
      );
      return {
        status: 200,
        headers: { ...versionHeaders(order), [headerNames.changed]: String(changed) },
        body: { data: toOrderResponse(order) },
      };
    },

    async timeline({ caller, params }) {
      const past = await timelines.readPast(caller.accountId, params.id, timelineLimits);
      if (past === null || !isVisibleTo(past.order, caller)) throw orderNotFound(params.id);
      return {
        status: 200,
        headers: { [headerNames.orderVersion]: String(past.order.version) },
        body: { data: toTimelineResponse(past, clock.now()) },
      };
    },
  };
}

/** Returns the headers with an order's version: twice, because some proxies remove the `ETag` of what they compress. */
function versionHeaders(order: Order) {
  return { ETag: formatEtag(order), [headerNames.orderVersion]: String(order.version) };
}
