import {
  type AttemptResult,
  type LeasedDelivery,
  leaseMs,
  retryWindowMs,
} from '@tradepost/domain/deliveries/delivery';
import { anAttempt, noon } from '@tradepost/domain/test/builders';
import type { Webhook } from '@tradepost/domain/webhooks/webhook';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addEndpoint, enqueueDelivery } from '../../helpers/enqueue';
import { aResult } from '../../helpers/leasing';
import { Trade } from '../../helpers/trade';
import { QueueModel } from '../queue-model';
import type { StoreUnderTest } from './store-under-test';

const second = 1_000;
const minute = 60 * second;
const runs = 40;

const outcomes = fc.constantFrom(
  'delivered',
  'rejected',
  'rejected',
  'rejected',
  'failed',
  'interrupted',
  'with another token',
);

/** A step of the property test. Numbers select from existing items. */
const queuing = fc.record({
  verb: fc.constant('queue up'),
  endpoint: fc.nat(),
  count: fc.integer({ min: 1, max: 7 }),
});
const leasing = fc.record({
  verb: fc.constant('lease'),
  limit: fc.integer({ min: 1, max: 20 }),
});
const recording = fc.record({
  verb: fc.constant('record'),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
  as: outcomes,
  wait: fc.integer({ min: 0, max: 20 * second }),
});
/** Steps of a worker: it waits for the next due delivery, leases it, and records the results of all that it has. */
const working = fc.record({
  verb: fc.constant('work'),
  as: outcomes,
  takes: fc.integer({ min: 0, max: 16 * second }),
  wait: fc.integer({ min: 0, max: 20 * second }),
});
const waiting = fc.record({
  verb: fc.constant('wait'),
  time: fc.oneof(
    fc.integer({ min: 0, max: 2 * second }),
    fc.integer({ min: 0, max: 2 * leaseMs }),
    fc.integer({ min: 0, max: 10 * minute }),
  ),
});
const failing = fc.record({
  verb: fc.constant('fail overdue'),
  time: fc.constantFrom(0, retryWindowMs / 2, retryWindowMs + 1),
});
const beginning = fc.record({ verb: fc.constant('reset stale leases') });
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: queuing },
    { weight: 4, arbitrary: leasing },
    { weight: 3, arbitrary: recording },
    { weight: 8, arbitrary: working },
    { weight: 3, arbitrary: waiting },
    { weight: 1, arbitrary: failing },
    { weight: 1, arbitrary: beginning },
  ),
  { minLength: 1, maxLength: 80, size: 'max' },
);
type Drawn<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Drawn<typeof steps>[number];

/** Runs each step on a store's queues and on their model, and compares them. */
class Comparison {
  readonly #model = new QueueModel();
  readonly #trade: Trade;
  readonly #webhooks: Webhook[];
  /** Leased deliveries without a recorded result, including those whose lease has ended. */
  readonly #leased: { delivery: LeasedDelivery; leasedAt: number }[] = [];
  #leases = 0;
  #now = noon;

  private constructor(trade: Trade, webhooks: Webhook[]) {
    this.#trade = trade;
    this.#webhooks = webhooks;
    for (const { id, status } of webhooks) this.#model.addEndpoint(id, status === 'paused');
  }

  /** Starts with four endpoints, the last of which is paused. */
  static async open(trade: Trade): Promise<Comparison> {
    const webhooks = [
      await addEndpoint(trade),
      await addEndpoint(trade),
      await addEndpoint(trade),
      await addEndpoint(trade, { status: 'paused' }),
    ];
    return new Comparison(trade, webhooks);
  }

  async take(step: Step): Promise<void> {
    if (step.verb === 'queue up') await this.#queueUp(step);
    if (step.verb === 'lease') await this.#lease(step.limit);
    if (step.verb === 'record') await this.#record(step);
    if (step.verb === 'work') await this.#work(step);
    if (step.verb === 'wait') this.#now += step.time;
    if (step.verb === 'reset stale leases') {
      await this.#trade.store.deliveries.resetStaleLeases(this.#now);
      this.#model.resetStaleLeases();
    }
    if (step.verb === 'fail overdue') {
      this.#now += step.time;
      await this.#failOverdue();
    }
    await this.#compare();
  }

