import { idempotencyKey } from './headers';

const redacted = '[redacted]';

/** Values nested deeper than this are not searched, and therefore not shown. */
const maxDepth = 32;

/** The form of error codes. Programs branch on codes, so they are never redacted. */
const codePattern = /^[a-z_]+$/;

/** A key of this length does not appear in a text by accident. */
const minUniqueLength = 12;

/** How many keys are redacted, if a function returns new ones. */
const maxKeys = 4;

/**
 * Replaces the API key with `[redacted]` in a JSON value, including the names of fields. The names at its top
 * level are the client's own and stay, and so does a `code` in the form of an error code.
 */
export type Redact = <Value>(value: Value) => Value;

/** Removes API keys from errors and logs. */
export interface Redactor {
  redact: Redact;
  /** Adds a key to redact. The last few are remembered. */
  add(apiKey: string): void;
}

/**
 * Creates a redactor. A short key, as in a test, is redacted only where it is a whole token: it may be a part
 * of other words.
 */
export function createRedactor(): Redactor {
  let patterns = new Map<string, RegExp>();
  // Value by value instead of in JSON text, which may escape a key in several ways.
  function redact(value: unknown, depth: number): unknown {
    if (typeof value === 'string') {
      let text = value;
      for (const pattern of patterns.values()) text = text.replace(pattern, redacted);
      return text;
    }
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
  return {
    redact: <Value>(value: Value) => redact(value, 0) as Value,
    add(apiKey) {
      if (patterns.has(apiKey)) return;
      const escaped = apiKey.replace(/\W/g, '\\$&');
      const pattern =
        apiKey.length < minUniqueLength ? `(?<![\\w./~+-])${escaped}(?![\\w/~+-])` : escaped;
      patterns = new Map([...patterns, [apiKey, RegExp(pattern, 'g')] as const].slice(-maxKeys));
    },
  };
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
