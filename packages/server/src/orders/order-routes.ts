import { type contract, pageLimit } from '@tradepost/contract';
import type { Clock } from '../clock';
import { DomainError } from '../domain-error';
import type { FeatureRoutes } from '../feature-routes';
import { markReplayed } from '../idempotency-claim';
import type { NewId } from '../ids';
import { present } from '../moment';
import { cutPage, readCursor } from '../position';
import { changeStatus } from './change-status';
import { etagOf, isVisibleTo, orderNotFound, presentOrder } from './order';
import type { OrderStore } from './order-store';
import { placeOrder } from './place-order';

/** The four order endpoints. */
export function orderRoutes(
  orders: OrderStore,
  clock: Clock,
  newId: NewId,
): FeatureRoutes<typeof contract.orders> {
  return {
    async list({ caller, query }) {
      const limit = query.limit ?? pageLimit.default;
      const { createdAfter, createdBefore } = query;
      const found = await orders.listOrders(
        caller,
        {
          ...(query.status && { status: query.status }),
          ...(createdAfter && { createdAfter: Date.parse(createdAfter) }),
          ...(createdBefore && { createdBefore: Date.parse(createdBefore) }),
        },
        { after: query.cursor ? readCursor(query.cursor, 'ord') : null, limit: limit + 1 },
      );
      const { items, nextCursor } = cutPage(found, limit);
      return { status: 200, body: { data: items.map(presentOrder), nextCursor } };
    },

    async create({ caller, body, claim }) {
      if (caller.kind !== 'buyer') {
        throw new DomainError(
          'account_kind_not_allowed',
          `Only a buyer account may create an order; this key belongs to ${
            caller.kind === 'agent' ? 'an agent' : 'a seller'
          }.`,
        );
      }
      const moment = present(clock, newId);
      const { answer, replayed } = await orders.placeOrder(
        { listingId: body.listingId, claim, moment },
        (listing) => {
          const change = placeOrder(caller, body, listing, moment);
          const { order } = change;
          const headers = { Location: `/v1/orders/${order.id}`, ETag: etagOf(order) };
          return {
            change,
            answer: { status: 201 as const, headers, body: { data: presentOrder(order) } },
          };
        },
      );
      return replayed ? markReplayed(answer) : answer;
    },

    async get({ caller, params }) {
      const order = await orders.findOrder(params.id);
      if (order === null || !isVisibleTo(order, caller)) throw orderNotFound(params.id);
      return {
        status: 200,
        headers: { ETag: etagOf(order) },
        body: { data: presentOrder(order) },
      };
    },

    async update({ caller, params, headers, body }) {
      const moment = present(clock, newId);
      const asked = { caller, id: params.id, to: body.status, ifMatch: headers['if-match'] };
      const order = await orders.changeOrder(params.id, moment, (found) =>
        changeStatus(asked, found, moment),
      );
      return {
        status: 200,
        headers: { ETag: etagOf(order) },
        body: { data: presentOrder(order) },
      };
    },
  };
}
