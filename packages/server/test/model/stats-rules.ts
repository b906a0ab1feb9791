import type { StatsWindow } from '@tradepost/contract/wire';
import type { ModelAccount } from './account-state';
import { anything } from './match';
import { formatTime, type ModelCounted, type ModelState, type Query, type Reply } from './state';
import { findWebhook } from './webhook-rules';

const minute = 60_000;

/** Source: the OpenAPI document, "getWebhookStats". */
const windows: Record<StatsWindow, { bucketMs: number; points: number }> = {
  '1h': { bucketMs: minute, points: 60 },
  '24h': { bucketMs: 15 * minute, points: 96 },
  '7d': { bucketMs: 60 * minute, points: 168 },
};

/** Shows what was counted. The percentiles are estimates: any. */
function showCounted(counted: readonly ModelCounted[]) {
  const attempts = counted.flatMap((one) => ('durationMs' in one ? one : []));
  const ofClass = (digit: number) =>
    attempts.filter(({ status }) => Math.floor((status ?? 0) / 100) === digit);
  const responded = [2, 3, 4, 5].flatMap(ofClass);
  const total = responded.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const finished = (as: string) => counted.filter((one) => 'state' in one && one.state === as);
  return {
    delivered: finished('delivered').length,
    failed: finished('failed').length,
    attempts: {
      '2xx': ofClass(2).length,
      '3xx': ofClass(3).length,
      '4xx': ofClass(4).length,
      '5xx': ofClass(5).length,
      none: attempts.length - responded.length,
    },
    latencyMs:
      responded.length === 0
        ? null
        : { mean: Math.round(total / responded.length), p50: anything, p95: anything },
  };
}

/** Returns the starts of the buckets of a window, and what was counted of a webhook from one time to another. */
function openWindow(state: ModelState, webhookId: string, window: StatsWindow) {
  const { bucketMs, points } = windows[window];
  const until = (Math.floor(state.now / bucketMs) + 1) * bucketMs;
  const since = until - points * bucketMs;
  const own = state.counted.filter((one) => one.webhookId === webhookId);
  const show = (from: number, to: number) =>
    showCounted(own.filter(({ at }) => at >= from && at < to));
  return { since, until, bucketMs, points, show };
}

/** Shows the statistics of a webhook in a list. */
export function showTotals(state: ModelState, webhookId: string) {
  const { since, until, show } = openWindow(state, webhookId, '24h');
  return show(since, until);
}

/** `GET /v1/webhooks/:id/stats`. */
export function getStats(
  state: ModelState,
  account: ModelAccount,
  id: string | undefined,
  { window = '24h' }: Query = {},
): Reply {
  const { id: webhookId } = findWebhook(state, account, id);
  const { since, until, bucketMs, points, show } = openWindow(
    state,
    webhookId,
    window as StatsWindow,
  );
  const starts = Array.from({ length: points }, (_, index) => since + index * bucketMs);
  const data = {
    webhookId,
    since: formatTime(since),
    until: formatTime(until),
    bucketSeconds: bucketMs / 1_000,
    points: starts.map((start) => ({ start: formatTime(start), ...show(start, start + bucketMs) })),
    totals: show(since, until),
  };
  return { status: 200, body: { data } };
}
