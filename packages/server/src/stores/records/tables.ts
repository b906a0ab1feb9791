import type { AccountKind, EventType } from '@tradepost/contract/wire';
import type { Account, ApiKey } from '@tradepost/domain/accounts/account';
import type { SignInCode } from '@tradepost/domain/accounts/sign-in';
import type { AuditEntry } from '@tradepost/domain/audit/audit-log';
import type { Delivery, DeliveryState } from '@tradepost/domain/deliveries/delivery';
import type { AttemptRate, EndpointHealth } from '@tradepost/domain/deliveries/endpoint-health';
import type { LoggedAttempt, LoggedDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import type { StoredEvent } from '@tradepost/domain/events/event';
import type { IdempotencyKey } from '@tradepost/domain/kernel/idempotency';
import type { Listing } from '@tradepost/domain/listings/listing';
import type { Notification } from '@tradepost/domain/notifications/notification';
import type { Order } from '@tradepost/domain/orders/order';
import type { Partnership } from '@tradepost/domain/partners/partner';
import type { Task } from '@tradepost/domain/tasks/task';
import type { StatsRow } from '@tradepost/domain/webhooks/stats-counts';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { Fields, Table } from './fields';

/** The accounts. */
export const accounts = new Table<Account>('accounts', ['id'], {
  id: ['id', 'text'],
  kind: ['kind', 'text'],
  name: ['name', 'text'],
  createdAt: ['created_at', 'integer'],
  suspendedAt: ['suspended_at', 'integer'],
  suspensionReason: ['suspension_reason', 'text'],
  erasedAt: ['erased_at', 'integer'],
  requestsPerMinute: ['requests_per_minute', 'integer'],
  maxWebhooks: ['max_webhooks', 'integer'],
  maxOpenDeliveries: ['max_open_deliveries', 'integer'],
  keepDeliveries: ['keep_deliveries', 'integer'],
  keepNotifications: ['keep_notifications', 'integer'],
  keepUnreadNotifications: ['keep_unread_notifications', 'integer'],
});

/** What a change of an account writes. */
export const accountUpdate = accounts.update(
  'id',
  'name',
  'suspendedAt',
  'suspensionReason',
  'erasedAt',
  'requestsPerMinute',
  'maxWebhooks',
  'maxOpenDeliveries',
  'keepDeliveries',
  'keepNotifications',
  'keepUnreadNotifications',
);

/** What limits the webhooks of an account and their deliveries. */
export const accountLimits = accounts.only('maxWebhooks', 'maxOpenDeliveries');

/** How long data of an account is kept. */
export const accountRetention = accounts.only(
  'id',
  'keepDeliveries',
  'keepNotifications',
  'keepUnreadNotifications',
);

/** The API keys. */
export const apiKeys = new Table<ApiKey>('api_keys', ['id'], {
  id: ['id', 'text'],
  accountId: ['account_id', 'text'],
  hash: ['hash', 'text'],
  prefix: ['prefix', 'text'],
  readOnly: ['read_only', 'boolean'],
  name: ['name', 'text'],
  isSession: ['session', 'boolean'],
  parentId: ['parent_id', 'text'],
  createdAt: ['created_at', 'integer'],
  expiresAt: ['expires_at', 'integer'],
  revokedAt: ['revoked_at', 'integer'],
  lastUsedAt: ['last_used_at', 'integer'],
});

/** What is read of API keys, joined with `keysWithParents`: a session is revoked when its key is. */
export const keyFields: Fields<ApiKey> = apiKeys.with<Pick<ApiKey, 'revokedAt'>>({
  revokedAt: ['coalesce(api_keys.revoked_at, parents.revoked_at)', 'integer'],
});

/** API keys, joined with the keys of those that are sessions. */
export const keysWithParents = `api_keys LEFT JOIN api_keys AS parents
  ON api_keys.session AND parents.id = api_keys.parent_id`;

/** API keys joined with their accounts. */
export const apiKeysWithAccount = keyFields.with<{
  kind: AccountKind;
  suspendedAt: number | null;
  requestsPerMinute: number | null;
}>({
  kind: ['accounts.kind', 'text'],
  suspendedAt: ['accounts.suspended_at', 'integer'],
  requestsPerMinute: ['accounts.requests_per_minute', 'integer'],
});

/** The audit log. */
export const auditLog = new Table<AuditEntry>('audit_log', ['id'], {
  id: ['id', 'text'],
  at: ['at', 'integer'],
  actorType: ['actor_type', 'text'],
  actorId: ['actor_id', 'text'],
  action: ['action', 'text'],
  subjectType: ['subject_type', 'text'],
  subjectId: ['subject_id', 'text'],
  accountId: ['account_id', 'text'],
  details: ['details', 'json'],
});

/** The open sign-in codes. */
export const signInCodes = new Table<SignInCode>('sign_in_codes', ['hash'], {
  hash: ['hash', 'text'],
  keyId: ['key_id', 'text'],
  createdAt: ['created_at', 'integer'],
  expiresAt: ['expires_at', 'integer'],
});

/** The listings, with the units that they were supplied with. */
export const listings = new Table<Listing & { suppliedQuantity: number }>('listings', ['id'], {
  id: ['id', 'text'],
  sellerId: ['seller_id', 'text'],
  agentId: ['agent_id', 'text'],
  title: ['title', 'text'],
  availableQuantity: ['available_quantity', 'integer'],
  suppliedQuantity: ['supplied_quantity', 'integer'],
  lowThreshold: ['low_threshold', 'integer'],
  lowStockNotified: ['low_stock_notified', 'boolean'],
  createdAt: ['created_at', 'integer'],
});

/** What an order changes of its listing. */
export const stockUpdate = listings.update('id', 'availableQuantity', 'lowStockNotified');

/** What is read of listings. */
export const listingFields: Fields<Listing> = listings.without('suppliedQuantity');

/** The orders. */
export const orders = new Table<Order>('orders', ['id'], {
  id: ['id', 'text'],
  status: ['status', 'text'],
  buyerId: ['buyer_id', 'text'],
  sellerId: ['seller_id', 'text'],
  agentId: ['agent_id', 'text'],
  listingId: ['listing_id', 'text'],
  quantity: ['quantity', 'integer'],
  version: ['version', 'integer'],
  createdAt: ['created_at', 'integer'],
  updatedAt: ['updated_at', 'integer'],
});

/** What a change of an order writes. */
export const orderUpdate = orders.update('id', 'status', 'version', 'updatedAt');

/** The column with the account that takes part in an order, by its kind. */
export const partyColumns = { buyer: 'buyer_id', seller: 'seller_id', agent: 'agent_id' } as const;

/** The column with a time of an order. */
export const timeColumns = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** With whom each account has traded. An order inserts what is missing. */
export const partners = new Table<Partnership>('partners', ['account_id', 'partner_id'], {
  accountId: ['account_id', 'text'],
  partnerId: ['partner_id', 'text'],
});

/** The tasks. */
export const tasks = new Table<Task>('tasks', ['id'], {
  id: ['id', 'text'],
  orderId: ['order_id', 'text'],
  agentId: ['agent_id', 'text'],
  createdAt: ['created_at', 'integer'],
  completedAt: ['completed_at', 'integer'],
});

/** What completing a task writes. */
export const taskUpdate = tasks.update('id', 'completedAt');

/** The events. */
export const events = new Table<StoredEvent>('events', ['id'], {
  id: ['id', 'text'],
  eventType: ['event_type', 'text'],
  orderId: ['order_id', 'text'],
  body: ['body', 'text'],
  createdAt: ['created_at', 'integer'],
  orderVersion: ['order_version', 'integer'],
  actorId: ['actor_id', 'text'],
  actorKind: ['actor_kind', 'text'],
});

/** The entries of event logs. SQLite does not store their times, which are those of their events. */
export const accountEvents = new Table<{
  eventId: string;
  accountId: string;
  createdAt: number;
  /** Null until it is assigned, in PostgreSQL. */
  seq: number | null;
}>('account_events', ['event_id', 'account_id'], {
  eventId: ['event_id', 'text'],
  accountId: ['account_id', 'text'],
  createdAt: ['created_at', 'integer'],
  seq: ['seq', 'integer'],
});

/** What numbering an entry writes. */
export const numberUpdate = accountEvents.update(['accountId', 'eventId'], 'seq');

/** The event logs. SQLite stores only those that were pruned, and how far. */
const eventLogs = new Table<{ accountId: string; lastSeq: number; prunedSeq: number }>(
  'event_logs',
  ['account_id'],
  {
    accountId: ['account_id', 'text'],
    lastSeq: ['last_seq', 'integer'],
    prunedSeq: ['pruned_seq', 'integer'],
  },
);

/** What numbering entries of a log writes. */
export const logUpdate = eventLogs.update('accountId', 'lastSeq');

/** The notifications. */
export const notifications = new Table<Notification>('notifications', ['id'], {
  id: ['id', 'text'],
  accountId: ['account_id', 'text'],
  eventId: ['event_id', 'text'],
  type: ['type', 'text'],
  orderId: ['order_id', 'text'],
  message: ['message', 'text'],
  read: ['read', 'boolean'],
  createdAt: ['created_at', 'integer'],
});

/** What is stored of a webhook. */
export interface WebhookRecord extends Omit<Webhook, 'events' | 'headers' | 'headerNames'> {
  /** JSON; empty without headers. */
  headers: string;
  /** Separated by commas. */
  headerNames: string;
}

/** The webhooks. Secrets and headers are encrypted if there is a secret key. */
export const webhooks = new Table<WebhookRecord & { deletedAt: number | null }>(
  'webhooks',
  ['id'],
  {
    id: ['id', 'text'],
    accountId: ['account_id', 'text'],
    url: ['url', 'text'],
    status: ['status', 'text'],
    secret: ['secret', 'text'],
    stagedSecret: ['staged_secret', 'text'],
    stagedAt: ['staged_at', 'integer'],
    description: ['description', 'text'],
    headers: ['headers', 'text'],
    headerNames: ['header_names', 'text'],
    attemptsPerMinute: ['attempts_per_minute', 'integer'],
    disabledAt: ['disabled_at', 'integer'],
    createdAt: ['created_at', 'integer'],
    updatedAt: ['updated_at', 'integer'],
    deletedAt: ['deleted_at', 'integer'],
  },
);

/** What is read of a webhook to deliver to it. */
export const endpointFields = webhooks.only(
  'accountId',
  'url',
  'secret',
  'stagedSecret',
  'headers',
  'attemptsPerMinute',
);

/** What a change of a webhook writes. */
export const webhookUpdate = webhooks.update(
  'id',
  'url',
  'status',
  'secret',
  'stagedSecret',
  'stagedAt',
  'description',
  'headers',
  'headerNames',
  'attemptsPerMinute',
  'disabledAt',
  'updatedAt',
);

/** What disabling a webhook writes. */
export const disabledUpdate = webhooks.update('id', 'status', 'disabledAt', 'updatedAt');

/** The event types that webhooks subscribe to. */
export const webhookEvents = new Table<{
  accountId: string;
  eventType: EventType;
  webhookId: string;
}>('webhook_events', ['account_id', 'event_type', 'webhook_id'], {
  accountId: ['account_id', 'text'],
  eventType: ['event_type', 'text'],
  webhookId: ['webhook_id', 'text'],
});

/** The statistics of webhooks. */
export const webhookStats = new Table<StatsRow>('webhook_stats', ['webhook_id', 'width', 'start'], {
  webhookId: ['webhook_id', 'text'],
  width: ['width', 'integer'],
  start: ['start', 'integer'],
  delivered: ['delivered', 'integer'],
  failed: ['failed', 'integer'],
  status2xx: ['status_2xx', 'integer'],
  status3xx: ['status_3xx', 'integer'],
  status4xx: ['status_4xx', 'integer'],
  status5xx: ['status_5xx', 'integer'],
  noStatus: ['no_status', 'integer'],
  latencySum: ['latency_sum', 'integer'],
  latency5: ['latency_5', 'integer'],
  latency10: ['latency_10', 'integer'],
  latency25: ['latency_25', 'integer'],
  latency50: ['latency_50', 'integer'],
  latency100: ['latency_100', 'integer'],
  latency250: ['latency_250', 'integer'],
  latency500: ['latency_500', 'integer'],
  latency1000: ['latency_1000', 'integer'],
  latency2500: ['latency_2500', 'integer'],
  latency5000: ['latency_5000', 'integer'],
  latency10000: ['latency_10000', 'integer'],
  latency15000: ['latency_15000', 'integer'],
});

/** The queue of one endpoint: its health, and how much of it is leased. */
export interface Queue extends EndpointHealth, Pick<AttemptRate, 'rateUntil'> {
  webhookId: string;
  /** Pending deliveries, including leased ones. In PostgreSQL, without those that signals tell of. */
  depth: number;
  /** Leased deliveries. */
  inFlight: number;
  paused: boolean;
}

/** The queues, with the time when a worker should poll them next. */
export const queues = new Table<Queue & { nextAt: number | null }>('queues', ['webhook_id'], {
  webhookId: ['webhook_id', 'text'],
  depth: ['depth', 'integer'],
  inFlight: ['in_flight', 'integer'],
  paused: ['paused', 'boolean'],
  concurrencyLimit: ['concurrency_limit', 'integer'],
  failures: ['failures', 'integer'],
  failedAt: ['failed_at', 'integer'],
  backoffUntil: ['backoff_until', 'integer'],
  lastStatus: ['last_status', 'integer'],
  lastError: ['last_error', 'text'],
  failingSince: ['failing_since', 'integer'],
  rateUntil: ['rate_until', 'integer'],
  nextAt: ['next_at', 'integer'],
});

/** What changes of a queue. */
export const queueUpdate = queues.update(
  'webhookId',
  'depth',
  'inFlight',
  'paused',
  'concurrencyLimit',
  'failures',
  'failedAt',
  'backoffUntil',
  'lastStatus',
  'lastError',
  'failingSince',
  'rateUntil',
  'nextAt',
);

/** The queues of PostgreSQL, with the time before which no delivery is due that is not leased, except those that signals tell of. */
export const postgresQueues = queues.extend<{ dueFrom: number }>({
  dueFrom: ['due_from', 'integer'],
});

/** What PostgreSQL stores when a transaction adds deliveries to a queue: how many, and when the first is due. */
export const queueSignals = new Table<{ dueAt: number; deliveries: number; webhookId: string }>(
  'queue_signals',
  [],
  {
    dueAt: ['due_at', 'integer'],
    deliveries: ['deliveries', 'integer'],
    webhookId: ['webhook_id', 'text'],
  },
);

/** What is stored of a delivery in any state. */
interface DeliveryRow extends Omit<Delivery, 'nextAttemptAt' | 'state'> {
  attempts: number;
  lastStatus: number | null;
  lastError: string | null;
}

const deliveryColumns = {
  id: ['id', 'text'],
  eventId: ['event_id', 'text'],
  webhookId: ['webhook_id', 'text'],
  eventType: ['event_type', 'text'],
  test: ['test', 'boolean'],
  attempts: ['attempts', 'integer'],
  deadlineAt: ['deadline_at', 'integer'],
  lastStatus: ['last_status', 'integer'],
  lastError: ['last_error', 'text'],
  createdAt: ['created_at', 'integer'],
} as const;

/** What is stored of a delivery until it is finished. */
interface PendingDeliveryRow extends DeliveryRow {
  /** Attempts since it was queued or replayed. */
  tries: number;
  dueAt: number | null;
  scheduledAt: number | null;
  leaseToken: string | null;
  leaseUntil: number | null;
  leaseCounts: boolean;
  traceContext: string | null;
}

const pendingColumns = {
  tries: ['tries', 'integer'],
  dueAt: ['due_at', 'integer'],
  scheduledAt: ['scheduled_at', 'integer'],
  leaseToken: ['lease_token', 'text'],
  leaseUntil: ['lease_until', 'integer'],
  leaseCounts: ['lease_counts', 'boolean'],
  traceContext: ['trace_context', 'text'],
} as const;

const stateColumn = { state: ['state', 'text'] } as const;

/** The deliveries of SQLite. */
export const sqliteDeliveries = new Table<
  PendingDeliveryRow & { state: DeliveryState; finishedAt: number | null }
>('deliveries', ['id'], {
  ...deliveryColumns,
  ...pendingColumns,
  ...stateColumn,
  finishedAt: ['finished_at', 'integer'],
});

/** The pending deliveries of PostgreSQL. */
export const pendingDeliveries = new Table<PendingDeliveryRow>('pending_deliveries', ['id'], {
  ...deliveryColumns,
  ...pendingColumns,
});

/** The finished deliveries of PostgreSQL. */
export const finishedDeliveries = new Table<
  DeliveryRow & { state: DeliveryState; finishedAt: number }
>('deliveries', ['id'], {
  ...deliveryColumns,
  ...stateColumn,
  finishedAt: ['finished_at', 'integer'],
});

/**
 * What is read of deliveries, as `d`, for the delivery log, joined with their queues. A requested delivery that goes ahead of others has an
 * earlier `due_at`.
 */
export const loggedDeliveryFields = new Fields<LoggedDelivery>({
  id: ['d.id', 'text'],
  eventId: ['d.event_id', 'text'],
  webhookId: ['d.webhook_id', 'text'],
  eventType: ['d.event_type', 'text'],
  orderId: ['(SELECT order_id FROM events WHERE events.id = d.event_id)', 'text'],
  test: ['d.test', 'boolean'],
  state: ['d.state', 'text'],
  nextAttemptAt: [
    `CASE WHEN d.due_at < d.scheduled_at THEN d.scheduled_at ELSE d.due_at END`,
    'integer',
  ],
  inProgress: ['d.lease_until IS NOT NULL', 'boolean'],
  paused: ['queues.paused', 'boolean'],
  backoffUntil: ['queues.backoff_until', 'integer'],
  rateUntil: ['queues.rate_until', 'integer'],
  attemptCount: ['d.attempts', 'integer'],
  lastStatus: ['d.last_status', 'integer'],
  lastError: ['d.last_error', 'text'],
  deadlineAt: ['d.deadline_at', 'integer'],
  createdAt: ['d.created_at', 'integer'],
  finishedAt: ['d.finished_at', 'integer'],
});

const attemptColumns = {
  number: ['number', 'integer'],
  startedAt: ['started_at', 'integer'],
  durationMs: ['duration_ms', 'integer'],
  url: ['url', 'text'],
  headers: ['headers', 'json'],
  status: ['status', 'integer'],
  error: ['error', 'text'],
  responseSnippet: ['response_snippet', 'text'],
} as const;

/** What is read of attempts. */
export const attemptFields = new Fields<LoggedAttempt>(attemptColumns);

/** The attempts of PostgreSQL. */
export const attempts = new Table<LoggedAttempt & { deliveryId: string }>(
  'attempts',
  ['delivery_id', 'number'],
  { deliveryId: ['delivery_id', 'text'], ...attemptColumns },
);

/** The attempts of SQLite, where a delivery has an integer as its key. */
export const sqliteAttempts = new Table<LoggedAttempt & { deliverySeq: number }>(
  'attempts',
  ['delivery_seq', 'number'],
  { deliverySeq: ['delivery_seq', 'integer'], ...attemptColumns },
);

/** The idempotency keys, with their responses in JSON, encrypted if they show a webhook, and empty after they were erased. */
export const idempotencyKeys = new Table<
  IdempotencyKey & { response: string; webhookId: string | null }
>('idempotency_keys', ['account_id', 'operation', 'key'], {
  accountId: ['account_id', 'text'],
  operation: ['operation', 'text'],
  key: ['key', 'text'],
  fingerprint: ['fingerprint', 'text'],
  response: ['response', 'text'],
  expiresAt: ['expires_at', 'integer'],
  webhookId: ['webhook_id', 'text'],
});

/** The tables that a copy of a store has, as PostgreSQL has them, in the order of their references. */
export const copiedTables = {
  accounts,
  api_keys: apiKeys,
  listings,
  orders,
  partners,
  tasks,
  events,
  account_events: accountEvents,
  event_logs: eventLogs,
  notifications,
  webhooks,
  webhook_events: webhookEvents,
  webhook_stats: webhookStats,
  queues: postgresQueues,
  pending_deliveries: pendingDeliveries,
  deliveries: finishedDeliveries,
  attempts,
  idempotency_keys: idempotencyKeys,
  audit_log: auditLog,
} as const;
