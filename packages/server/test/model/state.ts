import type {
  AccountKind,
  DeliveryState,
  EventType,
  OrderStatus,
  ProblemCode,
  Summary,
  WebhookEvent,
  WebhookStatus,
} from '@tradepost/contract/wire';
import type { ModelAccount, ModelAudit, ModelCode, ModelCount, ModelKey } from './account-state';

/**
 * The state of the service according to the API specification: lists of plain values, in the order in which things were
 * created. The model filters them; it has no index and no query, and it uses none of the server's rules.
 *
 * Values that the service makes up, such as IDs and secrets, are placeholders such as `<ord:7>` (see `match.ts`). Times
 * are in milliseconds since 1970. The clock of the tests never goes backwards, so the order of creation is also the
 * order by time.
 */
export interface ModelState {
  now: number;
  /** How many placeholders there are. */
  created: number;
  accounts: ModelAccount[];
  keys: ModelKey[];
  listings: ModelListing[];
  orders: ModelOrder[];
  tasks: { id: string; orderId: string; agentId: string; isOpen: boolean }[];
  /** The event log of all accounts: an entry for each account that may see the event. */
  log: { accountId: string; event: ModelEvent }[];
  notifications: ModelNotification[];
  webhooks: ModelWebhook[];
  /** The webhooks that the next change finds when it fans out its events, if these are not the present ones. */
  subscribers: ModelWebhook[] | null;
  deliveries: ModelDelivery[];
  /** What the statistics of webhooks count. */
  counted: ModelCounted[];
  /** The first response to each idempotency key. */
  replies: StoredReply[];
  /** The sign-in codes so far, also those that do not work any more. */
  codes: ModelCode[];
  /** How many times a session was requested with a code that does not work. */
  wrongCodes: number;
  /** The audit log, oldest first. */
  audit: ModelAudit[];
  /** How many more deliveries an account may have had pending, as the service may have counted them in the last second. */
  counts: ModelCount[];
  /** Which of these the next change uses; null to count. */
  usedCount: ModelCount | null;
  /** The last summary of each account, and until when it is returned again. */
  summaries: { accountId: string; until: number; data: Summary }[];
  /** The cursors of the pages so far. */
  cursors: ModelCursor[];
  /** How each receiver responds now, by URL. */
  receivers: Record<string, ReceiverBehavior>;
}

export interface ModelListing {
  id: string;
  sellerId: string;
  agentId: string | null;
  available: number;
  lowThreshold: number | null;
  /** Whether it is low, and its seller knows. */
  isLow: boolean;
}

export interface ModelOrder {
  number: number;
  id: string;
  status: OrderStatus;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  version: number;
  createdAt: number;
  updatedAt: number;
}

export interface ModelEvent {
  id: string;
  type: EventType;
  /** Null for an event that is about no order. */
  orderId: string | null;
  createdAt: number;
  /** Who caused it; null if no account did. */
  actor: { accountId: string; kind: AccountKind } | null;
  /** Null for a test event: its data is made up by the service. */
  data: WebhookEvent['data'] | null;
  /** The body of each delivery, as text. */
  text: string;
}

export interface ModelNotification {
  number: number;
  id: string;
  accountId: string;
  /** The event that it reports. */
  eventId: string;
  type: string;
  orderId: string;
  /** What its message must contain. */
  mentions: string[];
  read: boolean;
  createdAt: number;
}

/** What an account may set of a webhook beyond the API specification. */
export interface ModelSettings {
  description: string | null;
  headers: Record<string, string>;
  attemptsPerMinute: number | null;
}

