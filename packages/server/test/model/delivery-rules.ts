import type { Delivery, DeliveryDetails } from '@tradepost/contract/wire';
import type { ModelAccount } from './account-state';
import { anything, jsonText } from './match';
import {
  formatTime,
  type ModelDelivery,
  type ModelEvent,
  type ModelState,
  type ModelWebhook,
  placeholder,
  type Query,
  Rejection,
  type Reply,
} from './state';
import { findWebhook, isHeld } from './webhook-rules';

const second = 1_000;
const day = 24 * 60 * 60 * second;
/** Source: API specification, "Retries", and README of the server, "Where deliveries go". */
const retryWindow = day;
const attemptTimeout = 15 * second;
/** Source: decision 0009: from 5 s by a factor of 3 to 6 h. The jitter of the tests is 0. */
const retryDelay = (tries: number) => Math.min(5 * second * 3 ** (tries - 1), day / 4);
/** Source: decision 0009: after five rounds of failures 5 s, then threefold to 5 min. */
const backoffDelay = (failures: number) =>
  Math.min(5 * second * 3 ** (failures - 5), longestBackoff);
const longestBackoff = 300 * second;

/** Queues an event for a webhook. */
export function queueDelivery(
  state: ModelState,
  webhook: ModelWebhook,
  event: ModelEvent,
  test = false,
): ModelDelivery {
  const delivery: ModelDelivery = {
    id: placeholder(state, 'dlv'),
    number: state.created,
    webhookId: webhook.id,
    event,
    test,
    state: 'pending',
    attempts: [],
    tries: 0,
    nextAttemptAt: state.now,
    deadlineAt: state.now + retryWindow,
    createdAt: state.now,
    finishedAt: null,
    error: null,
    inFlight: null,
  };
  state.deliveries.push(delivery);
  return delivery;
}

function webhookOf(state: ModelState, delivery: ModelDelivery): ModelWebhook {
  const webhook = state.webhooks.find(({ id }) => id === delivery.webhookId);
  if (webhook === undefined) throw new Error(`The model has no webhook ${delivery.webhookId}.`);
  return webhook;
}

/** Returns the deliveries that an account may see, oldest first. */
export function visibleDeliveries(state: ModelState, account: ModelAccount): ModelDelivery[] {
  return state.deliveries.filter((delivery) => {
    const webhook = webhookOf(state, delivery);
    return webhook.accountId === account.id && !webhook.isDeleted;
  });
}

/** Shows a delivery. */
export function showDelivery(state: ModelState, delivery: ModelDelivery): Delivery {
  const { id, webhookId, event, test, attempts, createdAt, deadlineAt, finishedAt } = delivery;
  const webhook = webhookOf(state, delivery);
  const isWaiting = delivery.state === 'pending' && delivery.inFlight === null;
  const isScheduled = isWaiting && !isHeld(state, webhook);
  const nextAttemptAt = Math.max(delivery.nextAttemptAt, webhook.backoffUntil);
  const last = attempts.at(-1);
  return {
    id,
    webhookId,
    eventId: event.id,
    event: event.type,
    orderId: event.orderId,
    state: delivery.state,
    test,
    attemptCount: attempts.length,
    lastStatus: last?.status ?? null,
    lastError: last === undefined ? delivery.error : last.error,
    nextAttemptAt: isScheduled ? formatTime(nextAttemptAt) : null,
    deadlineAt: formatTime(deadlineAt),
    createdAt: formatTime(createdAt),
    finishedAt: finishedAt === null ? null : formatTime(finishedAt),
  };
}

/** What the body of a delivery must be. */
export function expectedBody({ type, createdAt, data, text }: ModelEvent): unknown {
  return jsonText(text, { event: type, createdAt: formatTime(createdAt), data: data ?? anything });
}

function showDetails(
  state: ModelState,
  delivery: ModelDelivery,
): Omit<DeliveryDetails, 'body' | 'attempts'> & { body: unknown; attempts: unknown[] } {
  const attempts = delivery.attempts.map((attempt, index) => ({
    ...attempt,
    number: index + 1,
    startedAt: formatTime(attempt.startedAt),
    responseSnippet: anything,
  }));
  return { ...showDelivery(state, delivery), body: expectedBody(delivery.event), attempts };
}

