import type { DeliveryHeaders } from './verify-webhook-options';
import { WebhookVerificationError } from './webhook-verification-error';

/**
 * Looks a header up, whatever its case. A header that came several times is joined with commas, as
 * HTTP has it; null when it is missing or empty.
 */
export function headerOf(headers: DeliveryHeaders | undefined, name: string): string | null {
  if (!headers) return null;
  const lowercase = name.toLowerCase();
  if (hasGet(headers)) return headers.get(lowercase) || null;
  for (const [key, value] of Object.entries(headers)) {
    if (value && key.toLowerCase() === lowercase) return String(value) || null;
  }
  return null;
}

/** The error for a header that must be there. */
export function missing(
  code: 'MISSING_SIGNATURE' | 'MISSING_HEADER',
  name: string,
): WebhookVerificationError {
  return new WebhookVerificationError(
    code,
    `${name} is missing: pass the request's headers as they arrived, and check that no proxy drops it`,
  );
}

function hasGet(
  headers: DeliveryHeaders,
): headers is Extract<DeliveryHeaders, { get(name: string): unknown }> {
  return typeof headers.get === 'function';
}
