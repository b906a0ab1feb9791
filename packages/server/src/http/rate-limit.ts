import type { RequestHandler } from 'express';
import { MemoryStore, rateLimit } from 'express-rate-limit';
import { type Clock, clockTolerance } from '../clock';
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
export function createRateLimiter(perMinute: number, clock: Clock): RateLimiter {
  const store = new MemoryStore();
  let latest = 0;
  const counting = rateLimit({
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
  const limit: RequestHandler = (req, res, next) => {
    const now = clock.now();
    // Windows end by the time of day: set back by an hour, they would last for an hour more.
    if (now < latest - clockTolerance) void store.resetAll();
    latest = now;
    return counting(req, res, next);
  };
  return { limit, stop: () => store.shutdown() };
}