const statusClassOf = ({ attempts, error }: ModelDelivery) => {
  const attempt = attempts.at(-1) ?? (error === null ? undefined : { status: null });
  if (attempt === undefined) return undefined;
  return attempt.status === null ? 'none' : `${Math.floor(attempt.status / 100)}xx`;
};

/** Returns the deliveries of an account that a filter finds, oldest first. */
export function filterDeliveries(
  state: ModelState,
  account: ModelAccount,
  { webhookId, eventId, orderId, event, state: inState, since, until, statusClass }: Query,
): ModelDelivery[] {
  return visibleDeliveries(state, account)
    .filter((one) => webhookId === undefined || one.webhookId === webhookId)
    .filter((one) => eventId === undefined || one.event.id === eventId)
    .filter((one) => orderId === undefined || one.event.orderId === orderId)
    .filter((one) => event === undefined || one.event.type === event)
    .filter((one) => inState === undefined || one.state === inState)
    .filter((one) => statusClass === undefined || statusClassOf(one) === statusClass)
    .filter(({ createdAt }) => since === undefined || createdAt >= Date.parse(String(since)))
    .filter(({ createdAt }) => until === undefined || createdAt < Date.parse(String(until)));
}

function findDelivery(state: ModelState, account: ModelAccount, id = ''): ModelDelivery {
  const delivery = visibleDeliveries(state, account).find((one) => one.id === id);
  if (delivery === undefined) throw new Rejection('delivery_not_found');
  return delivery;
}

/** `GET /v1/deliveries/:id`. */
export function getDelivery(state: ModelState, account: ModelAccount, id?: string): Reply {
  return { status: 200, body: { data: showDetails(state, findDelivery(state, account, id)) } };
}

/** `POST /v1/deliveries/:id/replay`. */
export function replayDelivery(state: ModelState, account: ModelAccount, id?: string): Reply {
  const delivery = findDelivery(state, account, id);
  if (delivery.inFlight !== null) throw new Rejection('delivery_in_progress');
  makeDue(state, delivery);
  return { status: 202, body: { data: showDelivery(state, delivery) } };
}

function makeDue(state: ModelState, delivery: ModelDelivery): void {
  delivery.state = 'pending';
  delivery.tries = 0;
  delivery.nextAttemptAt = state.now;
  delivery.deadlineAt = state.now + retryWindow;
  delivery.finishedAt = null;
  webhookOf(state, delivery).backoffUntil = 0;
}

/** How many deliveries a request replays that has no limit. */
const replayLimit = 100;

/** `POST /v1/webhooks/:id/replays`, without a limit and a cursor. */
export function replayDeliveries(
  state: ModelState,
  account: ModelAccount,
  id: string | undefined,
  filter: Query,
): Reply {
  const { id: webhookId } = findWebhook(state, account, id);
  const found = filterDeliveries(state, account, {
    state: 'failed',
    ...filter,
    webhookId,
  }).toReversed();
  const chosen = found.slice(0, replayLimit);
  const waiting = chosen.filter(({ inFlight }) => inFlight === null);
  for (const delivery of waiting) makeDue(state, delivery);
  const data = {
    replayed: waiting.length,
    skipped: chosen.length - waiting.length,
    nextCursor: found.length > chosen.length ? placeholder(state, 'cursor') : null,
  };
  return { status: 202, body: { data } };
}

/** `POST /v1/webhooks/:id/test`. */
export function sendTestEvent(
  state: ModelState,
  account: ModelAccount,
  id: string | undefined,
  type: ModelEvent['type'],
): Reply {
  const webhook = findWebhook(state, account, id);
  if (webhook.status === 'paused') throw new Rejection('webhook_paused');
  const event: ModelEvent = {
    id: placeholder(state, 'testEvent'),
    type,
    createdAt: state.now,
    orderId: null,
    actor: null,
    data: null,
    text: placeholder(state, 'text'),
  };
  webhook.backoffUntil = 0;
  const delivery = queueDelivery(state, webhook, event, true);
  const body = { data: showDelivery(state, delivery) };
  return { status: 202, location: `/v1/deliveries/${delivery.id}`, body };
}

