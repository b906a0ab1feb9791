import { orderSorts } from '@tradepost/contract/wire';
import fc from 'fast-check';
import {
  type Action,
  action,
  chooseKey,
  defined,
  deliveryFilter,
  eventType,
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
    seller: filter(index),
    listing: filter(index),
    minQuantity: filter(fc.constantFrom(1, 5, 10)),
    maxQuantity: filter(fc.constantFrom(5, 10, 1_000_000)),
    count: filter(fc.constantFrom(1, 2, 100_000, 100_001)),
    sort: filter(fc.constantFrom(...orderSorts)),
    expand: filter(expand),
    updatedAfter: nearTime,
    createdAfter: nearTime,
    createdBefore: nearTime,
  }),
  (state, { who, status, buyer, seller, listing, sort, expand, ...others }) => {
    const { updatedAfter, createdAfter, createdBefore, ...more } = others;
    const { minQuantity, maxQuantity, count, ...page } = more;
    const apiKey = chooseKey(state, who, []);
    const filters = defined({
      status: status?.join(','),
      buyerId: buyer === undefined ? undefined : pick(state.accounts, buyer)?.id,
      sellerId: seller === undefined ? undefined : pick(state.accounts, seller)?.id,
      minQuantity,
      maxQuantity,
      count,
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

const listPartners = action(
  'partners.list',
  fc.record({ who, ...paging, name: filter(fc.constantFrom('a', 'SELL', 'none')) }),
  (state, { who, name, ...page }) => {
    const apiKey = chooseKey(state, who, []);
    const query = { ...toPage(state, 'partners', apiKey, page), ...defined({ name }) };
    return { call: { apiKey, route: 'partners.list', query } };
  },
);

const listKeys = action('keys.list', fc.record({ who, ...paging }), (state, { who, ...page }) => {
  const apiKey = chooseKey(state, who, []);
  return { call: { apiKey, route: 'keys.list', query: toPage(state, 'keys', apiKey, page) } };
});

const listWebhooks = action(
  'webhooks.list',
  fc.record({ who, ...paging, expand: filter(fc.constant('stats')) }),
  (state, { who, expand, ...page }) => {
    const apiKey = chooseKey(state, who, []);
    const query = { ...toPage(state, 'webhooks', apiKey, page), ...defined({ expand }) };
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
    until: nearTime,
    type: filter(eventType),
    order: filter(index),
    fromNow: filter(fc.constant('now')),
    isTail: fc.boolean(),
  }),
  (state, { account, cursor, limit, since, until, type, order, fromNow, isTail }) => {
    const accountId = pick(state.accounts, account)?.id;
    const apiKey = keyOf(state, accountId, 0)?.text ?? null;
    const page = toPage(state, 'events', apiKey, { cursor, limit });
    // A time in the future is not specified either.
    const past = state.orders.filter(({ createdAt }) => createdAt < state.now);
    const orderId = order === undefined ? undefined : (pick(state.orders, order)?.id ?? 'ord_1');
    const filters = { orderId, type, until: toTime(state.orders, until) };
    if (isTail) {
      const tail = { tail: limit ?? 50, before: page.cursor, since: toTime(past, since) };
      return { call: { apiKey, route: 'events.list', query: defined({ ...tail, ...filters }) } };
    }
    // The cursor of an empty page of an order is that of its start, which a time does not determine here. So is that of `until`.
    const isOfStart = orderId !== undefined || filters.until !== undefined;
    const start = isOfStart ? undefined : toTime(past, since);
    const from = fromNow === undefined ? { after: page.cursor, since: start } : { after: fromNow };
    const query = defined({ limit, ...from, ...filters });
    return { call: { apiKey, route: 'events.list', query } };
  },
);

/** A page of any list. */
export const anyList: fc.Arbitrary<Action> = fc.oneof(
  listOrders,
  listNotifications,
  listPartners,
  listKeys,
  listWebhooks,
  listDeliveries,
  listEvents,
);
