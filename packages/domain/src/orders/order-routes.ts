import { type contract, headerNames, pageLimit } from '@tradepost/contract';
import { type Clock, createContext, type IdGenerator } from '../kernel/context';
import { DomainError } from '../kernel/errors';
import { withReplayedHeader } from '../kernel/idempotency';
import { slicePage } from '../kernel/pagination';
import type { RouteHandlers } from '../route-handlers';
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
  isByTime,
  needsSearch,
  simplifyFilter,
  toOrderFilter,
} from './order-list';
import type { OrderStore } from './order-store';

/** Creates the handlers of the order endpoints. */
export function orderRoutes(
  orders: OrderStore,
  clock: Clock,
  newId: IdGenerator,
): RouteHandlers<typeof contract.orders> {
  return {
    async list(request) {
      const { caller, query } = request;
      const { limit = pageLimit.default, sort = defaultSort, cursor } = query;
      const filter = simplifyFilter(caller, toOrderFilter(query));
      const after = cursor ? decodeOrderCursor(cursor, sort) : null;
      if (filter === null) return { status: 200, body: { data: [], nextCursor: null } };
      const isSearch = needsSearch(filter, sort);
      const signal = isSearch ? request.signal : undefined;
      const isFinal = clock.isReal === true && isByTime(filter, sort);
      const page = { after, limit: limit + 1, sort, isFinal };
      const found = await orders.listOrders(caller, filter, page, signal);
      if (isSearch) await request.requireValidKey();
      const encode = (last: Order) => encodeOrderCursor(last, sort);
      const { items, nextCursor } = slicePage(found, limit, encode);
      const data = query.expand
        ? await toExpandedResponses(orders, items, query.expand)
        : items.map(toOrderResponse);
      return { status: 200, body: { data, nextCursor } };
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
  };
}

/** Returns the headers with an order's version: twice, because some proxies remove the `ETag` of what they compress. */
function versionHeaders(order: Order) {
  return { ETag: formatEtag(order), [headerNames.orderVersion]: String(order.version) };
}
