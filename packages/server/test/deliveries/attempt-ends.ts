import fc from 'fast-check';
import {
  type AttemptEnd,
  type EndpointHealth,
  newEndpointHealth,
  nextHealth,
} from '../../src/deliveries/endpoint-health';
import { noon } from '../helpers/builders';

/** In milliseconds. */
export const second = 1_000;
/** In milliseconds. */
export const minute = 60 * second;

/** An attempt that its receiver took. */
export function succeeded(endedAt: number, duration = 20): AttemptEnd {
  return { acknowledged: true, startedAt: endedAt - duration, endedAt, retryAfter: null };
}

/** An attempt that failed, and whose receiver asked for nothing. */
export function failed(endedAt: number, duration = 20): AttemptEnd {
  return { acknowledged: false, startedAt: endedAt - duration, endedAt, retryAfter: null };
}

/** A rejection whose receiver asks to be left alone. */
export function failedWithRetryAfter(
  endedAt: number,
  retryAfter: number,
  duration = 20,
): AttemptEnd {
  return { ...failed(endedAt, duration), retryAfter };
}

/** The health of an endpoint after these attempts, noted in this order. */
export function healthAfter(...attempts: AttemptEnd[]): EndpointHealth {
  return attempts.reduce(nextHealth, newEndpointHealth);
}

/** Rounds of failure, each a minute after the one before. */
export function rounds(count: number): AttemptEnd[] {
  return Array.from({ length: count }, (_, index) => failed(noon + index * minute));
}

/** What receivers ask for: nothing half of the time, else some time. */
const anyWait = fc.option(
  fc.oneof(fc.integer({ min: 0, max: 10 * minute }), fc.constant(24 * 60 * minute)),
  { nil: null, freq: 2 },
);

/** An attempt of any type that starts within these times. */
export function anyAttempt(min: number, max: number): fc.Arbitrary<AttemptEnd> {
  return fc
    .record({
      acknowledged: fc.boolean(),
      startedAt: fc.integer({ min, max }),
      took: fc.integer({ min: 0, max: 15 * second }),
      retryAfter: anyWait,
    })
    .map(({ took, ...end }) => ({ ...end, endedAt: end.startedAt + took }));
}

/** Attempts of any type on a clock that goes any way. */
export const anyAttempts = fc.array(anyAttempt(noon - 60 * minute, noon + 60 * minute), {
  maxLength: 100,
});