export interface ModelWebhook {
  number: number;
  id: string;
  accountId: string;
  url: string;
  events: EventType[];
  status: WebhookStatus;
  settings: ModelSettings;
  secret: string;
  staged: { secret: string; at: number } | null;
  createdAt: number;
  updatedAt: number;
  isDeleted: boolean;
  /** How many attempts may be in flight. */
  concurrencyLimit: number;
  /** Rounds of failures since the last success, and when the last one ended. */
  failures: number;
  failedAt: number;
  backoffUntil: number;
  /** How the last attempt ended. */
  lastStatus: number | null;
  lastError: string | null;
  /** When the first attempt failed since the last success, or since it was resumed or got a new URL. */
  failingSince: number | null;
  disabledAt: number | null;
}

export interface ModelDelivery {
  number: number;
  id: string;
  webhookId: string;
  event: ModelEvent;
  test: boolean;
  state: DeliveryState;
  attempts: ModelAttempt[];
  /** Attempts since it was queued or replayed. */
  tries: number;
  nextAttemptAt: number;
  deadlineAt: number;
  createdAt: number;
  finishedAt: number | null;
  /** Why it failed without an attempt. */
  error: string | null;
  /** The attempt in flight. */
  inFlight: { startedAt: number; url: string; headers: Record<string, string> } | null;
}

/** A delivery that was finished, or an attempt that started. */
export type ModelCounted = { webhookId: string; at: number } & (
  | { state: DeliveryState }
  | { status: number | null; durationMs: number }
);

export interface ModelAttempt {
  startedAt: number;
  durationMs: number;
  url: string;
  headers: Record<string, string>;
  status: number | null;
  error: string | null;
}

/** How a receiver responds: a status, or null for bytes that are not HTTP. `retryAfter` is in seconds. */
export interface ReceiverBehavior {
  status: number | null;
  retryAfter?: number;
}

/** The query of a list, or a filter in a body. It is valid. */
export type Query = Record<string, string | number | boolean>;

/** The response to a call: a problem, or a status, headers and a body. */
export interface Reply {
  status: number;
  problem?: ProblemCode;
  location?: string;
  etag?: string;
  replayed?: boolean;
  /** `Tradepost-Changed`. */
  changed?: string;
  body?: unknown;
}

export interface StoredReply {
  accountId: string;
  /** The API key of the first request. */
  keyId: string;
  route: string;
  key: string;
  /** The path and the body as JSON. */
  request: string;
  reply: Reply;
  expiresAt: number;
  /** The webhook whose secret the response may contain. */
  webhookId: string | null;
}

export interface ModelCursor {
  text: string;
  list: 'orders' | 'notifications' | 'webhooks' | 'deliveries' | 'events' | 'partners' | 'keys';
  accountId: string;
  /** How the list was sorted; empty for the event log. */
  sort: string;
  /** In a list by the last change, the time of that of the last item. Otherwise 0. */
  time: number;
  /** The number of the last item that was listed; of the event log: how many entries of it were passed. */
  position: number;
  /** Whether it passed entries of an event log that its page does not show, because they have other types. */
  passedOthers?: boolean;
}

/** Thrown by a rule that rejects a call. Nothing was changed before. */
export class Rejection extends Error {
  constructor(readonly code: ProblemCode) {
    super(code);
  }
}

/** Creates the state of an empty service. */
export function emptyState(now: number, urls: readonly string[]): ModelState {
  return {
    now,
    created: 0,
    accounts: [],
    keys: [],
    listings: [],
    orders: [],
    tasks: [],
    log: [],
    notifications: [],
    webhooks: [],
    subscribers: null,
    deliveries: [],
    counted: [],
    replies: [],
    codes: [],
    wrongCodes: 0,
    audit: [],
    counts: [],
    usedCount: null,
    summaries: [],
    cursors: [],
    receivers: Object.fromEntries(urls.map((url) => [url, { status: 204 }])),
  };
}

/** Creates the placeholder of a value that the service makes up. Its number is the number of what was created. */
export function placeholder(state: ModelState, kind: string): string {
  state.created += 1;
  return `<${kind}:${state.created}>`;
}

/** Formats a time as the service does. */
export function formatTime(time: number): string {
  return new Date(time).toISOString();
}
