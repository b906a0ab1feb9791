import type { EventType, OrderStatus } from '@tradepost/sdk';

/** An order that a buyer was answered, and what its seller and agent did with it. */
export interface PlacedOrder {
  id: string;
  /** The `Idempotency-Key` that it was placed with. */
  key: string;
  buyerId: string;
  sellerId: string;
  agentId: string | null;
  listingId: string;
  quantity: number;
  /** When it was first sent: `performance.now()`. */
  sentAt: number;
  /** States that somebody asked for, whatever was answered, with the first time: `performance.now()`. */
  asked: Map<OrderStatus, number>;
  /** States that a 2xx answered, in the order of the answers. */
  answered: OrderStatus[];
}

/** A registered webhook. */
export interface Subscription {
  /** `whk_<id>`. */
  webhookId: string;
  accountId: string;
  kinds: EventType[];
  /** When its registration was answered, `performance.now()`: whatever is sent later, it is told of. */
  since: number;
}

/** A delivery as a receiver got it. */
export interface Arrival {
  /** The webhook that it was for. */
  webhookId: string;
  /** What its `webhook-id` said: the event's id. */
  eventId: string;
  /** The raw body. */
  body: string;
  /** Which run of the server sent it, from 1. */
  run: number;
  /** Whether the receiver cut the connection instead of answering. */
  cut: boolean;
  /** When the receiver's 2xx went out whole, or null. The server may have been dead by then. `performance.now()`. */
  acknowledgedAt: number | null;
}

/** What those outside of the server saw: all that they can hold it to. */
export interface Diary {
  placed: PlacedOrder[];
  subscriptions: Subscription[];
  /** In the order of their coming. */
  arrivals: Arrival[];
  /** When each run of the server was killed, by its number: `performance.now()`. The last one is not in it. */
  killedAt: Map<number, number>;
  /** What was plainly wrong when it happened, such as a signature or a 500. */
  faults: string[];
  /** Requests whose answer broke off or never came, each of them repeated. */
  broken: number;
  /** Requests that were answered 503, each of them repeated. */
  unavailable: number;
  /** Requests that were answered 4xx as the domain has it. */
  refused: number;
  /** Requests that repeated an idempotency key of the past. */
  repeated: number;
}

/** A diary with nothing in it but what `killedAt` is yet to hold. */
export function newDiary(killedAt: Map<number, number>): Diary {
  const counts = { broken: 0, unavailable: 0, refused: 0, repeated: 0 };
  return { placed: [], subscriptions: [], arrivals: [], killedAt, faults: [], ...counts };
}
