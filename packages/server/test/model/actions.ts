import fc from 'fast-check';
import {
  accountActions,
  keyActions,
  operatorActions,
  revokeKey,
  stateActions,
} from './account-actions';
import { type Route, waitSeconds } from './call';
import {
  type Action,
  action,
  chooseKey,
  defined,
  expand,
  filter,
  idempotencyKey,
  index,
  keyOf,
  ofKind,
  pick,
  status,
  unknownId,
  who,
  withKey,
} from './choices';
import { anyList } from './list-actions';
import { formatTime, type ModelOrder } from './state';
import { deliveryActions, updateWebhook, webhookActions } from './webhook-actions';

function participants(order: ModelOrder | undefined): string[] {
  return [order?.sellerId, order?.agentId, order?.buyerId].filter((id) => typeof id === 'string');
}

const createOrder = action(
  'orders.create',
  fc.record({
    who,
    listing: index,
    quantity: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(1, 5, 5, 10, 10, 12) },
      { weight: 1, arbitrary: fc.constantFrom(0, 1.5, 1_000_001, 40) },
    ),
    idempotencyKey,
  }),
  (state, { who, listing, quantity, idempotencyKey }) => ({
    call: {
      apiKey: chooseKey(state, who, ofKind(state, 'buyer')),
      route: 'orders.create',
      ...withKey(idempotencyKey),
      body: { listingId: pick(state.listings, listing)?.id ?? `lst_${unknownId}`, quantity },
    },
  }),
);

const updateOrder = action(
  'orders.update',
  fc.record({
    who,
    order: index,
    status,
    ifMatch: fc.constantFrom('none', 'none', 'none', 'current', 'previous', 'list', 'any', 'weak'),
    reason: fc.constantFrom(undefined, undefined, 'The buyer has paid.', '已付款 🍵', ''),
  }),
  (state, { who, order: at, status, ifMatch, reason }) => {
    const order = pick(state.orders, at);
    const version = order?.version ?? 1;
    const tags: Record<string, string> = {
      current: `"${version}"`,
      previous: `"${version - 1}"`,
      list: `"x", "${version}"`,
      any: '*',
      weak: `W/"${version}"`,
    };
    const tag = tags[ifMatch];
    const mayChange = participants(order).filter((id) => id !== order?.buyerId);
    return {
      call: {
        apiKey: chooseKey(state, who, mayChange),
        route: 'orders.update',
        id: order?.id ?? 'ord_1',
        ...(tag !== undefined && { ifMatch: tag }),
        body: { status, ...(reason !== undefined && { reason }) },
      },
    };
  },
);

const getOrder = action(
  'orders.get',
  fc.record({ who, order: index, expand: filter(expand) }),
  (state, { who, order: at, expand }) => {
    const order = pick(state.orders, at);
    const apiKey = chooseKey(state, who, participants(order));
    const query = defined({ expand: expand?.join(',') });
    return { call: { apiKey, route: 'orders.get', id: order?.id ?? 'abc', query } };
  },
);

const getTimeline = action(
  'orders.timeline',
  fc.record({ who, order: index }),
  (state, { who, order: at }) => {
    const order = pick(state.orders, at);
    const apiKey = chooseKey(state, who, participants(order));
    return { call: { apiKey, route: 'orders.timeline', id: order?.id ?? `ord_${unknownId}` } };
  },
);

const notificationActions = [
  action(
    'notifications.update',
    fc.record({ who, notification: index, read: fc.constantFrom(true, true, true, false) }),
    (state, { who, notification: at, read }) => {
      const notification = pick(state.notifications, at);
      const owners = notification === undefined ? [] : [notification.accountId];
      const apiKey = chooseKey(state, who, owners);
      const id = notification?.id ?? `ntf_${unknownId}`;
      return { call: { apiKey, route: 'notifications.update', id, body: { read } } };
    },
  ),
  action(
    'notifications.markAllRead',
    fc.record({
      who,
      notification: index,
      isValid: fc.constantFrom(true, true, true, false),
      idempotencyKey,
    }),
    (state, { who, notification: at, isValid, idempotencyKey }) => {
      const notification = pick(state.notifications, at);
      const owners = notification === undefined ? [] : [notification.accountId];
      const apiKey = chooseKey(state, who, owners);
      const before = isValid ? formatTime(notification?.createdAt ?? state.now) : 'yesterday';
      const call = { apiKey, route: 'notifications.markAllRead' as const, body: { before } };
      return { call: { ...call, ...withKey(idempotencyKey) } };
    },
  ),
];

