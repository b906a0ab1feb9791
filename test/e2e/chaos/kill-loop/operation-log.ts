import type { AccountEvent, EventType, OrderStatus } from '@tradepost/sdk';

/** An order whose creation was acknowledged, and what its seller and agent did with it. */
export interface PlacedOrder {
  id: string;
  /** The `Idempotency-Key` of its creation. */
  key: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  /** When it was first sent: `performance.now()`. */
  sentAt: number;
  /** Statuses that were requested, with or without success, and when first: `performance.now()`. */
  requested: Map<OrderStatus, number>;
  /** Statuses that a 2xx acknowledged, in the order of the responses. */
  accepted: OrderStatus[];
}

/** A registered webhook. */
export interface Subscription {
  /** `whk_<id>`. */
  webhookId: string;
  accountId: string;
  types: EventType[];
  /** When its registration was acknowledged: `performance.now()`. It must get every change that is requested later. */
  since: number;
}

/** A delivery as a receiver got it. */
export interface Arrival {
  /** The webhook to which it was sent. */
  webhookId: string;
  /** The event's id, from `webhook-id`. */
  eventId: string;
  /** The raw body. */
  body: string;
  /** Which run of the server sent it, from 1. */
  run: number;
  /** Whether the receiver cut the connection instead of responding. */
  cut: boolean;
  /** When the receiver's 2xx was sent completely (`performance.now()`), or null. The server may have been killed by then. */
  acknowledgedAt: number | null;
}

/** What a client read of the event log of an account. */
export interface EventLogReading {
  accountId: string;
  /** In the order of the log. */
  events: AccountEvent[];
}

/** What clients and receivers saw of the server. The audit compares the database with it. */
export interface OperationLog {
  placed: PlacedOrder[];
  subscriptions: Subscription[];
  /** In the order of arrival. */
  arrivals: Arrival[];
  eventLogs: EventLogReading[];
  /** When each run of the server was killed, by its number: `performance.now()`. The last run is not in it. */
  killedAt: ReadonlyMap<number, number>;
  /** The runs in which deliveries may arrive again while other processes run on. */
  disturbedRuns: ReadonlySet<number>;
  /** The runs in which the database crashed, so that what was in flight may arrive once more. */
  crashedRuns: ReadonlySet<number>;
  /** Violations that were evident at once, such as an invalid signature or a 500. */
  violations: string[];
  /** Requests without a complete response. Each was repeated. */
  broken: number;
  /** Requests with a 503. Each was repeated. */
  unavailable: number;
  /** Requests that a domain rule rejected (4xx). */
  rejected: number;
  /** Requests that repeated an earlier idempotency key. */
  repeated: number;
}

/** Creates an empty log around what the system fills. */
export function createOperationLog({
  killedAt,
  disturbedRuns,
  crashedRuns,
}: Pick<OperationLog, 'killedAt' | 'disturbedRuns' | 'crashedRuns'>): OperationLog {
  const counts = { broken: 0, unavailable: 0, rejected: 0, repeated: 0 };
  const lists = { placed: [], subscriptions: [], arrivals: [], eventLogs: [], violations: [] };
  return { ...lists, killedAt, disturbedRuns, crashedRuns, ...counts };
}
