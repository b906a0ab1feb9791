import { headerNames } from '@tradepost/contract/wire';
import type { ProblemInput } from './problems';

const policyName = '"requests"';

/**
 * Returns `RateLimit-Policy`. Source: IETF draft "RateLimit header fields for HTTP", version 8.
 *
 * @param limit How many requests one API key may make in a window.
 * @param windowMs Milliseconds.
 * @param partition The partition key in base64: which requests share a quota.
 */
export function writeRateLimitPolicy(limit: number, windowMs: number, partition: string): string {
  return `${policyName}; q=${limit}; w=${windowMs / 1_000}; pk=:${partition}:`;
}

/** Returns `RateLimit`: the requests that are left, and the seconds until the window ends. */
export function writeRateLimit(remaining: number, seconds: number): string {
  return `${policyName}; r=${remaining}; t=${seconds}`;
}

/** The problem of a request beyond the limit, `seconds` before the window ends. */
export function rateLimited(limit: number, windowMs: number, seconds: number): ProblemInput {
  const window = windowMs === 60_000 ? 'minute' : `${windowMs / 1_000} s`;
  return {
    code: 'rate_limited',
    detail: `This API key is limited to ${limit} requests per ${window}. Wait for the time in Retry-After, then try again.`,
    headers: { [headerNames.retryAfter]: String(seconds) },
  };
}
