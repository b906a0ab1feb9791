import { type LeasedDelivery, newDelivery } from '@tradepost/domain/deliveries/delivery';
import { replayDelivery } from '@tradepost/domain/deliveries/logged-delivery';
import { createTestEvent } from '@tradepost/domain/events/test-event';
import { aContext, anAttempt, noon } from '@tradepost/domain/test/builders';
import { storedBuckets } from '@tradepost/domain/webhooks/stats-counts';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import { readStats } from '@tradepost/domain/webhooks/webhook-stats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/stores/store';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import { aResult, leaseDue, leaseOne } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import { StatsModel } from '../stats-model';
import type { StoreUnderTest } from './store-under-test';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const response = { status: 202, headers: {}, body: null };
const windows = ['1h', '24h', '7d'] as const;

/** An attempt: its status, how long it took, and whether the delivery is retried after a failure. */
const outcome = fc.record({
  status: fc.constantFrom(200, 204, 302, 404, 503, 999, null),
  durationMs: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 20_000 })),
  isRetried: fc.boolean(),
});
/** Numbers select from existing items. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        verb: fc.constant('queue up'),
        endpoint: fc.nat(),
        count: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ verb: fc.constant('send test event'), endpoint: fc.nat() }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        verb: fc.constant('work'),
        takes: fc.integer({ min: 0, max: 15 * second }),
        isLate: fc.boolean(),
        outcomes: fc.array(outcome, { minLength: 1, maxLength: 5 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ verb: fc.constant('replay'), pick: fc.nat() }) },
    {
      weight: 3,
      arbitrary: fc.record({
        verb: fc.constant('set the clock'),
        by: fc.oneof(
          fc.integer({ min: 0, max: 2 * hour }),
          fc.constantFrom(-2 * day, -hour, -7, 23 * hour, 26 * hour, 8 * day, 36 * day),
        ),
      }),
    },
    { weight: 1, arbitrary: fc.record({ verb: fc.constant('fail overdue') }) },
    { weight: 1, arbitrary: fc.record({ verb: fc.constant('prune') }) },
    { weight: 1, arbitrary: fc.record({ verb: fc.constant('restart') }) },
    { weight: 1, arbitrary: fc.record({ verb: fc.constant('delete'), endpoint: fc.nat() }) },
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
);
type Drawn<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Drawn<typeof steps>[number];

/** Prunes the statistics as the housekeeper does. Returns how many buckets it removed. */
async function pruneAll(store: Store, now: number, model?: StatsModel): Promise<number> {
  let total = 0;
  for (const { width, keptMs } of Object.values(storedBuckets)) {
    const before = now - keptMs;
    for (let removed = -1; removed !== 0; total += removed) {
      ({ removed } = await store.retention.pruneStats({ width, before, limit: 3 }));
      expect(removed).toBeLessThanOrEqual(3);
    }
    model?.prune(width, before);
  }
  return total;
}

async function removeWebhooks({ retention }: Store): Promise<void> {
  for (let removed = -1; removed !== 0; )
    ({ removed } = await retention.pruneRemovedWebhooks({ limit: 5 }));
}

/** Everything that is stored of a webhook. */
function listRows({ webhooks }: Store, id: string, width: number) {
  const all = { since: 0, until: noon + 1_000 * day, bucketMs: width };
  return webhooks.sumStats([id], { width, ...all });
}

/** Runs each step on a store, and compares its statistics with its delivery log. */
class Comparison {
  #now = noon;
  readonly #model = new StatsModel();
  readonly #finished: { accountId: string; id: string }[] = [];
  readonly #webhooks: Webhook[];
  #trade: Trade;

  private constructor(trade: Trade, webhooks: Webhook[]) {
    this.#trade = trade;
    this.#webhooks = webhooks;
  }

  /** Starts with three endpoints, one of which is paused. */
  static async open(trade: Trade): Promise<Comparison> {
    const paused = await addEndpoint(trade, { status: 'paused' });
    return new Comparison(trade, [await addEndpoint(trade), await addEndpoint(trade), paused]);
  }

