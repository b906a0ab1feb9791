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

function ended(status: number, endedAt: number, duration: number): AttemptEnd {
  const times = { startedAt: endedAt - duration, endedAt };
  return { acknowledged: status === 204, status, error: null, ...times, retryAfter: null };
}

/** A successful attempt. */
export function succeeded(endedAt: number, duration = 20): AttemptEnd {
  return ended(204, endedAt, duration);
}

/** A failed attempt whose receiver requested no wait. */
export function failed(endedAt: number, duration = 20): AttemptEnd {
  return ended(500, endedAt, duration);
}

/** A rejection whose receiver requested a wait. */
export function failedWithRetryAfter(
  endedAt: number,
  retryAfter: number,
  duration = 20,
): AttemptEnd {
  return { ...failed(endedAt, duration), retryAfter };
}

/** Returns the health of an endpoint after these attempts, recorded in this order. */
export function healthAfter(...attempts: AttemptEnd[]): EndpointHealth {
  return attempts.reduce(nextHealth, newEndpointHealth);
}

/** Rounds of failures, each a minute after the one before. */
export function rounds(count: number): AttemptEnd[] {
  return Array.from({ length: count }, (_, index) => failed(noon + index * minute));
}

/** The wait that a receiver requests: none half of the time. */
const anyWait = fc.option(
  fc.oneof(fc.integer({ min: 0, max: 10 * minute }), fc.constant(24 * 60 * minute)),
  { nil: null, freq: 2 },
);

/** Any attempt that starts within these times. */
export function anyAttempt(min: number, max: number): fc.Arbitrary<AttemptEnd> {
  return fc
    .record({
      acknowledged: fc.boolean(),
      startedAt: fc.integer({ min, max }),
      took: fc.integer({ min: 0, max: 15 * second }),
      retryAfter: anyWait,
    })
    .map(({ took, ...end }) => ({
      ...end,
      status: end.acknowledged ? 204 : 500,
      error: null,
      endedAt: end.startedAt + took,
    }));
}

/** Any attempts on a clock that is set in any way. */
export const anyAttempts = fc.array(anyAttempt(noon - 60 * minute, noon + 60 * minute), {
  maxLength: 100,
});
