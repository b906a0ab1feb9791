import { idempotencyKey } from './header-names';

const redacted = '[redacted]';

/** Puts `[redacted]` wherever a JSON value has the API key: in any text, names of fields included. */
export type BlotOut = <Value>(value: Value) => Value;

/** Makes the function that keeps an API key out of errors and logs. */
export function blotOutOf(apiKey: string): BlotOut {
  // Value by value, not in JSON's text: it may spell a key in ways that only parsing shows.
  function blotOut(value: unknown): unknown {
    if (typeof value === 'string') return value.replaceAll(apiKey, redacted);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(blotOut);
    return Object.fromEntries(Object.entries(value).map((entry) => entry.map(blotOut)));
  }
  return blotOut as BlotOut;
}

const secretNames = /auth|cookie|credential|key|passw|secret|session|sign|token/i;

/** Request headers as a log may show them: what smells of a secret is not told. */
export function redactHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name !== idempotencyKey && secretNames.test(name) ? redacted : value,
    ]),
  );
}
