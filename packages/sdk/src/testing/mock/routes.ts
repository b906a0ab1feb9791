import {
  deliveryStates,
  endpoints,
  eventTypes,
  eventWaitSeconds,
  orderExpansions,
  orderQuantity,
  orderSorts,
  orderStatuses,
  pageLimit,
  statusClasses,
  webhookStatuses,
} from '@tradepost/contract/wire';
import { getAccount } from './account';
import {
  checkTimestamp,
  createCheck,
  createCommaListCheck,
  createEnumCheck,
  createIdCheck,
  createIntegerCheck,
  createListCheck,
  createPatternCheck,
  createQueryIntegerCheck,
  type Fields,
} from './check-fields';
import { getDelivery, listDeliveries, replayDelivery } from './deliveries';
import { listEvents } from './events';
import type { HandlerRequest, MockResponse } from './handler';
import type { Market } from './market';
import { listNotifications, markNotificationRead } from './notifications';
import { createOrder, getOrder, listOrders, requireBuyer, updateOrder } from './orders';
import { checkUrlSyntax } from './webhook-url';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  promoteSecret,
  sendTestEvent,
  stageSecret,
  updateWebhook,
} from './webhooks';

/** An endpoint of the mock. */
export interface Route {
  method: string;
  /** The path template, such as `/v1/orders/:id`. */
  path: string;
  /** Whether the API specification does not have it. */
  extension?: boolean;
  /** The query parameters, all optional. */
  query?: Fields;
  /** The fields of the body. Undefined for a method without a body. */
  body?: Fields;
  /** Checks rules between several fields of the body. Returns what is wrong, or null. */
  checkBody?: (body: object) => string | null;
  /** Whether an empty body is accepted. */
  emptyBody?: boolean;
  /** Rejects requests, before a stored response of their idempotency key is repeated. */
  require?: (request: HandlerRequest) => void;
  handle: (market: Market, request: HandlerRequest) => MockResponse | Promise<MockResponse>;
}

const optional = <Name extends string>(checks: Record<Name, Fields[string]['check']>): Fields =>
  Object.fromEntries(
    Object.entries<Fields[string]['check']>(checks).map(([name, check]) => [
      name,
      { check, optional: true },
    ]),
  );

const cursor = createPatternCheck(
  /^.{1,512}$/s,
  'must be the nextCursor of the previous page, unchanged',
);
const paging = { limit: createQueryIntegerCheck(pageLimit), cursor };
const listingId = createIdCheck('lst', 'a listing');
const expand = createCommaListCheck(orderExpansions);
const eventType = createEnumCheck(eventTypes);
const eventList = createListCheck(eventTypes, 'event type');
const url = createCheck(checkUrlSyntax);

/** The name of a call of the client, such as `orders.create`. `events.follow` calls `events.list`. */
export type MockOperation =
  | 'orders.list'
  | 'orders.create'
  | 'orders.get'
  | 'orders.update'
  | 'notifications.list'
  | 'notifications.markRead'
  | 'webhooks.create'
  | 'webhooks.list'
  | 'webhooks.get'
  | 'webhooks.update'
  | 'webhooks.delete'
  | 'webhooks.stageSecret'
  | 'webhooks.promoteSecret'
  | 'webhooks.test'
  | 'deliveries.list'
  | 'deliveries.get'
  | 'deliveries.replay'
  | 'events.list'
  | 'account.get';

/** The endpoints of the mock, by the calls that use them. */
export const routes: Readonly<Record<MockOperation, Route>> = {
  'orders.list': {
    ...endpoints.orders.list,
    query: optional({
      status: createCommaListCheck(orderStatuses),
      buyerId: createIdCheck('usr', 'an account'),
      listingId,
      createdAfter: checkTimestamp,
      createdBefore: checkTimestamp,
      updatedAfter: checkTimestamp,
      sort: createEnumCheck(orderSorts),
      expand,
      ...paging,
    }),
    handle: listOrders,
  },
  'orders.create': {
    ...endpoints.orders.create,
    body: {
      listingId: { check: listingId },
      quantity: { check: createIntegerCheck(orderQuantity) },
    },
    require: requireBuyer,
    handle: createOrder,
  },
  'orders.get': { ...endpoints.orders.get, query: optional({ expand }), handle: getOrder },
  'orders.update': {
    ...endpoints.orders.update,
    body: {
      status: { check: createEnumCheck(orderStatuses) },
      reason: {
        check: createPatternCheck(
          /^(?=\S)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,500}(?<=\S)$/u,
          'must be 1 to 500 characters on one line, without control characters, and without white space at its start or end',
        ),
        optional: true,
      },
    },
    handle: updateOrder,
  },
  'notifications.list': {
    ...endpoints.notifications.list,
    query: optional({
      read: createPatternCheck(/^(true|false)$/, 'must be true or false'),
      ...paging,
    }),
    handle: listNotifications,
  },
  'notifications.markRead': {
    ...endpoints.notifications.update,
    body: {
      read: {
        check: createCheck((value) =>
          value === true ? null : 'must be true: a notification cannot be marked unread',
        ),
      },
    },
    handle: markNotificationRead,
  },
  'webhooks.create': {
    ...endpoints.webhooks.create,
    body: { url: { check: url }, events: { check: eventList } },
    handle: createWebhook,
  },
  'webhooks.list': {
    ...endpoints.webhooks.list,
    extension: true,
    query: optional(paging),
    handle: listWebhooks,
  },
  'webhooks.get': { ...endpoints.webhooks.get, extension: true, handle: getWebhook },
  'webhooks.update': {
    ...endpoints.webhooks.update,
    extension: true,
    body: optional({ url, events: eventList, status: createEnumCheck(webhookStatuses) }),
    checkBody: (body) =>
      Object.keys(body).length === 0 ? 'must have at least one of url, events, status' : null,
    handle: updateWebhook,
  },
  'webhooks.delete': { ...endpoints.webhooks.delete, extension: true, handle: deleteWebhook },
  'webhooks.stageSecret': {
    ...endpoints.webhooks.stageSecret,
    extension: true,
    body: {},
    emptyBody: true,
    handle: stageSecret,
  },
  'webhooks.promoteSecret': {
    ...endpoints.webhooks.promoteSecret,
    extension: true,
    body: {},
    emptyBody: true,
    handle: promoteSecret,
  },
  'webhooks.test': {
    ...endpoints.webhooks.test,
    extension: true,
    body: { event: { check: eventType } },
    handle: sendTestEvent,
  },
  'deliveries.list': {
    ...endpoints.deliveries.list,
    extension: true,
    query: optional({
      webhookId: createIdCheck('whk', 'a webhook'),
      event: eventType,
      state: createEnumCheck(deliveryStates),
      since: checkTimestamp,
      statusClass: createEnumCheck(statusClasses),
      ...paging,
    }),
    handle: listDeliveries,
  },
  'deliveries.get': { ...endpoints.deliveries.get, extension: true, handle: getDelivery },
  'deliveries.replay': {
    ...endpoints.deliveries.replay,
    extension: true,
    body: {},
    emptyBody: true,
    handle: replayDelivery,
  },
  'events.list': {
    ...endpoints.events.list,
    extension: true,
    query: optional({
      after: cursor,
      since: checkTimestamp,
      orderId: createIdCheck('ord', 'an order'),
      limit: paging.limit,
      waitSeconds: createQueryIntegerCheck(eventWaitSeconds),
    }),
    handle: listEvents,
  },
  'account.get': { ...endpoints.account.get, extension: true, handle: getAccount },
};