  /** Delivers everything that can be delivered and fails the rest: nothing may be left. */
  async finish(): Promise<void> {
    const { deliveries } = this.#trade.store;
    let leases = 0;
    for (let due = await deliveries.nextDueAt(); due !== null; due = await deliveries.nextDueAt()) {
      this.#now = Math.max(this.#now, due);
      const leased = await this.#lease(20);
      // A lease that ends during a backoff makes nothing due until the backoff ends.
      leases += 1;
      expect(leases).toBeLessThan(1_000);
      for (const delivery of leased) await this.#write([aResult(delivery)], [delivery]);
      await this.#compare();
    }
    this.#now += 2 * retryWindowMs;
    await this.#failOverdue();
    expect((await deliveries.queueStatus(this.#now)).depth).toBe(0);
  }

  async #queueUp({ endpoint, count }: { endpoint: number; count: number }): Promise<void> {
    const webhook = this.#webhooks[endpoint % this.#webhooks.length];
    if (webhook === undefined) throw new Error('there are endpoints');
    const { id, accountId } = webhook;
    const eventIds = await enqueueDelivery(this.#trade, { accountId, count, now: this.#now });
    this.#model.queueUp(id, eventIds, this.#now, this.#now + retryWindowMs);
  }

  async #lease(limit: number): Promise<LeasedDelivery[]> {
    this.#leases += 1;
    const now = this.#now;
    const request = { now, leaseUntil: now + leaseMs, leaseToken: `lease-${this.#leases}`, limit };
    const leased = await this.#trade.store.deliveries.leaseDue(request);
    this.#model.lease(request, leased);
    for (const delivery of leased) this.#leased.push({ delivery, leasedAt: now });
    return leased;
  }

  async #work({ as, takes, wait }: Drawn<typeof working>): Promise<void> {
    this.#now = Math.max(this.#now, (await this.#trade.store.deliveries.nextDueAt()) ?? 0);
    await this.#lease(20);
    this.#now += takes;
    await this.#record({ picks: this.#leased.map(() => 0), as, wait });
  }

  async #record({ picks, as, wait }: Omit<Drawn<typeof recording>, 'verb'>): Promise<void> {
    const outcomes: AttemptResult[] = [];
    const deliveries: LeasedDelivery[] = [];
    for (const pick of picks) {
      const [selected] = this.#leased.splice(pick % Math.max(1, this.#leased.length), 1);
      if (selected === undefined) continue;
      deliveries.push(selected.delivery);
      outcomes.push(this.#outcome(selected, as, wait));
    }
    await this.#write(outcomes, deliveries);
  }

  #outcome(
    { delivery, leasedAt }: { delivery: LeasedDelivery; leasedAt: number },
    as: string,
    wait: number,
  ): AttemptResult {
    const times = {
      startedAt: leasedAt,
      durationMs: Math.min(this.#now - leasedAt, 15 * second),
    };
    if (as === 'delivered') return aResult(delivery, { attempt: anAttempt(times) });
    if (as === 'with another token') return aResult(delivery, { leaseToken: 'unknown' });
    const attempt = anAttempt({ ...times, status: 503 });
    if (as === 'failed') return aResult(delivery, { attempt, state: 'failed' });
    const again = { state: 'pending', nextAttemptAt: this.#now + wait } as const;
    if (as === 'rejected') return aResult(delivery, { attempt, ...again });
    return aResult(delivery, { attempt: null, number: delivery.attemptCount, ...again });
  }

  async #write(outcomes: AttemptResult[], deliveries: LeasedDelivery[]): Promise<void> {
    await this.#trade.store.deliveries.recordAttempts(outcomes, this.#now);
    const recorded = outcomes.map((outcome, index) => ({
      outcome,
      eventId: deliveries[index]?.eventId ?? '',
    }));
    this.#model.record(recorded);
  }

  async #failOverdue(): Promise<void> {
    const { deliveries } = this.#trade.store;
    let failed = 0;
    for (let some = -1; some !== 0; failed += some) {
      some = await deliveries.failOverdue({ now: this.#now, limit: 3 });
    }
    expect(failed).toBe(this.#model.failOverdue(this.#now));
  }

  async #compare(): Promise<void> {
    const { deliveries } = this.#trade.store;
    const { depth, inFlight } = this.#model;
    expect(await deliveries.queueStatus(this.#now)).toMatchObject({ depth, inFlight });
    const [dueAt, expected] = [await deliveries.nextDueAt(), this.#model.nextDueAt()];
    // For what is already due, the store may return any past time.
    const nextDueAt = dueAt === null ? null : Math.max(dueAt, this.#now);
    expect(nextDueAt).toBe(expected === null ? null : Math.max(expected, this.#now));
  }
}

/** Invariants of the queues after any sequence of steps. */
export function describeQueueInvariants(underTest: StoreUnderTest): void {
  describe('after any sequence of steps', () => {
    test('each worker gets only its leases, no delivery is leased twice or lost, and the counts are right', async () => {
      const property = fc.asyncProperty(steps, async (all) => {
        const comparison = await Comparison.open(await Trade.open(await underTest.renew()));
        for (const step of all) await comparison.take(step);
        await comparison.finish();
      });
      await fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: 40_000 });
    }, 60_000);
  });
}
