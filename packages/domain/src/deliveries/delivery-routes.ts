import {
  type contract,
  defaultReplayState,
  type ListDeliveries,
  pageLimit,
  replayLimit,
} from '@tradepost/contract';
import { type Clock, createContext, type IdGenerator } from '../kernel/context';
import { withReplayedHeader } from '../kernel/idempotency';
import { decodeCursor, slicePage } from '../kernel/pagination';
import type { RequestContext, RouteHandlers } from '../route-handlers';
import { webhookNotFound } from '../webhooks/webhook';
import type { WebhookStore } from '../webhooks/webhook-store';
import type { DeliveryLogStore } from './delivery-store';
import {
  type DeliveryFilter,
  deliveryNotFound,
  type LoggedDelivery,
  needsSearch,
  replayDelivery,
  replayMatching,
  toDeliveryDetailsResponse,
  toDeliveryResponse,
} from './logged-delivery';

function toFilter({ event, since, until, ...others }: ListDeliveries): DeliveryFilter {
  const { webhookId, eventId, orderId, state, statusClass } = others;
  return {
    ...(webhookId && { webhookId }),
    ...(eventId && { eventId }),
    ...(orderId && { orderId }),
    ...(event && { eventType: event }),
    ...(state && { state }),
    ...(since && { since: Date.parse(since) }),
    ...(until && { until: Date.parse(until) }),
    ...(statusClass && { statusClass }),
  };
}

/** Lists one page of what a filter finds. */
async function listPage(
  deliveries: DeliveryLogStore,
  { caller, signal, requireValidKey }: RequestContext,
  filter: DeliveryFilter,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<{ items: LoggedDelivery[]; nextCursor: string | null }> {
  const page = { after: cursor ? decodeCursor(cursor, 'dlv') : null, limit: limit + 1 };
  if (!needsSearch(filter))
    return slicePage(await deliveries.listDeliveries(caller.accountId, filter, page), limit);
  const found = await deliveries.listDeliveries(caller.accountId, filter, page, signal);
  await requireValidKey();
  return slicePage(found, limit);
}

/** Creates the handlers of the delivery endpoints. */
export function deliveryRoutes(
  deliveries: DeliveryLogStore,
  clock: Clock,
  newId: IdGenerator,
): RouteHandlers<typeof contract.deliveries> {
  return {
    async list(request) {
      const { limit = pageLimit.default, cursor, ...query } = request.query;
      const page = { cursor, limit };
      const found = await listPage(deliveries, request, toFilter(query), page);
      const data = found.items.map((item) => toDeliveryResponse(item, clock.now()));
      return { status: 200, body: { data, nextCursor: found.nextCursor } };
    },

    async get({ caller, params }) {
      const record = await deliveries.findDelivery(caller.accountId, params.id);
      if (record === null) throw deliveryNotFound(params.id);
      return { status: 200, body: { data: toDeliveryDetailsResponse(record, clock.now()) } };
    },

    async replay({ caller, params, idempotencyKey }) {
      const context = createContext(clock, newId);
      const ids = [params.id];
      const request = { accountId: caller.accountId, ids, idempotencyKey, context };
      const { response, replayed } = await deliveries.replayDeliveries(request, ([found]) => {
        if (found === undefined) throw deliveryNotFound(params.id);
        const delivery = replayDelivery(found, context.now);
        const body = { data: toDeliveryResponse(delivery, context.now) };
        return { deliveries: [delivery], response: { status: 202 as const, headers: {}, body } };
      });
      return replayed ? withReplayedHeader(response) : response;
    },
  };
}

/** Creates the handler of the endpoint that replays deliveries to a webhook. */
export function replayRoutes(
  { deliveryLog, webhooks }: { deliveryLog: DeliveryLogStore; webhooks: WebhookStore },
  clock: Clock,
  newId: IdGenerator,
): Pick<RouteHandlers<typeof contract.webhooks>, 'replayDeliveries'> {
  return {
    async replayDeliveries(request) {
      const { caller, params, idempotencyKey } = request;
      const { accountId } = caller;
      const { limit = replayLimit.default, cursor, ...query } = request.body;
      const { state = defaultReplayState } = query;
      const filter = toFilter({ ...query, state, webhookId: params.id });
      const webhook = await webhooks.findWebhook(accountId, params.id);
      const page = await listPage(deliveryLog, request, filter, { cursor, limit });
      const ids = page.items.map(({ id }) => id);
      const context = createContext(clock, newId);
      const replays = { accountId, ids, idempotencyKey, context };
      const { response, replayed } = await deliveryLog.replayDeliveries(replays, (found) => {
        if (webhook === null) throw webhookNotFound(params.id);
        const { deliveries, skipped } = replayMatching(found, filter, context.now);
        const data = { replayed: deliveries.length, skipped, nextCursor: page.nextCursor };
        return { deliveries, response: { status: 202 as const, headers: {}, body: { data } } };
      });
      return replayed ? withReplayedHeader(response) : response;
    },
  };
}
