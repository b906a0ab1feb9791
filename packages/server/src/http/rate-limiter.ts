import { createHash } from 'node:crypto';
import { headerNames } from '@tradepost/contract/wire';
import {
  type RateLimitScope,
  rateLimited,
  writeRateLimit,
  writeRateLimitPolicy,
} from '@tradepost/domain/accounts/authentication';
import { keysPerAccountLimit } from '@tradepost/domain/accounts/limits';
import { type Clock, clockTolerance } from '@tradepost/domain/kernel/context';
import type { RequestHandler, Response } from 'express';
import { MemoryStore, type Options } from 'express-rate-limit';
import { getCaller } from './middleware';
import { sendProblem } from './problems';

const windowMs = 60_000;
/**
 * For how long a key that has used up a limit is rejected without a look-up, in milliseconds. A key that is revoked meanwhile, or
 * whose account gets a higher limit, is treated so for as long.
 */
export const rejectionMs = 1_000;
/** How many rejected keys are remembered. */
const maxRejected = 10_000;

/** How many requests may be made in a minute. */
export interface RateLimits {
  /** By one API key. */
  perKey: number;
  /**
   * By all keys and sessions of one account together, unless it has a limit of its own.
   * @default five times `perKey`
   */
  perAccount?: number | undefined;
}

/** A rate limiter and how to stop its timer. */
export interface RateLimiter {
  /** Runs after authentication. */
  limit: RequestHandler;
  stop(): void;
}

/** A rate limiter of authenticated requests. */
export interface KeyRateLimiter extends RateLimiter {
  /**
   * Responds to a request whose key was beyond a limit a moment ago, which needs neither a look-up nor the body.
   *
   * @param hash The SHA-256 of the key.
   * @returns Whether it responded.
   */
  rejectAgain(hash: string, res: Response): boolean;
}

/** A count of requests and its limit, in the current window. */
interface Quota {
  scope: RateLimitScope;
  limit: number;
  count: number;
  /** Until the window ends. */
  seconds: number;
  /** The ID of the key or of the account. */
  id: string;
}

/**
 * Counts requests by API key and by account, and returns the remaining numbers of both in the IETF `RateLimit` headers. The
 * library counts; its middleware would compute the address of the client and a hash of the key for each request, which nothing
 * needs.
 *
 * A request that its key may not make does not count for the account: one key alone must not use up what others may.
 */
export function createRateLimiter(limits: RateLimits, clock: Clock): KeyRateLimiter {
  const { perKey, perAccount = perKey * keysPerAccountLimit } = limits;
  const store = new MemoryStore();
  store.init({ windowMs } as Options);
  const policies = new Policies();
  const rejected = new RejectedKeys(clock);
  let latest = 0;
  // The store returns an object that later requests change, so each one is read before the next request is counted.
  let lastCount: Promise<unknown> = Promise.resolve();

  async function increment(scope: RateLimitScope, id: string, limit: number): Promise<Quota> {
    const { totalHits, resetTime } = await store.increment(id);
    return { scope, id, limit, count: totalHits, seconds: secondsUntil(resetTime) };
  }

  function count(keyId: string, accountId: string, accountLimit: number): Promise<Quota[]> {
    const counted = lastCount.then(async () => {
      const ofKey = await increment('key', keyId, perKey);
      if (ofKey.count > perKey) return [ofKey];
      return [ofKey, await increment('account', accountId, accountLimit)];
    });
    lastCount = counted.catch(() => undefined);
    return counted;
  }

  function setHeaders(res: Response, quotas: readonly Quota[]): void {
    const left = quotas.map(({ scope, limit, count: used, seconds }) =>
      writeRateLimit(Math.max(0, limit - used), seconds, scope),
    );
    res.setHeader(headerNames.rateLimit, left.join(', '));
    res.setHeader(headerNames.rateLimitPolicy, quotas.map((one) => policies.get(one)).join(', '));
  }

  function reject(res: Response, quotas: readonly Quota[], exceeded: Quota): void {
    setHeaders(res, quotas);
    const { limit, seconds, scope } = exceeded;
    sendProblem(res, rateLimited(limit, windowMs, seconds, scope));
  }

  const limit: RequestHandler = async (_req, res, next) => {
    const now = clock.now();
    // Windows end by the system time. If the clock was set back by an hour, they would last an hour longer.
    if (now < latest - clockTolerance) void store.resetAll();
    latest = now;
    const { keyId, accountId } = getCaller(res);
    const own = res.locals.requestsPerMinute as number | null;
    const quotas = await count(keyId, accountId, own ?? perAccount);
    const exceeded = quotas.find((one) => one.count > one.limit);
    if (exceeded === undefined) {
      setHeaders(res, quotas);
      return next();
    }
    rejected.add(res.locals.keyHash as string, { quotas, exceeded });
    reject(res, quotas, exceeded);
  };

  return {
    limit,
    rejectAgain(hash, res) {
      if (clock.now() < latest - clockTolerance) return false;
      const known = rejected.get(hash);
      if (known === undefined) return false;
      reject(res, known.quotas, known.exceeded);
      return true;
    },
    stop: () => store.shutdown(),
  };
}

function secondsUntil(time: Date | undefined): number {
  return Math.max(0, Math.ceil(((time?.getTime() ?? 0) - Date.now()) / 1_000));
}

interface Rejection {
  quotas: readonly Quota[];
  exceeded: Quota;
}

/** The keys that were rejected a moment ago. */
class RejectedKeys {
  readonly #clock: Clock;
  readonly #byHash = new Map<string, Rejection & { until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(hash: string, rejection: Rejection): void {
    if (this.#byHash.size >= maxRejected) this.#byHash.clear();
    // The window may end sooner.
    const ms = Math.min(rejectionMs, (rejection.exceeded.seconds - 1) * 1_000);
    this.#byHash.set(hash, { ...rejection, until: this.#clock.elapsed() + ms });
  }

  get(hash: string): Rejection | undefined {
    const known = this.#byHash.get(hash);
    if (known === undefined || this.#clock.elapsed() < known.until) return known;
    this.#byHash.delete(hash);
    return undefined;
  }
}

const maxPolicies = 10_000;

/** The policy of each API key and account, whose partition key is a hash of its ID. */
class Policies {
  readonly #texts = new Map<string, string>();

  get({ id, scope, limit }: Quota): string {
    const name = `${id} ${limit}`;
    const known = this.#texts.get(name);
    if (known !== undefined) return known;
    if (this.#texts.size >= maxPolicies) this.#texts.clear();
    const hash = createHash('sha256').update(id).digest('hex').slice(0, 12);
    const partition = Buffer.from(hash).toString('base64');
    const text = writeRateLimitPolicy(limit, windowMs, partition, scope);
    this.#texts.set(name, text);
    return text;
  }
}