  async take(step: Step, underTest: StoreUnderTest): Promise<void> {
    const { store } = this.#trade;
    if (step.verb === 'work') await this.#work(step);
    if (step.verb === 'replay') await this.#replay(step.pick);
    if (step.verb === 'set the clock') this.#now += step.by;
    if (step.verb === 'fail overdue')
      await store.deliveries.failOverdue({ now: this.#now, limit: 100 });
    if (step.verb === 'prune') await pruneAll(store, this.#now, this.#model);
    if (step.verb === 'restart') this.#trade = this.#trade.on(await underTest.reopen());
    if ('endpoint' in step) await this.#change(step);
    const accountIds = this.#webhooks.map(({ accountId }) => accountId);
    await this.#model.observe(this.#trade.store, accountIds);
  }

  async #change(step: Extract<Step, { endpoint: number }>): Promise<void> {
    const index = step.endpoint % this.#webhooks.length;
    const webhook = this.#webhooks[index];
    // One endpoint stays, so that there is something to compare.
    if (webhook === undefined) return;
    const { id, accountId } = webhook;
    const { store } = this.#trade;
    if (step.verb === 'send test event') await sendTestEvent(store, webhook, this.#now);
    if (step.verb === 'queue up')
      await enqueueDelivery(this.#trade, { accountId, count: step.count, now: this.#now });
    if (step.verb !== 'delete' || this.#webhooks.length === 1) return;
    this.#webhooks.splice(index, 1);
    await store.webhooks.deleteWebhook(accountId, id, this.#now);
    await removeWebhooks(store);
    for (const { width } of Object.values(storedBuckets))
      expect(await listRows(store, id, width)).toEqual([]);
  }

  async #work({ takes, isLate, outcomes }: Extract<Step, { verb: 'work' }>): Promise<void> {
    const { store } = this.#trade;
    const startedAt = this.#now;
    const leased = await leaseDue(store, startedAt);
    this.#now += takes;
    const results = leased.map((delivery, index) => {
      const { status, durationMs, isRetried } = outcomes[index % outcomes.length] ?? {
        status: 200,
        durationMs: 1,
        isRetried: false,
      };
      const error = status === null ? 'timeout' : null;
      const attempt = anAttempt({ startedAt, durationMs, status, error });
      const isDelivered = status !== null && status < 300;
      const again = { state: 'pending', nextAttemptAt: this.#now + minute } as const;
      if (isRetried && !isDelivered) return aResult(delivery, { attempt, ...again });
      return aResult(delivery, { attempt, state: isDelivered ? 'delivered' : 'failed' });
    });
    await store.deliveries.recordAttempts(results, this.#now);
    // These leases have ended.
    if (isLate) await store.deliveries.recordAttempts(results, this.#now + second);
    this.#note(leased);
  }

  #note(leased: readonly LeasedDelivery[]): void {
    for (const { id, webhookId } of leased) {
      const owner = this.#webhooks.find((webhook) => webhook.id === webhookId);
      if (owner) this.#finished.push({ accountId: owner.accountId, id });
    }
  }

  async #replay(pick: number): Promise<void> {
    const found = this.#finished[pick % Math.max(1, this.#finished.length)];
    if (found) await replay(this.#trade.store, found.accountId, found.id, this.#now);
  }

  /** Compares the statistics of all endpoints that are left. */
  async compare(): Promise<void> {
    const { store } = this.#trade;
    for (const { id } of this.#webhooks)
      for (const window of windows) await this.#model.compare(store, id, window, this.#now);
    const ids = this.#webhooks.map(({ id }) => id);
    await this.#model.compareTotals(store, ids, this.#now);
  }
}

async function sendTestEvent(
  { deliveryLog }: Store,
  { id: webhookId, accountId }: Webhook,
  now: number,
): Promise<void> {
  const context = aContext(now);
  const request = { accountId, webhookId, idempotencyKey: null, context };
  await deliveryLog.enqueueTestDelivery(request, () => {
    const event = createTestEvent('order.created', context);
    return { event, delivery: { ...newDelivery(event, webhookId, context), test: true }, response };
  });
}

async function replay(
  { deliveryLog }: Store,
  accountId: string,
  id: string,
  now: number,
): Promise<void> {
  const request = { accountId, ids: [id], idempotencyKey: null, context: aContext(now) };
  await deliveryLog.replayDeliveries(request, (found) => ({
    deliveries: found.map((one) => replayDelivery(one, now)),
    response,
  }));
}

/** The statistics of webhooks. */
export function describeWebhookStats(underTest: StoreUnderTest): void {
  describe('the statistics of webhooks', () => {
    test('are what the delivery log shows, after any sequence of steps', async () => {
      const property = fc.asyncProperty(steps, async (all) => {
        const comparison = await Comparison.open(await Trade.open(await underTest.renew()));
        for (const [index, step] of all.entries()) {
          await comparison.take(step, underTest);
          if (index % 8 === 7) await comparison.compare();
        }
        await comparison.compare();
      });
      await fc.assert(property, { numRuns: 15, interruptAfterTimeLimit: 40_000 });
    }, 60_000);

    async function openEndpoint(overrides: Partial<Webhook> = {}) {
      const trade = await Trade.open(underTest.current);
      const webhook = await addEndpoint(trade, overrides);
      return { trade, store: trade.store, webhook };
    }

    test('count an attempt where it started, and its delivery where it was finished', async () => {
      const { trade, store, webhook } = await openEndpoint();
      await enqueueDelivery(trade, { accountId: webhook.accountId });
      const attempt = anAttempt({ startedAt: noon + minute - 1, durationMs: 40, status: 204 });
      const result = aResult(await leaseOne(store, noon), { attempt });
      await store.deliveries.recordAttempts([result], noon + minute);
      const { points, totals } = await readStats(store.webhooks, webhook.id, '1h', noon + minute);
      const latencyMs = { mean: 40, p50: 38, p95: 49 };
      expect(points.slice(-2)).toMatchObject([
        { start: new Date(noon).toISOString(), delivered: 0, attempts: { '2xx': 1 }, latencyMs },
        { delivered: 1, failed: 0, attempts: { '2xx': 0 }, latencyMs: null },
      ]);
      expect(totals).toMatchObject({ delivered: 1, attempts: { '2xx': 1, none: 0 }, latencyMs });
    });

    test('count all attempts, also those that are no longer stored', async () => {
      const { trade, store, webhook } = await openEndpoint();
      await enqueueDelivery(trade, { accountId: webhook.accountId });
      for (let number = 1; number <= 103; number += 1) {
        const delivery = await leaseOne(store, noon);
        const again = { state: 'pending', nextAttemptAt: noon } as const;
        const attempt = anAttempt({ startedAt: noon, status: 500 });
        await store.deliveries.recordAttempts([aResult(delivery, { attempt, ...again })], noon);
        // The endpoint would back off.
        await store.webhooks.changeWebhook(
          {
            accountId: webhook.accountId,
            id: webhook.id,
            idempotencyKey: null,
            context: aContext(),
          },
          (found) => {
            if (found === null) throw new Error('it is there');
            return { webhook: { ...found, url: `https://receiver.example/${number}` }, response };
          },
        );
      }
      const { totals } = await readStats(store.webhooks, webhook.id, '1h', noon);
      expect(totals).toMatchObject({ failed: 0, attempts: { '5xx': 103 } });
    });

    test('count deliveries whose deadline passed during a pause as failed', async () => {
      const { trade, store, webhook } = await openEndpoint({ status: 'paused' });
      await enqueueDelivery(trade, { accountId: webhook.accountId, count: 3 });
      const now = noon + day + 1;
      expect(await store.deliveries.failOverdue({ now, limit: 10 })).toBe(3);
      const { totals } = await readStats(store.webhooks, webhook.id, '1h', now);
      const none = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, none: 0 };
      expect(totals).toEqual({ delivered: 0, failed: 3, attempts: none, latencyMs: null });
    });

    test('stay bounded: minutes are kept for 25 hours, hours for 35 days', async () => {
      const { trade, store, webhook } = await openEndpoint();
      for (let day40 = 0; day40 < 40; day40 += 1) {
        const now = noon + day40 * day;
        await enqueueDelivery(trade, { accountId: webhook.accountId, now });
        const attempt = anAttempt({ startedAt: now });
        await store.deliveries.recordAttempts(
          [aResult(await leaseOne(store, now), { attempt })],
          now,
        );
      }
      const now = noon + 39 * day;
      const rows = async (width: number) => (await listRows(store, webhook.id, width)).length;
      expect([await rows(minute), await rows(hour)]).toEqual([40, 40]);
      // Those of the last 25 hours, and of 35 days and the hour in which they began.
      expect(await pruneAll(store, now)).toBe(38 + 4);
      expect([await rows(minute), await rows(hour)]).toEqual([2, 36]);
      expect(await pruneAll(store, now)).toBe(0);
    });
  });
}
