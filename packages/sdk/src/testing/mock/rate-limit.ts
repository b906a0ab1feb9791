import { headerNames } from '@tradepost/contract/wire';
import {
  rateLimited,
  writeRateLimit,
  writeRateLimitPolicy,
} from '@tradepost/domain/accounts/authentication';
import { DomainError } from '@tradepost/domain/kernel/errors';
import type { MockClock } from './clock';
import { requireKnown } from './require-known';

/** A rate limit of each API key, as the reference server has one. */
export interface MockRateLimit {
  /** How many requests an API key may make in a window: an integer of at least 1. */
  limit: number;
  /** Milliseconds until the limit is renewed, from the first request on, by the time of the mock. @default 60_000 */
  window?: number | undefined;
}

/** Counts the requests of each API key in windows that begin with its first request. */
export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #clock: MockClock;
  readonly #windows = new Map<string, { endsAt: number; count: number }>();

  /** @throws {TypeError} when the limit is not valid. */
  constructor(given: MockRateLimit, clock: MockClock) {
    requireKnown('rateLimit', given, { limit: true, window: true });
    const { limit, window = 60_000 } = given;
    if (!(Number.isInteger(limit) && limit > 0)) {
      throw new TypeError(`rateLimit: limit must be an integer of at least 1 (got ${limit}).`);
    }
    if (!(window > 0 && window < Number.POSITIVE_INFINITY)) {
      throw new TypeError(`rateLimit: window must be milliseconds, more than 0 (got ${window}).`);
    }
    this.#limit = limit;
    this.#windowMs = window;
    this.#clock = clock;
  }

  /** Counts a request. Returns the headers of its response, and why it is rejected, if it is beyond the limit. */
  count(keyId: string): { headers: Record<string, string>; error: DomainError | null } {
    const now = this.#clock.now();
    const last = this.#windows.get(keyId);
    const current = last && now < last.endsAt ? last : { endsAt: now + this.#windowMs, count: 0 };
    this.#windows.set(keyId, current);
    current.count += 1;
    const seconds = Math.ceil((current.endsAt - now) / 1_000);
    const remaining = Math.max(0, this.#limit - current.count);
    const { code, detail, headers } = rateLimited(this.#limit, this.#windowMs, seconds);
    return {
      headers: {
        [headerNames.rateLimit]: writeRateLimit(remaining, seconds),
        [headerNames.rateLimitPolicy]: writeRateLimitPolicy(
          this.#limit,
          this.#windowMs,
          btoa(keyId),
        ),
      },
      error: current.count > this.#limit ? new DomainError(code, detail, undefined, headers) : null,
    };
  }
}