/** Fails the deliveries whose deadline has passed. */
export function sweep(state: ModelState): void {
  for (const delivery of state.deliveries) {
    const isOverdue = delivery.state === 'pending' && delivery.deadlineAt < state.now;
    if (!isOverdue || delivery.inFlight !== null) continue;
    endDelivery(state, delivery, 'failed');
  }
}

function endDelivery(state: ModelState, delivery: ModelDelivery, as: 'delivered' | 'failed'): void {
  delivery.state = as;
  delivery.finishedAt = state.now;
  state.counted.push({ webhookId: delivery.webhookId, at: state.now, state: as });
}

/** The deliveries of a webhook that may be attempted now, and how many of them at once. */
export interface DueDeliveries {
  webhook: ModelWebhook;
  deliveries: ModelDelivery[];
  count: number;
}

/** Returns what may be attempted now. */
export function findDue(state: ModelState): DueDeliveries[] {
  return state.webhooks
    .filter((webhook) => !webhook.isDeleted && !isHeld(state, webhook))
    .filter(({ backoffUntil }) => backoffUntil <= state.now)
    .map((webhook) => {
      const own = state.deliveries.filter(({ webhookId }) => webhookId === webhook.id);
      const waiting = own.filter((one) => one.state === 'pending' && one.inFlight === null);
      const deliveries = waiting.filter(({ nextAttemptAt }) => nextAttemptAt <= state.now);
      const room = webhook.concurrencyLimit - own.filter((one) => one.inFlight !== null).length;
      return { webhook, deliveries, count: Math.max(0, Math.min(room, deliveries.length)) };
    });
}

/** Records the end of an attempt that is in flight. */
export function finishAttempt(
  state: ModelState,
  delivery: ModelDelivery,
  end: { startedAt: number; durationMs: number; retryAfter: number },
  response: { status: number | null; error: string | null },
): void {
  if (delivery.inFlight === null) throw new Error(`Delivery ${delivery.id} is not in flight.`);
  const { startedAt, durationMs, retryAfter } = end;
  const { status } = response;
  const endedAt = startedAt + durationMs;
  delivery.attempts.push({ ...delivery.inFlight, startedAt, durationMs, ...response });
  delivery.inFlight = null;
  delivery.tries += 1;
  state.counted.push({ webhookId: delivery.webhookId, at: startedAt, status, durationMs });
  const webhook = webhookOf(state, delivery);
  if (webhook.backoffUntil <= endedAt) webhook.backoffUntil = 0;
  Object.assign(webhook, { lastStatus: status, lastError: response.error });
  if (status !== null && status >= 200 && status < 300) {
    endDelivery(state, delivery, 'delivered');
    webhook.failures = 0;
    webhook.failedAt = 0;
    webhook.failingSince = null;
    webhook.concurrencyLimit = Math.min(webhook.concurrencyLimit + 1, 32);
    return;
  }
  const lastStart = delivery.deadlineAt - attemptTimeout;
  if (delivery.test || lastStart - endedAt < retryDelay(1)) {
    endDelivery(state, delivery, 'failed');
  } else {
    const delay = Math.max(retryDelay(delivery.tries), retryAfter);
    delivery.nextAttemptAt = Math.min(endedAt + delay, lastStart);
  }
  const requested = retryAfter > 0 ? endedAt + Math.min(retryAfter, longestBackoff) : 0;
  webhook.backoffUntil = Math.max(webhook.backoffUntil, requested);
  // An attempt that was in flight when the last failure ended belongs to the same round.
  if (startedAt < webhook.failedAt) return;
  webhook.failures += 1;
  webhook.failedAt = endedAt;
  webhook.failingSince ??= endedAt;
  webhook.concurrencyLimit = Math.max(1, Math.floor(webhook.concurrencyLimit / 2));
  if (webhook.failures >= 5) {
    webhook.concurrencyLimit = 1;
    const until = endedAt + backoffDelay(webhook.failures);
    webhook.backoffUntil = Math.max(webhook.backoffUntil, until);
  }
}
