import type { AccountKind } from '@tradepost/contract/wire';
import fc from 'fast-check';
import { type Call, type Route, waitSeconds } from './call';
import {
  type Action,
  action,
  chooseKey,
  defined,
  deliveryFilter,
  events,
  eventType,
  expand,
  filter,
  idempotencyKey,
  index,
  invalidUrl,
  keyOf,
  maybe,
  ofKind,
  pick,
  status,
  toDeliveryFilter,
  unknownId,
  type Who,
  who,
  withKey,
} from './choices';
import { anyList } from './list-actions';
import {
  formatTime,
  type ModelAccount,
  type ModelKey,
  type ModelOrder,
  type ModelState,
  type ModelWebhook,
} from './state';

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

const webhookVerbs = ['get', 'delete', 'stageSecret', 'promoteSecret'] as const;

function webhookCall(
  state: ModelState,
  { who, webhook: at }: { who: Who; webhook: number },
  route: Route,
): { call: Call; webhook: ModelWebhook | undefined } {
  const webhook = pick(state.webhooks, at);
  const apiKey = chooseKey(state, who, webhook === undefined ? [] : [webhook.accountId]);
  return { call: { apiKey, route, id: webhook?.id ?? `whk_${unknownId}` }, webhook };
}

/** Picks the URL of a receiver; sometimes none. */
const url = fc.oneof(
  { weight: 12, arbitrary: fc.nat({ max: 2 }) },
  { weight: 1, arbitrary: fc.constant('none' as const) },
);
const toUrl = ({ receivers }: ModelState, at: number | 'none') =>
  at === 'none' ? invalidUrl : Object.keys(receivers)[at];

/** Sometimes one is invalid. The limit is too high to delay anything. */
const settings = fc.record(
  {
    description: fc.constantFrom('Warehouse', 'Shop', null, ''),
    headers: fc.constantFrom({}, { Authorization: 'Bearer 1' }, { Host: 'example.com' }),
    attemptsPerMinute: fc.constantFrom(null, 60_000, 60_000, 0),
  },
  { requiredKeys: [] },
);

const updateWebhook = action(
  'webhooks.update',
  fc.record({
    who,
    webhook: index,
    url: filter(url),
    changes: fc.record(
      { events, status: fc.constantFrom('active', 'paused'), settings },
      { requiredKeys: [] },
    ),
  }),
  (state, { url, changes, ...args }) => {
    const { call } = webhookCall(state, args, 'webhooks.update');
    const { settings, ...others } = changes;
    const newUrl = url === undefined ? {} : { url: toUrl(state, url) };
    const body = { ...others, ...settings, ...newUrl };
    return { call: { ...call, body } };
  },
);

const webhookActions = [
  action(
    'webhooks.create',
    fc.record({ who, url, events, settings, idempotencyKey }),
    (state, { who, url, events, settings, idempotencyKey }) => ({
      call: {
        apiKey: chooseKey(state, who, []),
        route: 'webhooks.create',
        ...withKey(idempotencyKey),
        body: { url: toUrl(state, url), events, ...settings },
      },
    }),
  ),
  action(
    'webhooks.stats',
    fc.record({ who, webhook: index, window: filter(fc.constantFrom('1h', '24h', '7d', '1d')) }),
    (state, { window, ...args }) => {
      const { call } = webhookCall(state, args, 'webhooks.stats');
      return { call: { ...call, query: defined({ window }) } };
    },
  ),
  ...webhookVerbs.map((verb) =>
    action(
      `webhooks.${verb}`,
      fc.record({ who, webhook: index, idempotencyKey }),
      (state, { idempotencyKey, ...args }) => {
        const { call } = webhookCall(state, args, `webhooks.${verb}`);
        return { call: verb.endsWith('Secret') ? { ...call, ...withKey(idempotencyKey) } : call };
      },
    ),
  ),
  action(
    'webhooks.test',
    fc.record({ who, webhook: index, event: eventType, idempotencyKey }),
    (state, { event, idempotencyKey, ...args }) => {
      const { call } = webhookCall(state, args, 'webhooks.test');
      return { call: { ...call, ...withKey(idempotencyKey), body: { event } } };
    },
  ),
  action(
    'webhooks.replayDeliveries',
    fc.record({ who, webhook: index, filter: fc.record(deliveryFilter), idempotencyKey }),
    (state, { filter, idempotencyKey, ...args }) => {
      const { call } = webhookCall(state, args, 'webhooks.replayDeliveries');
      const body = toDeliveryFilter(state, filter);
      return { call: { ...call, ...withKey(idempotencyKey), body } };
    },
  ),
];

