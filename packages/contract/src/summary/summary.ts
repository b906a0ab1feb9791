import type { OrderStatus } from '../orders/order';

/** How far a summary counts, and for how many seconds the service may return it again. */
export const summaryLimits = { count: 1_000, maxAgeSeconds: 5 } as const;

/** A number of items that was counted up to a limit. */
export interface SummaryCount {
  /** How many there are, up to 1,000. */
  count: number;
  /** Whether there are more than `count`. */
  atLeast: boolean;
}

/** The state of the account at a glance. */
export interface Summary {
  /** When it was counted, up to 5 seconds before the response. */
  asOf: string;
  /** The orders that the account may see, by status. */
  orders: Record<OrderStatus, SummaryCount>;
  /** The notifications that are not read. */
  unread: SummaryCount;
  /** The webhooks of the account. Each counts once. */
  webhooks: {
    /** How many get deliveries. */
    active: number;
    /** How many their account paused. */
    paused: number;
    /** How many the service paused because their endpoints kept failing: their deliveries wait until they are resumed. */
    disabled: number;
    /** How many are active, but get nothing until their backoff ends. */
    backoff: number;
  };
}
