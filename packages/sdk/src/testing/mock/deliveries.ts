import type { Delivery } from '../../index';
import { parseTime } from './check-fields';
import type { HandlerRequest, MockResponse } from './handler';
import { type DeliveryRecord, type Market, retryWindowMs } from './market';
import { slicePage } from './page';
import { MockProblem } from './problem';

/** Converts a stored delivery to that of a response. */
export function toDelivery(
  { webhooks }: Market,
  { body: _, attempts: __, position: ___, ...delivery }: DeliveryRecord,
): Delivery {
  const webhook = webhooks.find(({ id }) => id === delivery.webhookId);
  const isPaused = webhook?.status === 'paused';
  return { ...delivery, nextAttemptAt: isPaused ? null : delivery.nextAttemptAt };
}

/** The deliveries to the webhooks that the caller has: not those to deleted ones. */
function findOwn({ webhooks, deliveries }: Market, { caller }: HandlerRequest) {
  const own = new Set(
    webhooks.filter(({ accountId }) => accountId === caller.id).map(({ id }) => id),
  );
  return deliveries.filter(({ webhookId }) => own.has(webhookId));
}

/** Handles `GET /v1/deliveries`. */
export function listDeliveries(market: Market, request: HandlerRequest): MockResponse {
  const { query } = request;
  const since = parseTime(query.since);
  const found = findOwn(market, request).filter((delivery) => {
    const known = { ...delivery, statusClass: getStatusClass(delivery) };
    const { webhookId, event, state, statusClass } = { ...known, ...query };
    return (
      known.webhookId === webhookId &&
      known.event === event &&
      known.state === state &&
      known.statusClass === statusClass &&
      !(Date.parse(known.createdAt) < since)
    );
  });
  const { items, nextCursor } = slicePage(found, request, 'dlv');
  return {
    status: 200,
    body: { data: items.map((item) => toDelivery(market, item)), nextCursor },
  };
}

/** Null before the first attempt. */
function getStatusClass({ lastStatus, lastError }: Delivery): string | null {
  if (lastStatus !== null) return `${Math.floor(lastStatus / 100)}xx`;
  return lastError === null ? null : 'none';
}

function findDelivery(market: Market, request: HandlerRequest): DeliveryRecord {
  const found = findOwn(market, request).find(({ id }) => id === request.id);
  if (found) return found;
  throw new MockProblem(
    'delivery_not_found',
    `No delivery ${JSON.stringify(request.id)} belongs to this account. Check the ID (dlv_<id>) and the API key. Old deliveries are pruned.`,
  );
}

/** Handles `GET /v1/deliveries/:id`. */
export function getDelivery(market: Market, request: HandlerRequest): MockResponse {
  const found = findDelivery(market, request);
  const { body, attempts } = found;
  return { status: 200, body: { data: { ...toDelivery(market, found), body, attempts } } };
}

/** Handles `POST /v1/deliveries/:id/replay`. */
export function replayDelivery(market: Market, request: HandlerRequest): MockResponse {
  const found = findDelivery(market, request);
  const { clock } = market;
  Object.assign(found, {
    state: 'pending',
    nextAttemptAt: clock.timestamp(),
    deadlineAt: clock.timestamp(retryWindowMs),
    finishedAt: null,
  });
  return { status: 202, body: { data: toDelivery(market, found) } };
}
