import { idempotencyKey } from './headers';

const redacted = '[redacted]';

/** Values nested deeper than this are not searched, and therefore not shown. */
const maxDepth = 32;

/** The form of error codes. Programs branch on codes, so they are never redacted. */
const codePattern = /^[a-z_]+$/;

/**
 * Replaces the API key with `[redacted]` anywhere in a JSON value, including the names of fields. The names
 * at its top level are the client's own and stay, and so does a `code` in the form of an error code.
 */
export type Redact = <Value>(value: Value) => Value;

/** Creates the function that removes an API key from errors and logs. */
export function createRedactor(apiKey: string): Redact {
  // Value by value instead of in JSON text, which may escape a key in several ways.
  function redact(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return value.replaceAll(apiKey, redacted);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === maxDepth) return '[nested too deeply]';
    const inside = (item: unknown) => redact(item, depth + 1);
    if (Array.isArray(value)) return value.map(inside);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) =>
        name === 'code' && typeof item === 'string' && codePattern.test(item)
          ? [name, item]
          : [depth === 0 ? name : inside(name), inside(item)],
      ),
    );
  }
  return <Value>(value: Value) => redact(value, 0) as Value;
}

const secretNames = /auth|cookie|credential|key|passw|secret|session|sign|token/i;

/** Returns request headers for a log: values of headers that may be secrets are redacted. */
export function redactHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name !== idempotencyKey && secretNames.test(name) ? redacted : value,
    ]),
  );
}