const deliveryActions = [
  ...(['get', 'replay'] as const).map((verb) =>
    action(
      `deliveries.${verb}`,
      fc.record({ who, delivery: index, idempotencyKey }),
      (state, { who, delivery: at, idempotencyKey }) => {
        const delivery = pick(state.deliveries, at);
        const webhook = state.webhooks.find(({ id }) => id === delivery?.webhookId);
        const apiKey = chooseKey(state, who, webhook === undefined ? [] : [webhook.accountId]);
        const call = { apiKey, id: delivery?.id ?? `dlv_${unknownId}` };
        return {
          call:
            verb === 'get'
              ? { ...call, route: 'deliveries.get' }
              : { ...call, route: 'deliveries.replay', ...withKey(idempotencyKey) },
        };
      },
    ),
  ),
];

const accountActions = [
  action('summary.get', who, (state, who) => ({
    call: { apiKey: chooseKey(state, who, []), route: 'summary.get' },
  })),
  action('account.get', who, (state, who) => ({
    call: { apiKey: chooseKey(state, who, []), route: 'account.get' },
  })),
  action('no valid key', fc.constantFrom(null, `tpk_${'0'.repeat(38)}`), (_state, apiKey) => ({
    call: { apiKey, route: 'account.get' },
  })),
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

/** Accounts of a test, at most. */
const maxAccounts = 9;

function accountOf(state: ModelState, kind: AccountKind, at: number): ModelAccount | undefined {
  const accounts = state.accounts.filter((account) => account.kind === kind);
  return pick(accounts, at);
}

const revokeKey = action('keys revoke', index, (state, at) => {
  // The first key of each account observes it.
  const isFirst = ({ id, accountId }: ModelKey) => keyOf(state, accountId, 0)?.id === id;
  const others = state.keys.filter((key) => !isFirst(key));
  const keyId = pick(others, at)?.id ?? `key_${unknownId}`;
  return { operation: { kind: 'revokeKey', keyId } };
});

const operatorActions = [
  action(
    'accounts create',
    fc.constantFrom<AccountKind[]>('buyer', 'seller', 'agent'),
    (state, accountKind) => {
      const { length } = state.accounts;
      if (length >= maxAccounts) return null;
      return { operation: { kind: 'createAccount', accountKind, name: `Account ${length}` } };
    },
  ),
  action(
    'keys create',
    fc.record({
      account: index,
      readOnly: fc.boolean(),
      expiresIn: fc.constantFrom(null, 1_000, 3_600_000),
    }),
    (state, { account, readOnly, expiresIn }) => {
      const accountId = pick(state.accounts, account)?.id ?? '';
      return { operation: { kind: 'createKey', accountId, readOnly, expiresIn } };
    },
  ),
  action('keys list', maybe(index), (state, at) => {
    const accountId = at === undefined ? undefined : pick(state.accounts, at)?.id;
    return { operation: { kind: 'listKeys', accountId } };
  }),
  action(
    'listings create',
    fc.record({
      seller: index,
      agent: fc.option(index),
      units: fc.integer({ min: 0, max: 40 }),
      lowThreshold: fc.option(fc.integer({ min: 0, max: 30 })),
    }),
    (state, { seller, agent, units, lowThreshold }) => {
      const sellerId = accountOf(state, 'seller', seller)?.id;
      if (sellerId === undefined) return null;
      const agentId = agent === null ? null : (accountOf(state, 'agent', agent)?.id ?? null);
      return { operation: { kind: 'createListing', sellerId, agentId, units, lowThreshold } };
    },
  ),
];

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
);

/** Actions that run at the same time: mostly changes of the same few things. */
export const simultaneousActions: fc.Arbitrary<Action[]> = fc
  .tuple(fc.array(anyAction, { minLength: 2, maxLength: 4 }), fc.option(longPoll, { freq: 3 }))
  .map(([actions, poll]) => (poll === null ? actions : [poll, ...actions.slice(0, 3)]));
