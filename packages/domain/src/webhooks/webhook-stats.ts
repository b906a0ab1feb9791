import type {
  DeliveryStats,
  StatsWindow,
  WebhookStats as WebhookStatsResponse,
} from '@tradepost/contract/wire';
import { formatTimestamp } from '../kernel/context';
import { latencyCounters, type StatsCounts, storedBuckets, sumCounts } from './stats-counts';
import type { SummedStats, WebhookStore } from './webhook-store';

const { minute, hour } = storedBuckets;

/** How each window is divided, for a chart of at most 200 points. Times are in milliseconds. */
const windows: Record<StatsWindow, { stored: number; bucketMs: number; points: number }> = {
  '1h': { stored: minute.width, bucketMs: minute.width, points: 60 },
  '24h': { stored: minute.width, bucketMs: 15 * minute.width, points: 96 },
  '7d': { stored: hour.width, bucketMs: hour.width, points: 168 },
};

/** The window of the statistics in a list of webhooks, and by default. */
export const defaultWindow: StatsWindow = '24h';

/** Returns when a window starts and ends. The bucket of the present is its last one. */
function getPeriod(window: StatsWindow, now: number): { since: number; until: number } {
  const { bucketMs, points } = windows[window];
  const until = (Math.floor(now / bucketMs) + 1) * bucketMs;
  return { since: until - points * bucketMs, until };
}

/**
 * Estimates below which latency a share of the responses was: within a range of the histogram they are assumed to be spread evenly.
 *
 * @returns Milliseconds, rounded.
 */
function estimateQuantile(counts: StatsCounts, responses: number, share: number): number {
  let rank = responses * share;
  let from = 0;
  for (const [counter, to] of latencyCounters) {
    const count = counts[counter];
    if (count > 0 && rank <= count) return Math.round(from + ((to - from) * rank) / count);
    rank -= count;
    from = to;
  }
  return from;
}

/** Converts counts to the contract's statistics. */
function toDeliveryStats(counts: StatsCounts): DeliveryStats {
  const responses = latencyCounters.reduce((sum, [counter]) => sum + counts[counter], 0);
  return {
    delivered: counts.delivered,
    failed: counts.failed,
    attempts: {
      '2xx': counts.status2xx,
      '3xx': counts.status3xx,
      '4xx': counts.status4xx,
      '5xx': counts.status5xx,
      none: counts.noStatus,
    },
    latencyMs:
      responses === 0
        ? null
        : {
            mean: Math.round(counts.latencySum / responses),
            p50: estimateQuantile(counts, responses, 0.5),
            p95: estimateQuantile(counts, responses, 0.95),
          },
  };
}

/** Reads the statistics of a webhook. */
export async function readStats(
  store: Pick<WebhookStore, 'sumStats'>,
  webhookId: string,
  window: StatsWindow,
  now: number,
): Promise<WebhookStatsResponse> {
  const { stored: width, bucketMs, points } = windows[window];
  const { since, until } = getPeriod(window, now);
  const found = await store.sumStats([webhookId], { width, since, until, bucketMs });
  const byBucket = new Map(found.map((one) => [one.bucket, one]));
  return {
    webhookId,
    since: formatTimestamp(since),
    until: formatTimestamp(until),
    bucketSeconds: bucketMs / 1_000,
    points: Array.from({ length: points }, (_, bucket) => ({
      start: formatTimestamp(since + bucket * bucketMs),
      ...toDeliveryStats(byBucket.get(bucket) ?? sumCounts([])),
    })),
    totals: toDeliveryStats(sumCounts(found)),
  };
}

/**
 * Reads the totals of webhooks in the default window, which are those of `readStats`: whole hours, and the minutes before and
 * after them. That is far fewer rows than all minutes.
 */
export async function readTotals(
  store: Pick<WebhookStore, 'sumStats'>,
  webhookIds: readonly string[],
  now: number,
): Promise<(webhookId: string) => DeliveryStats> {
  const { since, until } = getPeriod(defaultWindow, now);
  const firstHour = Math.ceil(since / hour.width) * hour.width;
  const lastHour = Math.floor(until / hour.width) * hour.width;
  const found: SummedStats[] = [];
  for (const [width, from, to] of [
    [minute.width, since, firstHour],
    [hour.width, firstHour, lastHour],
    [minute.width, lastHour, until],
  ] as const) {
    if (from === to) continue;
    const query = { width, since: from, until: to, bucketMs: to - from };
    found.push(...(await store.sumStats(webhookIds, query)));
  }
  return (webhookId) =>
    toDeliveryStats(sumCounts(found.filter((one) => one.webhookId === webhookId)));
}
