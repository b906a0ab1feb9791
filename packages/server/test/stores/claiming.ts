import { type ClaimedDelivery, leaseTime, type Outcome } from '../../src/deliveries/delivery';
import type { Store } from '../../src/store';
import { anAttempt } from '../builders';

let claims = 0;

/** Claims as a worker does, with a token of its own each time. */
export async function claim(
  { deliveries }: Store,
  now: number,
  limit = 100,
): Promise<ClaimedDelivery[]> {
  claims += 1;
  return deliveries.claimDue({ now, leaseUntil: now + leaseTime, token: `claim-${claims}`, limit });
}

/** Claims the one delivery that is due. */
export async function claimOne(store: Store, now: number): Promise<ClaimedDelivery> {
  const [delivery, ...more] = await claim(store, now);
  if (delivery === undefined || more.length > 0) throw new Error('exactly one must be due');
  return delivery;
}

/** What an attempt came to: delivered, unless told. */
export function outcomeOf(delivery: ClaimedDelivery, overrides: Partial<Outcome> = {}): Outcome {
  return {
    deliveryId: delivery.id,
    token: delivery.token,
    number: delivery.attempts + 1,
    attempt: anAttempt(),
    state: 'delivered',
    nextAttemptAt: null,
    ...overrides,
  };
}

/** A refusal with 500, after which the delivery is to be tried again. */
export function failedUntil(delivery: ClaimedDelivery, nextAttemptAt: number): Outcome {
  const attempt = anAttempt({ status: 500, excerpt: 'no' });
  return outcomeOf(delivery, { attempt, state: 'pending', nextAttemptAt });
}

/** An attempt that a receiver took, 10 ms after it was claimed. */
export function delivered(delivery: ClaimedDelivery, claimedAt: number): Outcome {
  return outcomeOf(delivery, { attempt: anAttempt({ startedAt: claimedAt, duration: 10 }) });
}

/** An attempt that failed 10 ms after it was claimed, and is to be made again at once. */
export function refused(delivery: ClaimedDelivery, claimedAt: number): Outcome {
  const attempt = anAttempt({ startedAt: claimedAt, duration: 10, status: 500 });
  return outcomeOf(delivery, { attempt, state: 'pending', nextAttemptAt: claimedAt + 10 });
}

/** An attempt that the server broke off because it stopped. */
export function interrupted(delivery: ClaimedDelivery, now: number): Outcome {
  const { attempts: number } = delivery;
  return outcomeOf(delivery, { number, attempt: null, state: 'pending', nextAttemptAt: now });
}
