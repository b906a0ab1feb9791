import { idempotencyKey } from './header-names';

const redacted = '[redacted]';

/** What a service nests deeper than this is not looked through, and so not shown either. */
const deepest = 32;

/** What codes look like. Programs decide on them: they stay as they are. */
const codeWord = /^[a-z_]+$/;

/**
 * Puts `[redacted]` wherever a JSON value has the API key: in any text, names of fields included. The
 * names at its top are the client's own and stay, and so does a `code` of small letters.
 */
export type BlotOut = <Value>(value: Value) => Value;

/** Makes the function that keeps an API key out of errors and logs. */
export function blotOutOf(apiKey: string): BlotOut {
  // Value by value, not in JSON's text: it may spell a key in ways that only parsing shows.
  function blotOut(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return value.replaceAll(apiKey, redacted);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === deepest) return '[nested too deeply]';
    const inside = (item: unknown) => blotOut(item, depth + 1);
    if (Array.isArray(value)) return value.map(inside);
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) =>
        name === 'code' && typeof item === 'string' && codeWord.test(item)
          ? [name, item]
          : [depth === 0 ? name : inside(name), inside(item)],
      ),
    );
  }
  return <Value>(value: Value) => blotOut(value, 0) as Value;
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
