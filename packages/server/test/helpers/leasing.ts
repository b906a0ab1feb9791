import { type AttemptResult, type LeasedDelivery, leaseMs } from '../../src/deliveries/delivery';
import type { Store } from '../../src/stores/store';
import { anAttempt } from './builders';

let claims = 0;

/** Leases as a worker does, with a token of its own each time. */
export async function leaseDue(
  { deliveries }: Store,
  now: number,
  limit = 100,
): Promise<LeasedDelivery[]> {
  claims += 1;
  return deliveries.leaseDue({
    now,
    leaseUntil: now + leaseMs,
    leaseToken: `claim-${claims}`,
    limit,
  });
}

/** Leases the one delivery that is due. */
export async function leaseOne(store: Store, now: number): Promise<LeasedDelivery> {
  const [delivery, ...more] = await leaseDue(store, now);
  if (delivery === undefined || more.length > 0) throw new Error('exactly one must be due');
  return delivery;
}

/** What an attempt came to: delivered by default. */
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

/** A rejection with 500, after which the delivery is to be tried again. */
export function failedResult(delivery: LeasedDelivery, nextAttemptAt: number): AttemptResult {
  const attempt = anAttempt({ status: 500, responseSnippet: 'no' });
  return aResult(delivery, { attempt, state: 'pending', nextAttemptAt });
}

/** An attempt that a receiver took, 10 ms after it was leased. */
export function deliveredResult(delivery: LeasedDelivery, claimedAt: number): AttemptResult {
  return aResult(delivery, { attempt: anAttempt({ startedAt: claimedAt, durationMs: 10 }) });
}

/** An attempt that failed 10 ms after it was leased, and is to be made again at once. */
export function rejectedResult(delivery: LeasedDelivery, claimedAt: number): AttemptResult {
  const attempt = anAttempt({ startedAt: claimedAt, durationMs: 10, status: 500 });
  return aResult(delivery, { attempt, state: 'pending', nextAttemptAt: claimedAt + 10 });
}

/** An attempt that the server broke off because it stopped. */
export function interruptedResult(delivery: LeasedDelivery, now: number): AttemptResult {
  const { attemptCount: number } = delivery;
  return aResult(delivery, { number, attempt: null, state: 'pending', nextAttemptAt: now });
}
