import type { StatusClass } from '../deliveries/delivery';

/** Every window of the statistics of a webhook. */
export const statsWindows = ['1h', '24h', '7d'] as const;

/** One window of the statistics of a webhook. */
export type StatsWindow = (typeof statsWindows)[number];

/**
 * How long receivers took to respond, in milliseconds. The percentiles are estimates: of the attempts between two limits of a
 * histogram (5, 10, 25, 50, 100, 250, 500, 1,000, 2,500, 5,000, 10,000 and 15,000 ms) it is assumed that they are spread evenly.
 */
export interface ResponseLatency {
  /** The mean, rounded to a millisecond. */
  mean: number;
  /** Half of the responses took at most so long. */
  p50: number;
  /** 95 of 100 responses took at most so long. */
  p95: number;
}

/** What happened at a webhook in a period. Test events and replays count. */
export interface DeliveryStats {
  /** Deliveries that a receiver acknowledged. One that was replayed counts each time. */
  delivered: number;
  /** Deliveries that failed for good, also without an attempt, such as those whose deadline passed during a pause. */
  failed: number;
  /** Attempts that started, by the class of their response; `none` for those without a response of these classes. */
  attempts: Record<StatusClass, number>;
  /** The latency of the attempts with a response. Null when there was none. */
  latencyMs: ResponseLatency | null;
}

/** The statistics of one bucket. */
export interface DeliveryStatsPoint extends DeliveryStats {
  /** When the bucket starts (inclusive): ISO 8601, UTC, with milliseconds. It ends `bucketSeconds` later. */
  start: string;
}

/** The statistics of a webhook. */
export interface WebhookStats {
  /** The webhook, `whk_<id>`. */
  webhookId: string;
  /** When the first bucket starts (inclusive): ISO 8601, UTC, with milliseconds. */
  since: string;
  /** When the last bucket ends (exclusive), which is not over yet: ISO 8601, UTC, with milliseconds. */
  until: string;
  /** How long a bucket is, in seconds: 60 in a window of 1 hour, 900 in 24 hours, 3,600 in 7 days. */
  bucketSeconds: number;
  /** All buckets of the window without gaps, oldest first. */
  points: DeliveryStatsPoint[];
  /** The whole window. */
  totals: DeliveryStats;
}

/** Query of `GET /v1/webhooks/:id/stats`. */
export interface GetWebhookStats {
  /** How far back: the last hour, 24 hours or 7 days. @default '24h' */
  window?: StatsWindow;
}

/** What a webhook in a list can be expanded with: its statistics of the last 24 hours. */
export const webhookExpansions = ['stats'] as const;

/** One of these expansions. */
export type WebhookExpansion = (typeof webhookExpansions)[number];
