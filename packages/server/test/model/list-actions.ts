import { orderSorts } from '@tradepost/contract/wire';
import fc from 'fast-check';
import {
  type Action,
  action,
  chooseKey,
  defined,
  deliveryFilter,
  expand,
  filter,
  index,
  keyOf,
  nearTime,
  paging,
  pick,
  status,
  toDeliveryFilter,
  toPage,
  toTime,
  who,
} from './choices';

const listOrders = action(
  'orders.list',
  fc.record({
    who,
    ...paging,
    status: filter(fc.array(status, { minLength: 1, maxLength: 3 })),
    buyer: filter(index),
    listing: filter(index),
    sort: filter(fc.constantFrom(...orderSorts)),
    expand: filter(expand),
    updatedAfter: nearTime,
    createdAfter: nearTime,
    createdBefore: nearTime,
  }),
  (state, { who, status, buyer, listing, sort, expand, ...others }) => {
    const { updatedAfter, createdAfter, createdBefore, ...page } = others;
    const apiKey = chooseKey(state, who, []);
    const filters = defined({
      status: status?.join(','),
      buyerId: buyer === undefined ? undefined : pick(state.accounts, buyer)?.id,
      listingId: listing === undefined ? undefined : pick(state.listings, listing)?.id,
      sort,
      expand: expand?.join(','),
      updatedAfter: toTime(state.orders, updatedAfter),
      createdAfter: toTime(state.orders, createdAfter),
      createdBefore: toTime(state.orders, createdBefore),
    });
    const query = { ...toPage(state, 'orders', apiKey, page), ...filters };
    return { call: { apiKey, route: 'orders.list', query } };
  },
);

const listNotifications = action(
  'notifications.list',
  fc.record({ who, ...paging, read: filter(fc.boolean()) }),
  (state, { who, read, ...page }) => {
    const apiKey = chooseKey(state, who, []);
    const query = { ...toPage(state, 'notifications', apiKey, page), ...defined({ read }) };
    return { call: { apiKey, route: 'notifications.list', query } };
  },
);

const listWebhooks = action(
  'webhooks.list',
  fc.record({ who, ...paging }),
  (state, { who, ...page }) => {
    const apiKey = chooseKey(state, who, []);
    const query = toPage(state, 'webhooks', apiKey, page);
    return { call: { apiKey, route: 'webhooks.list', query } };
  },
);

const listDeliveries = action(
  'deliveries.list',
  fc.record({
    who,
    ...paging,
    webhook: filter(index),
    delivery: filter(index),
    order: filter(index),
    ...deliveryFilter,
  }),
  (model, { who, webhook, delivery, order, event, state, since, until, statusClass, ...page }) => {
    const chosen = webhook === undefined ? undefined : pick(model.webhooks, webhook);
    const query = defined({
      webhookId: chosen?.id,
      eventId: delivery === undefined ? undefined : pick(model.deliveries, delivery)?.event.id,
      orderId: order === undefined ? undefined : pick(model.orders, order)?.id,
      ...toDeliveryFilter(model, { event, state, since, until, statusClass }),
    });
    const owners = chosen === undefined ? [] : [chosen.accountId];
    const apiKey = chooseKey(model, who, owners);
    const route = 'deliveries.list';
    return {
      call: { apiKey, route, query: { ...toPage(model, 'deliveries', apiKey, page), ...query } },
    };
  },
);

const listEvents = action(
  'events.list',
  fc.record({
    account: index,
    ...paging,
    since: nearTime,
    order: filter(index),
    fromNow: filter(fc.constant('now')),
  }),
  (state, { account, cursor, limit, since, order, fromNow }) => {
    const accountId = pick(state.accounts, account)?.id;
    const apiKey = keyOf(state, accountId, 0)?.text ?? null;
    const page = toPage(state, 'events', apiKey, { cursor, limit });
    // A time in the future is not specified either.
    const past = state.orders.filter(({ createdAt }) => createdAt < state.now);
    const orderId = order === undefined ? undefined : (pick(state.orders, order)?.id ?? 'ord_1');
    // The cursor of an empty page of an order is that of its start, which a time does not determine here.
    const start = orderId === undefined ? toTime(past, since) : undefined;
    const from = fromNow === undefined ? { after: page.cursor, since: start } : { after: fromNow };
    const query = defined({ ...from, orderId });
    return { call: { apiKey, route: 'events.list', query: { limit, ...query } } };
  },
);

/** A page of any list. */
export const anyList: fc.Arbitrary<Action> = fc.oneof(
  listOrders,
  listNotifications,
  listWebhooks,
  listDeliveries,
  listEvents,
);
