import type { RequestHandler } from 'express';
import { MemoryStore, rateLimit } from 'express-rate-limit';
import { callerOf } from './authenticate';
import { sendProblem } from './problems';

const windowMs = 60_000;

/** A rate limiter and what ends its timer. */
export interface RateLimiter {
  limit: RequestHandler;
  stop(): void;
}

/**
 * Counts requests by API key and tells in the IETF `RateLimit` headers how many are left.
 *
 * @param perMinute How many requests one key may make in a minute.
 */
export function createRateLimiter(perMinute: number): RateLimiter {
  const store = new MemoryStore();
  const limit = rateLimit({
    windowMs,
    limit: perMinute,
    store,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: 'requests',
    keyGenerator: (_req, res) => callerOf(res).keyId,
    handler: (_req, res) =>
      sendProblem(res, {
        code: 'rate_limited',
        detail: `This API key may make ${perMinute} requests a minute. Wait as long as Retry-After says, then go on.`,
      }),
  });
  return { limit, stop: () => store.shutdown() };
}