/** Repeats a call with its idempotency key: unchanged, with another body, for another ID, or by another account. */
const repeatedCall = action(
  'again',
  fc.record({
    reply: index,
    account: index,
    change: fc.constantFrom('nothing', 'nothing', 'nothing', 'body', 'id', 'account'),
  }),
  (state, { reply: at, account, change }) => {
    const stored = pick(state.replies, at);
    if (stored === undefined) return null;
    const [ownId, ownBody] = JSON.parse(stored.request) as [string | null, Record<string, unknown>];
    const others = (stored.route.startsWith('webhooks') ? state.webhooks : state.deliveries).map(
      (one) => one.id,
    );
    const id = change === 'id' && ownId !== null ? pick(others, account) : ownId;
    const body =
      change === 'body' && 'quantity' in ownBody ? { ...ownBody, quantity: 11 } : ownBody;
    const accountId = change === 'account' ? pick(state.accounts, account)?.id : stored.accountId;
    const apiKey = keyOf(state, accountId, 0)?.text ?? null;
    const { route, key: idempotencyKey } = stored;
    const call = { apiKey, route: route as Route, idempotencyKey, body };
    return { call: id == null ? call : { ...call, id } };
  },
);

/** A long poll from the latest event on. Its key does not expire, so that it does not matter when it is checked. */
const longPoll = action('events.list, waiting', fc.record({ account: index }), (state, args) => {
  const accountId = pick(state.accounts, args.account)?.id;
  const apiKey = keyOf(state, accountId, 0)?.text ?? null;
  const cursors = state.cursors.filter((one) => one.list === 'events');
  const after = cursors.filter((one) => one.accountId === accountId).at(-1)?.text;
  return { call: { apiKey, route: 'events.list', query: { ...defined({ after }), waitSeconds } } };
});

/** Any call or operator's command. Most of them trade, because webhooks without events show little. */
export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: createOrder },
  { weight: 10, arbitrary: updateOrder },
  { weight: 2, arbitrary: getOrder },
  { weight: 3, arbitrary: getTimeline },
  { weight: 5, arbitrary: anyList },
  { weight: 2, arbitrary: repeatedCall },
  { weight: 1, arbitrary: fc.oneof(...notificationActions) },
  { weight: 6, arbitrary: fc.oneof(...webhookActions) },
  { weight: 4, arbitrary: updateWebhook },
  { weight: 3, arbitrary: fc.oneof(...deliveryActions) },
  { weight: 1, arbitrary: fc.oneof(...accountActions) },
  { weight: 3, arbitrary: fc.oneof(...operatorActions) },
  { weight: 1, arbitrary: revokeKey },
  { weight: 4, arbitrary: fc.oneof(...keyActions) },
  { weight: 3, arbitrary: fc.oneof(...stateActions) },
);

/** Actions that queue deliveries, mostly. */
export const tradingActions: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: createOrder },
    { weight: 3, arbitrary: updateOrder },
    { weight: 2, arbitrary: anyAction },
  ),
  { minLength: 2, maxLength: 4 },
);

/** Actions that run at the same time: mostly changes of the same few things. */
export const simultaneousActions: fc.Arbitrary<Action[]> = fc
  .tuple(fc.array(anyAction, { minLength: 2, maxLength: 4 }), fc.option(longPoll, { freq: 3 }))
  .map(([actions, poll]) => (poll === null ? actions : [poll, ...actions.slice(0, 3)]));
