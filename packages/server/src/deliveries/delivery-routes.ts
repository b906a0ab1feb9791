import { type contract, pageLimit } from '@tradepost/contract';
import type { Clock } from '../clock';
import type { FeatureRoutes } from '../feature-routes';
import { markReplayed } from '../idempotency-claim';
import type { NewId } from '../ids';
import { present } from '../moment';
import { cutPage, readCursor } from '../position';
import type { DeliveryLogStore } from './delivery-log-store';
import {
  type DeliveryFilter,
  deliveryNotFound,
  needsSearch,
  presentDelivery,
  presentDeliveryRecord,
  replay,
} from './logged-delivery';

/** The three delivery endpoints. */
export function deliveryRoutes(
  deliveries: DeliveryLogStore,
  clock: Clock,
  newId: NewId,
): FeatureRoutes<typeof contract.deliveries> {
  return {
    async list(request) {
      const { caller, query } = request;
      const { limit = pageLimit.default, webhookId, event, state, since, http } = query;
      const filter: DeliveryFilter = {
        ...(webhookId && { webhookId }),
        ...(event && { kind: event }),
        ...(state && { state }),
        ...(since && { since: Date.parse(since) }),
        ...(http && { http }),
      };
      const after = query.cursor ? readCursor(query.cursor, 'dlv') : null;
      const page = { after, limit: limit + 1 };
      const isSearch = needsSearch(filter);
      const signal = isSearch ? request.gone : undefined;
      const found = await deliveries.listDeliveries(caller.accountId, filter, page, signal);
      if (isSearch) await request.requireValidKey();
      const { items, nextCursor } = cutPage(found, limit);
      const data = items.map((item) => presentDelivery(item, clock.now()));
      return { status: 200, body: { data, nextCursor } };
    },

    async get({ caller, params }) {
      const record = await deliveries.findDelivery(caller.accountId, params.id);
      if (record === null) throw deliveryNotFound(params.id);
      return { status: 200, body: { data: presentDeliveryRecord(record, clock.now()) } };
    },

    async replay({ caller, params, claim }) {
      const moment = present(clock, newId);
      const request = { accountId: caller.accountId, id: params.id, claim, moment };
      const { answer, replayed } = await deliveries.replayDelivery(request, (found) => {
        if (found === null) throw deliveryNotFound(params.id);
        const delivery = replay(found, moment.now);
        const body = { data: presentDelivery(delivery, moment.now) };
        return { delivery, answer: { status: 202 as const, headers: {}, body } };
      });
      return replayed ? markReplayed(answer) : answer;
    },
  };
}
