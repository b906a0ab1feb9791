import type { Account } from '../accounts/account';
import type { ApiKey, CreatedApiKey } from '../accounts/key';
import type { Delivery, DeliveryDetails } from '../deliveries/delivery';
import type { AccountEvent } from '../events/event';
import type { Notification } from '../notifications/notification';
import type { Order } from '../orders/order';
import type { OrderTimeline } from '../orders/timeline';
import type { Partner } from '../partners/partner';
import type { Summary } from '../summary/summary';
import type { WebhookDetails } from '../webhooks/webhook';
import type { DeliveryStats } from '../webhooks/webhook-stats';
import { signedExample } from './signed-example';

/** An example of an operation. A test validates both parts against the contract. */
interface OperationExample {
  /** Query parameters, in the order in which they are sent. */
  query?: Record<string, string | number | boolean>;
  /** The request body. */
  request?: object;
  /** The body of the successful response. */
  response?: object;
}

const time = '2026-11-21T08:15:00.000Z';
const later = signedExample.event.createdAt;
const nextCursor = 'eyJ2IjoxLCJpZCI6Im9yZF8wMUtBSjhRMFY3VDNNNVg5UjJDNEQ2RjhHSCJ9';
/** The sign-in code of the examples. */
export const signInCode = 'tpc_ExampleOnlyNotARealCode000000000000000000';
const url = 'https://receiver.example/tradepost';
const { secret } = signedExample;

/** IDs of the examples. Those of paths are in the path parameters. */
export const exampleIds = {
  order: 'ord_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
  buyer: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GB',
  seller: 'usr_01KAJ8Q0V7T3M5X9R2C4D6F8GS',
  listing: 'lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL',
  notification: 'ntf_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
  webhook: 'whk_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
  delivery: 'dlv_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
  event: 'evt_01KAJ8Q0V7T3M5X9R2C4D6F8GH',
  key: 'key_01KAJ8Q0V7T3M5X9R2C4D6F8GK',
  createdKey: 'key_01KAJ8Q0V7T3M5X9R2C4D6F8GN',
} as const;

const order: Order = {
  id: exampleIds.order,
  status: 'pending',
  buyerId: exampleIds.buyer,
  sellerId: exampleIds.seller,
  agentId: null,
  listingId: exampleIds.listing,
  quantity: 25,
  createdAt: time,
  updatedAt: time,
};

const notification: Notification = {
  id: exampleIds.notification,
  type: 'order_status_changed',
  orderId: exampleIds.order,
  message: `Order ${exampleIds.order} is now fulfilling (was pending).`,
  read: false,
  createdAt: later,
};

const events = ['order.created', 'order.status_changed'] as const;

const webhook: WebhookDetails = {
  id: exampleIds.webhook,
  url,
  events: [...events],
  status: 'active',
  description: 'Warehouse in Leith',
  headerNames: [],
  attemptsPerMinute: null,
  createdAt: time,
  updatedAt: time,
  stagedSecretAt: null,
  pendingDeliveries: 0,
  consecutiveFailures: 0,
  backoffUntil: null,
  lastStatus: 204,
  lastError: null,
  failingSince: null,
  disabledAt: null,
};

const stats: DeliveryStats = {
  delivered: 120,
  failed: 1,
  attempts: { '2xx': 120, '3xx': 0, '4xx': 0, '5xx': 9, none: 1 },
  latencyMs: { mean: 64, p50: 41, p95: 230 },
};

const createdWebhook = {
  id: exampleIds.webhook,
  url,
  events: [...events],
  status: 'active',
  description: 'Warehouse in Leith',
  headerNames: [],
  attemptsPerMinute: null,
  createdAt: time,
  updatedAt: time,
  secret,
};

const delivery: Delivery = {
  id: exampleIds.delivery,
  webhookId: exampleIds.webhook,
  eventId: signedExample.id,
  event: 'order.status_changed',
  orderId: exampleIds.order,
  state: 'delivered',
  test: false,
  attemptCount: 1,
  lastStatus: 204,
  lastError: null,
  nextAttemptAt: null,
  deadlineAt: '2026-11-22T09:30:00.000Z',
  createdAt: later,
  finishedAt: '2026-11-21T09:30:00.049Z',
};

const pending: Delivery = {
  ...delivery,
  state: 'pending',
  attemptCount: 0,
  lastStatus: null,
  nextAttemptAt: later,
  finishedAt: null,
};

const changed: AccountEvent = {
  id: signedExample.id,
  ...signedExample.event,
  actor: { accountId: exampleIds.seller, kind: 'seller' },
};

const details: DeliveryDetails = {
  ...delivery,
  body: signedExample.body,
  attempts: [
    {
      number: 1,
      startedAt: '2026-11-21T09:30:00.007Z',
      durationMs: 42,
      url,
      headers: {
        'Content-Type': 'application/json',
        'Service-Signature': signedExample.serviceSignature,
        'webhook-id': signedExample.id,
        'webhook-timestamp': signedExample.timestamp,
        'webhook-signature': signedExample.webhookSignature,
      },
      status: 204,
      error: null,
      responseSnippet: '',
    },
  ],
};

const timeline: OrderTimeline = {
  entries: [
    {
      change: {
        from: null,
        to: 'pending',
        reason: null,
        actor: { accountId: exampleIds.buyer, kind: 'buyer' },
      },
      event: { id: exampleIds.event, type: 'order.created', createdAt: time },
      notification: null,
      deliveries: [],
    },
    {
      change: {
        from: 'pending',
        to: 'fulfilling',
        reason: null,
        actor: { accountId: exampleIds.seller, kind: 'seller' },
      },
      event: { id: signedExample.id, type: 'order.status_changed', createdAt: later },
      notification: { id: exampleIds.notification, read: false },
      deliveries: [
        {
          ...delivery,
          attempts: details.attempts.map(({ number, startedAt, durationMs, status, error }) => ({
            number,
            startedAt,
            durationMs,
            status,
            error,
          })),
        },
      ],
    },
  ],
  prunedBefore: null,
};

