import type { StatsWindow, WebhookStats } from '@tradepost/contract';
import type { DeliveryRecord, LoggedDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import { readStats, readTotals } from '@tradepost/domain/webhooks/webhook-stats';
import { expect } from 'vitest';
import type { Store } from '../../src/stores/store';

const minute = 60_000;
const hour = 60 * minute;

/** The windows as the API describes them: the length and the number of their buckets, and in which buckets they are stored. */
const windows: Record<StatsWindow, { bucketMs: number; points: number; width: number }> = {
  '1h': { bucketMs: minute, points: 60, width: minute },
  '24h': { bucketMs: 15 * minute, points: 96, width: minute },
  '7d': { bucketMs: hour, points: 168, width: hour },
};

/** The limits of the histogram as the API describes them. */
const limits = [0, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000];

/** Something that counts: a delivery that was finished, or an attempt. */
type Counted = { webhookId: string; at: number } & (
  | { state: 'delivered' | 'failed' }
  | { status: number | null; durationMs: number }
);

/** What the statistics of a period must be. Percentiles must be between two limits. */
function expectCounted(counted: readonly Counted[]) {
  const attempts = counted.flatMap((one) => ('durationMs' in one ? one : []));
  const ofClass = (from: number) =>
    attempts.filter(({ status }) => status !== null && status >= from && status < from + 100);
  const responded = [2, 3, 4, 5].flatMap((digit) => ofClass(digit * 100));
  const durations = responded.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const finished = (state: string) =>
    counted.filter((one) => 'state' in one && one.state === state).length;
  const percentile = (share: number) => {
    const value = durations[Math.ceil(durations.length * share) - 1] ?? 0;
    const to = limits.findIndex((limit, index) => index > 0 && limit >= value);
    const [from, until] = to < 0 ? limits.slice(-2) : limits.slice(to - 1, to + 1);
    return expect.toSatisfy(
      (estimate: number) => estimate >= (from ?? 0) && estimate <= (until ?? 0),
      `between ${from} and ${until}`,
    );
  };
  return {
    delivered: finished('delivered'),
    failed: finished('failed'),
    attempts: {
      '2xx': ofClass(200).length,
      '3xx': ofClass(300).length,
      '4xx': ofClass(400).length,
      '5xx': ofClass(500).length,
      none: attempts.length - responded.length,
    },
    latencyMs:
      durations.length === 0
        ? null
        : {
            mean: Math.round(durations.reduce((sum, one) => sum + one, 0) / durations.length),
            p50: percentile(0.5),
            p95: percentile(0.95),
          },
  };
}

/** Counts what the delivery log of a store shows after each change, and compares that with the store's statistics. */
export class StatsModel {
  /** What the log has shown of each delivery. */
  readonly #seen = new Map<string, LoggedDelivery>();
  /** What is not pruned, by the width of the buckets. */
  readonly #counted: Record<number, Counted[]> = { [minute]: [], [hour]: [] };

  /** Counts what has happened since the last call. Call it after each change. */
  async observe(store: Store, accountIds: Iterable<string>): Promise<void> {
    for (const accountId of accountIds) {
      const page = { after: null, limit: 10_000 };
      for (const found of await store.deliveryLog.listDeliveries(accountId, {}, page)) {
        const before = this.#seen.get(found.id);
        const { attemptCount, state } = found;
        if (before?.attemptCount === attemptCount && before.state === state) continue;
        this.#seen.set(found.id, found);
        const record = await store.deliveryLog.findDelivery(accountId, found.id);
        if (record !== null) this.#count(record, before?.attemptCount ?? 0);
      }
    }
  }

  #count({ webhookId, attempts, state, finishedAt }: DeliveryRecord, known: number): void {
    for (const { number, startedAt: at, status, durationMs } of attempts)
      if (number > known) this.#add({ webhookId, at, status, durationMs });
    // Each replay is observed, so a final state is new.
    if (state !== 'pending' && finishedAt !== null) this.#add({ webhookId, at: finishedAt, state });
  }

  #add(counted: Counted): void {
    for (const list of Object.values(this.#counted)) list.push(counted);
  }

  /** Forgets what is pruned: buckets of a width that start before a time. */
  prune(width: number, before: number): void {
    const list = this.#counted[width] ?? [];
    this.#counted[width] = list.filter(({ at }) => Math.floor(at / width) * width >= before);
  }

  #select(webhookId: string, width: number, from: number, until: number): Counted[] {
    const list = this.#counted[width] ?? [];
    return list.filter((one) => one.webhookId === webhookId && one.at >= from && one.at < until);
  }

  /** Expects the statistics of a webhook in a window to be what was counted. */
  async compare(
    { webhooks }: Store,
    webhookId: string,
    window: StatsWindow,
    now: number,
  ): Promise<void> {
    const { bucketMs, points, width } = windows[window];
    const until = Math.floor(now / bucketMs) * bucketMs + bucketMs;
    const since = until - points * bucketMs;
    const toIso = (time: number) => new Date(time).toISOString();
    const starts = Array.from({ length: points }, (_, index) => since + index * bucketMs);
    const stats: WebhookStats = await readStats(webhooks, webhookId, window, now);
    expect(stats).toEqual({
      webhookId,
      since: toIso(since),
      until: toIso(until),
      bucketSeconds: bucketMs / 1_000,
      points: starts.map((start) => ({
        start: toIso(start),
        ...expectCounted(this.#select(webhookId, width, start, start + bucketMs)),
      })),
      totals: expectCounted(this.#select(webhookId, width, since, until)),
    });
  }

  /** Expects the totals in a list of webhooks to be what was counted. */
  async compareTotals({ webhooks }: Store, webhookIds: string[], now: number): Promise<void> {
    const { bucketMs, points } = windows['24h'];
    const until = Math.floor(now / bucketMs) * bucketMs + bucketMs;
    const since = until - points * bucketMs;
    const [firstHour, lastHour] = [Math.ceil(since / hour) * hour, Math.floor(until / hour) * hour];
    const getTotals = await readTotals(webhooks, webhookIds, now);
    for (const webhookId of webhookIds) {
      const expected = [
        ...this.#select(webhookId, minute, since, firstHour),
        ...this.#select(webhookId, hour, firstHour, lastHour),
        ...this.#select(webhookId, minute, lastHour, until),
      ];
      expect(getTotals(webhookId)).toEqual(expectCounted(expected));
    }
  }
}
