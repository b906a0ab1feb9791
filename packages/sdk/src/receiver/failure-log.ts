import { isDevelopment } from '../webhooks/explain-failure';
import type { WebhookVerificationError } from '../webhooks/verification-error';

/** In production, a code is logged once in this time: anyone can send forged deliveries. */
const intervalMs = 60_000;

/** Faults of this program, with their statuses. A retry of the delivery succeeds once they are fixed. */
export const ownFaults: ReadonlyMap<string, number> = new Map([
  ['BODY_ALREADY_PARSED', 500],
  ['INVALID_CONFIGURATION', 500],
  ['SECRET_UNAVAILABLE', 503],
]);

/**
 * Creates the default of `onVerificationError`: it logs each rejected delivery in development; in production
 * at most one a minute for each code, with the number of those in between. So a wrong secret is seen, and
 * forged deliveries do not fill the log.
 */
export function createFailureLog(
  now: () => number = Date.now,
): (error: WebhookVerificationError) => void {
  const logged = new Map<string, { at: number; since: number }>();
  return ({ code, message }) => {
    const last = logged.get(code);
    if (last && now() - last.at < intervalMs && !isDevelopment()) {
      last.since += 1;
      return;
    }
    logged.set(code, { at: now(), since: 0 });
    const more = last?.since ? ` (${last.since} more since the last line with this code)` : '';
    const text = `Delivery rejected, ${code}: ${message}${more}`;
    if (ownFaults.has(code)) console.error(text);
    else console.warn(text);
  };
}
