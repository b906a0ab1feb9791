import type { VerifyWebhookOptions } from './verify-webhook-options';
import { WebhookVerificationError } from './webhook-verification-error';

/** The options that are not part of a delivery, checked and with the defaults filled in. */
export interface CheckedOptions {
  /** One or more, none of them blank. */
  secrets: string[];
  /** Seconds. */
  tolerance: number;
  /** Seconds since 1970. */
  now: number;
}

/**
 * Checks what the receiver configured. A mistake here must never make the check weaker.
 *
 * @throws {WebhookVerificationError} `INVALID_CONFIGURATION`
 */
export function checkOptions(options: VerifyWebhookOptions): CheckedOptions {
  const { secret, secrets = [], tolerance = 300 } = options;
  const all = secret === undefined ? [...secrets] : [secret, ...secrets];
  if (!all.length || !all.every((one) => typeof one === 'string' && one.trim())) {
    throw invalid('secret is missing or empty: pass the one that the registration answered with');
  }
  if (!(tolerance > 0 && Number.isFinite(tolerance))) {
    throw invalid('tolerance must be a positive number of seconds');
  }
  const now = Number(options.now ?? Date.now()) / 1_000;
  if (!Number.isFinite(now)) throw invalid('now must be a date or milliseconds since 1970');
  return { secrets: all, tolerance, now };
}

/** An error for what the receiver's own program got wrong. */
export function invalid(fault: string): WebhookVerificationError {
  return new WebhookVerificationError('INVALID_CONFIGURATION', fault);
}