const summary: Summary = {
  asOf: later,
  orders: {
    pending: { count: 12, atLeast: false },
    confirmed: { count: 3, atLeast: false },
    fulfilling: { count: 41, atLeast: false },
    completed: { count: 1_000, atLeast: true },
    cancelled: { count: 87, atLeast: false },
  },
  unread: { count: 5, atLeast: false },
  webhooks: { active: 2, paused: 0, disabled: 0, backoff: 1 },
};

const partner: Partner = { id: exampleIds.buyer, kind: 'buyer', name: 'Harbour Street Café' };

const account: Account = {
  id: exampleIds.buyer,
  kind: 'buyer',
  name: 'Harbour Street Café',
  createdAt: '2026-01-05T08:00:00.000Z',
  key: { id: exampleIds.key, prefix: 'tpk_4fQx…', readOnly: false, expiresAt: null },
};

const apiKey: ApiKey = {
  ...account.key,
  name: 'warehouse-export',
  kind: 'key',
  createdAt: time,
  revokedAt: null,
  lastUsedAt: '2026-11-21T09:30:00.000Z',
  createdBy: null,
  current: true,
};

const createdKey: CreatedApiKey = {
  ...apiKey,
  id: exampleIds.createdKey,
  prefix: 'tpk_7hTn…',
  readOnly: true,
  expiresAt: '2027-02-19T09:30:00.000Z',
  createdAt: later,
  lastUsedAt: null,
  createdBy: exampleIds.key,
  current: false,
  key: 'tpk_7hTnExampleOnlyNotARealKey00000000000000',
};

/** An example of each operation, by operation ID. */
export const operationExamples: Record<string, OperationExample> = {
  listOrders: {
    query: { status: 'pending', limit: 20 },
    response: { data: [order], nextCursor },
  },
  createOrder: {
    request: { listingId: exampleIds.listing, quantity: 25 },
    response: { data: order },
  },
  getOrder: { response: { data: order } },
  updateOrder: {
    request: { status: 'fulfilling' },
    response: { data: { ...order, status: 'fulfilling', updatedAt: later } },
  },
  getOrderTimeline: { response: { data: timeline } },
  listNotifications: {
    query: { read: false },
    response: { data: [notification], nextCursor: null },
  },
  markNotificationRead: {
    request: { read: true },
    response: { data: { ...notification, read: true } },
  },
  markNotificationsRead: {
    request: { before: '2026-11-21T09:30:00Z' },
    response: { data: { marked: 12, hasMore: false } },
  },
  createWebhook: {
    request: { url, events: [...events], description: 'Warehouse in Leith' },
    response: { data: createdWebhook },
  },
  listWebhooks: {
    query: { expand: 'stats' },
    response: { data: [{ ...webhook, stats }], nextCursor: null },
  },
  getWebhook: { response: { data: webhook } },
  getWebhookStats: {
    query: { window: '1h' },
    response: {
      data: {
        webhookId: exampleIds.webhook,
        since: '2026-11-21T08:31:00.000Z',
        until: '2026-11-21T09:31:00.000Z',
        bucketSeconds: 60,
        points: [{ start: '2026-11-21T09:30:00.000Z', ...stats }],
        totals: stats,
      },
    },
  },
  updateWebhook: {
    request: { status: 'paused' },
    response: { data: { ...webhook, status: 'paused', updatedAt: later } },
  },
  deleteWebhook: {},
  stageWebhookSecret: {
    response: { data: { webhookId: exampleIds.webhook, secret, stagedAt: later } },
  },
  promoteWebhookSecret: { response: { data: { ...webhook, updatedAt: later } } },
  sendTestEvent: {
    request: { event: 'order.status_changed' },
    response: { data: { ...pending, orderId: null, test: true } },
  },
  replayDeliveries: {
    request: { state: 'failed', since: '2026-11-21T00:00:00Z' },
    response: { data: { replayed: 100, skipped: 2, nextCursor } },
  },
  listDeliveries: {
    query: { webhookId: exampleIds.webhook, state: 'delivered' },
    response: { data: [delivery], nextCursor: null },
  },
  getDelivery: { response: { data: details } },
  replayDelivery: { response: { data: pending } },
  listEvents: {
    query: { since: '2026-11-21T00:00:00Z', waitSeconds: 30 },
    response: { data: [changed], nextCursor },
  },
  getEvent: { response: { data: changed } },
  listPartners: {
    query: { name: 'cafe' },
    response: { data: [partner], nextCursor: null },
  },
  getAccount: { response: { data: account } },
  getSummary: { response: { data: summary } },
  listKeys: { response: { data: [apiKey], nextCursor: null } },
  createKey: {
    request: { name: 'warehouse-export', readOnly: true, expiresIn: 7_776_000 },
    response: { data: createdKey },
  },
  revokeKey: {},
  createSignInCode: { response: { data: { code: signInCode, expiresAt: later } } },
  createSession: {
    request: { code: signInCode },
    response: {
      data: {
        key: 'tpk_5mQzExampleOnlyNotARealKey00000000000000',
        account: {
          ...account,
          key: {
            id: exampleIds.createdKey,
            prefix: 'tpk_5mQz…',
            readOnly: false,
            expiresAt: '2026-11-21T21:30:00.000Z',
          },
        },
      },
    },
  },
};
