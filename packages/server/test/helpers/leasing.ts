import {
  type AttemptResult,
  type LeasedDelivery,
  leaseMs,
} from '@tradepost/domain/deliveries/delivery';
import { anAttempt } from '@tradepost/domain/test/builders';
import type { Store } from '../../src/stores/store';

let leaseCount = 0;

/** Leases as a worker does, with a new token each time. */
export async function leaseDue(
  { deliveries }: Store,
  now: number,
  limit = 100,
): Promise<LeasedDelivery[]> {
  leaseCount += 1;
  return deliveries.leaseDue({
    now,
    leaseUntil: now + leaseMs,
    leaseToken: `lease-${leaseCount}`,
    limit,
  });
}

/** Leases the only due delivery. */
export async function leaseOne(store: Store, now: number): Promise<LeasedDelivery> {
  const [delivery, ...more] = await leaseDue(store, now);
  if (delivery === undefined || more.length > 0) throw new Error('exactly one must be due');
  return delivery;
}

/** The result of an attempt; by default the delivery is delivered. */
export function aResult(
  delivery: LeasedDelivery,
  overrides: Partial<AttemptResult> = {},
): AttemptResult {
  return {
    deliveryId: delivery.id,
    leaseToken: delivery.leaseToken,
    number: delivery.attemptCount + 1,
    attempt: anAttempt(),
    state: 'delivered',
    nextAttemptAt: null,
    ...overrides,
  };
}

/** A rejection with 500, after which the delivery is retried. */
export function failedResult(delivery: LeasedDelivery, nextAttemptAt: number): AttemptResult {
  const attempt = anAttempt({ status: 500, responseSnippet: 'no' });
  return aResult(delivery, { attempt, state: 'pending', nextAttemptAt });
}

/** An attempt that succeeded 10 ms after the lease. */
export function deliveredResult(delivery: LeasedDelivery, leasedAt: number): AttemptResult {
  return aResult(delivery, { attempt: anAttempt({ startedAt: leasedAt, durationMs: 10 }) });
}

/** An attempt that failed 10 ms after the lease, and is retried at once. */
export function rejectedResult(delivery: LeasedDelivery, leasedAt: number): AttemptResult {
  const attempt = anAttempt({ startedAt: leasedAt, durationMs: 10, status: 500 });
  return aResult(delivery, { attempt, state: 'pending', nextAttemptAt: leasedAt + 10 });
}

/** An attempt that the shutdown interrupted. */
export function interruptedResult(delivery: LeasedDelivery, now: number): AttemptResult {
  const { attemptCount: number } = delivery;
  return aResult(delivery, { number, attempt: null, state: 'pending', nextAttemptAt: now });
}
