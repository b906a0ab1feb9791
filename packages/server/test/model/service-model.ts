import {
  type CreateKey,
  type CreateOrder,
  type CreateWebhook,
  type EventType,
  idempotencyKeyLifetime,
  type OrderStatus,
  problems,
  type UpdateWebhook,
} from '@tradepost/contract/wire';
import { runAudited } from './audit-rules';
import type { Call } from './call';
import { getDelivery, replayDeliveries, replayDelivery, sendTestEvent } from './delivery-rules';
import { isValid } from './is-valid';
import {
  authenticate,
  type Caller,
  createCode,
  createKey,
  createSession,
  listKeys,
  revokeKey,
  showAccount,
} from './key-rules';
import {
  getEvent,
  listDeliveries,
  listEvents,
  listNotifications,
  listOrders,
  listPartners,
  listWebhooks,
  markAllRead,
  markRead,
} from './list-rules';
import { getSummary, getTimeline } from './overview-rules';
import { type ModelState, type Query, Rejection, type Reply } from './state';
import { getStats } from './stats-rules';
import { createOrder, getOrder, updateOrder } from './trade-rules';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  promoteSecret,
  stageSecret,
  updateWebhook,
} from './webhook-rules';

/** Applies a call to the state. */
export function applyCall(state: ModelState, call: Call): Reply {
  try {
    return respond(state, call);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { status: problems[error.code].status, problem: error.code };
  }
}

/** Checks in the order of decision 0001, then runs the rule. */
function respond(state: ModelState, call: Call): Reply {
  if (call.route === 'sessions.create') {
    if (!isValid(call)) throw new Rejection('validation_failed');
    return createSession(state, call.body as { code: string });
  }
  const caller = authenticate(state, call);
  if (!isValid(call)) throw new Rejection('validation_failed');
  if (call.route === 'orders.create' && caller.account.kind !== 'buyer') {
    throw new Rejection('account_kind_not_allowed');
  }
  return runOnce(state, caller, call, () =>
    runAudited(state, caller.key, call, () => runRule(state, caller, call)),
  );
}

function runRule(state: ModelState, caller: Caller, call: Call): Reply {
  const { account, key } = caller;
  const { id, body, ifMatch } = call;
  switch (call.route) {
    case 'sessions.create':
      throw new Error('It needs no key.');
    case 'signInCodes.create':
      return createCode(state, caller);
    case 'keys.list':
      return listKeys(state, caller, call.query);
    case 'keys.create':
      return createKey(state, caller, body as CreateKey);
    case 'keys.revoke':
      return revokeKey(state, caller, id);
    case 'orders.create':
      return createOrder(state, account, body as CreateOrder);
    case 'orders.get':
      return getOrder(state, account, { id, expand: call.query?.expand });
    case 'orders.update': {
      const { status: to, reason } = body as { status: OrderStatus; reason?: string };
      return updateOrder(state, account, { id, to, ifMatch, reason });
    }
    case 'orders.timeline':
      return getTimeline(state, account, id);
    case 'orders.list':
      return listOrders(state, account, call.query);
    case 'notifications.list':
      return listNotifications(state, account, call.query);
    case 'notifications.update':
      return markRead(state, account, id);
    case 'notifications.markAllRead':
      return markAllRead(state, account, body as { before: string });
    case 'webhooks.create':
      return createWebhook(state, account, body as CreateWebhook);
    case 'webhooks.list':
      return listWebhooks(state, account, call.query);
    case 'webhooks.get':
      return getWebhook(state, account, id);
    case 'webhooks.stats':
      return getStats(state, account, id, call.query);
    case 'webhooks.update':
      return updateWebhook(state, account, id, body as UpdateWebhook);
    case 'webhooks.delete':
      return deleteWebhook(state, account, id);
    case 'webhooks.stageSecret':
      return stageSecret(state, account, id);
    case 'webhooks.promoteSecret':
      return promoteSecret(state, account, id);
    case 'webhooks.test':
      return sendTestEvent(state, account, id, (body as { event: EventType }).event);
    case 'webhooks.replayDeliveries':
      return replayDeliveries(state, account, id, body as Query);
    case 'deliveries.list':
      return listDeliveries(state, account, call.query);
    case 'deliveries.get':
      return getDelivery(state, account, id);
    case 'deliveries.replay':
      return replayDelivery(state, account, id);
    case 'events.list':
      return listEvents(state, account, call.query);
    case 'events.get':
      return getEvent(state, account, id);
    case 'partners.list':
      return listPartners(state, account, call.query);
    case 'account.get':
      return { status: 200, body: { data: showAccount(account, key) } };
    case 'summary.get':
      return getSummary(state, account);
  }
}

/** Calls whose response shows a webhook. It is erased when the webhook is deleted. Source: decision 0014. */
const showsWebhook = ['webhooks.create', 'webhooks.stageSecret', 'webhooks.promoteSecret'];

/** Runs a rule once for each idempotency key. Source: decision 0004. */
function runOnce(
  state: ModelState,
  { account: { id: accountId }, key: { id: keyId } }: Caller,
  { route, idempotencyKey: key, id, body }: Call,
  run: () => Reply,
): Reply {
  if (key === undefined) return run();
  const request = JSON.stringify([id, body ?? {}]);
  const stored = state.replies.find(
    (one) =>
      one.accountId === accountId &&
      one.route === route &&
      one.key === key &&
      one.expiresAt > state.now,
  );
  if (stored === undefined) {
    const reply = run();
    const webhookId = !showsWebhook.includes(route) ? null : (id ?? state.webhooks.at(-1)?.id);
    const expiresAt = state.now + idempotencyKeyLifetime * 1_000;
    state.replies.push({
      ...{ accountId, keyId, route, key, request, expiresAt },
      // A copy: what it shows does not change any more.
      reply: structuredClone(reply),
      webhookId: webhookId ?? null,
    });
    return reply;
  }
  if (stored.request !== request) throw new Rejection('idempotency_key_reused');
  // Only the key that has created another one can read it again. Source: decision 0073.
  if (route === 'keys.create' && stored.keyId !== keyId) {
    throw new Rejection('idempotency_key_reused');
  }
  const webhook = state.webhooks.find((one) => one.id === stored.webhookId);
  if (webhook?.isDeleted) throw new Rejection('webhook_deleted');
  return { ...stored.reply, replayed: true };
}
