import { createHash } from 'node:crypto';
import type { Caller } from '../accounts/account';
import type { IdempotencyClaim } from '../idempotency-claim';

const keptFor = 24 * 60 * 60 * 1000;

/**
 * The claim of a request on its idempotency key; null when it sent none.
 *
 * @param request The validated request: two bodies that mean the same have the same fingerprint.
 * @param now Milliseconds since 1970.
 */
export function claimOf(
  caller: Caller,
  operation: string,
  request: { params?: Record<string, string>; headers?: Record<string, unknown>; body?: unknown },
  now: number,
): IdempotencyClaim | null {
  const key = request.headers?.['idempotency-key'];
  if (typeof key !== 'string') return null;
  const { params = {}, body } = request;
  // A key that was used for one webhook must not be answered with it for another.
  const meant = Object.keys(params).length === 0 ? body : [params, body];
  const fingerprint = createHash('sha256').update(JSON.stringify(meant)).digest('hex');
  return { accountId: caller.accountId, operation, key, fingerprint, expiresAt: now + keptFor };
}
