import { headerNames } from '@tradepost/contract/wire';
import type { Request } from 'express';
import { ipKeyGenerator, MemoryStore, rateLimit } from 'express-rate-limit';
import { sendProblem } from './problems';
import type { RateLimiter } from './rate-limiter';
import { getClientAddress } from './request-log';

const windowMs = 60_000;
/** How many wrong codes the clients of one address may try in a minute. */
const maxWrongTries = 10;
/**
 * Beyond so many wrong codes of all addresses in a minute, each address has one: it bounds what guessing costs the store, but a person
 * with a valid code still signs in. Rejecting all would let a stranger lock everyone out.
 */
const manyWrongTries = 1_000;

/** A window in which wrong tries of all addresses are counted. */
interface Window {
  endsAt: number;
  wrong: number;
}

/**
 * Limits wrong sign-in codes by the address of the client: a subnet of /56 with IPv6, of which one client may have all. A code has 190
 * random bits, so this does not protect codes, but the service from the work.
 */
export function createSignInLimiter(): RateLimiter {
  const store = new MemoryStore();
  let window: Window = { endsAt: 0, wrong: 0 };

  function current(): Window {
    const now = performance.now();
    if (now >= window.endsAt) window = { endsAt: now + windowMs, wrong: 0 };
    return window;
  }

  const limit = rateLimit({
    windowMs,
    store,
    limit: () => (current().wrong >= manyWrongTries ? 1 : maxWrongTries),
    keyGenerator: (req) => ipKeyGenerator(getClientAddress(req as Request) ?? ''),
    standardHeaders: false,
    legacyHeaders: false,
    // It checks how `X-Forwarded-For` is set, which `trustProxy` decides.
    validate: false,
    // All are counted at first, so that tries at the same time are, and those that are not wrong are taken back.
    skipSuccessfulRequests: true,
    requestWasSuccessful(_req, { statusCode }) {
      if (statusCode === 401) current().wrong += 1;
      return statusCode !== 401 && statusCode !== 429;
    },
    handler(req, res) {
      const { resetTime } = (req as Request & { rateLimit: { resetTime?: Date } }).rateLimit;
      const seconds = Math.ceil(((resetTime?.getTime() ?? 0) - Date.now()) / 1_000);
      sendProblem(res, {
        code: 'rate_limited',
        detail:
          'Too many sign-in codes from this address were not valid. Wait for the time in Retry-After, then try again with a new link.',
        headers: { [headerNames.retryAfter]: String(Math.max(1, seconds)) },
      });
    },
  });
  return { limit, stop: () => store.shutdown() };
}
