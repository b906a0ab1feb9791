import { type contract, pageLimit } from '@tradepost/contract';
import { type Clock, createContext, type IdGenerator } from '../kernel/context';
import { withReplayedHeader } from '../kernel/idempotency';
import { decodeCursor, slicePage } from '../kernel/pagination';
import type { RouteHandlers } from '../route-handlers';
import type { DeliveryLogStore } from './delivery-store';
import {
  type DeliveryFilter,
  deliveryNotFound,
  needsSearch,
  replayDelivery,
  toDeliveryDetailsResponse,
  toDeliveryResponse,
} from './logged-delivery';

/** Creates the handlers of the delivery endpoints. */
export function deliveryRoutes(
  deliveries: DeliveryLogStore,
  clock: Clock,
  newId: IdGenerator,
): RouteHandlers<typeof contract.deliveries> {
  return {
    async list(request) {
      const { caller, query } = request;
      const { limit = pageLimit.default, webhookId, event, state, since, statusClass } = query;
      const filter: DeliveryFilter = {
        ...(webhookId && { webhookId }),
        ...(event && { eventType: event }),
        ...(state && { state }),
        ...(since && { since: Date.parse(since) }),
        ...(statusClass && { statusClass }),
      };
      const after = query.cursor ? decodeCursor(query.cursor, 'dlv') : null;
      const page = { after, limit: limit + 1 };
      const isSearch = needsSearch(filter);
      const signal = isSearch ? request.signal : undefined;
      const found = await deliveries.listDeliveries(caller.accountId, filter, page, signal);
      if (isSearch) await request.requireValidKey();
      const { items, nextCursor } = slicePage(found, limit);
      const data = items.map((item) => toDeliveryResponse(item, clock.now()));
      return { status: 200, body: { data, nextCursor } };
    },

    async get({ caller, params }) {
      const record = await deliveries.findDelivery(caller.accountId, params.id);
      if (record === null) throw deliveryNotFound(params.id);
      return { status: 200, body: { data: toDeliveryDetailsResponse(record, clock.now()) } };
    },

    async replay({ caller, params, idempotencyKey }) {
      const context = createContext(clock, newId);
      const request = { accountId: caller.accountId, id: params.id, idempotencyKey, context };
      const { response, replayed } = await deliveries.replayDelivery(request, (found) => {
        if (found === null) throw deliveryNotFound(params.id);
        const delivery = replayDelivery(found, context.now);
        const body = { data: toDeliveryResponse(delivery, context.now) };
        return { delivery, response: { status: 202 as const, headers: {}, body } };
      });
      return replayed ? withReplayedHeader(response) : response;
    },
  };
}
