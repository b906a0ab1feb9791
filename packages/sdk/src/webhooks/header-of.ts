import type { DeliveryHeaders } from './verify-webhook-options';

/**
 * Looks a header up, whatever its case; empty when it is missing. A header that came several times is
 * joined with commas, as HTTP has it.
 *
 * @param name in lowercase
 */
export function headerOf(headers: DeliveryHeaders | undefined, name: string): string {
  if (!headers) return '';
  if (hasGet(headers)) return String(headers.get(name) ?? '');
  // Node's own are in lowercase; others are looked through.
  let value = headers[name];
  if (!value) {
    for (const key in headers) {
      if (key.length === name.length && key.toLowerCase() === name) value ||= headers[key];
    }
  }
  return value ? String(value) : '';
}

function hasGet(
  headers: DeliveryHeaders,
): headers is Extract<DeliveryHeaders, { get(name: string): unknown }> {
  return typeof headers.get === 'function';
}
