import { blotSecrets } from '../output/blot-secrets';

const redacted = '[redacted]';

/** Fields and headers that hold what nobody else may read, whatever they look like. */
const secretName =
  /^(authorization|proxy-authorization|cookie|set-cookie|api-?key|secret|password|token)$/i;

/**
 * Makes the function that takes the API key and every secret out of a JSON value: by the name of its
 * field, by what it looks like, and the key itself wherever it stands, names included.
 */
export function redactorOf(apiKey: string): (value: unknown) => unknown {
  const cleaned = (text: string) => blotSecrets(text.replaceAll(apiKey, redacted));
  function redact(value: unknown): unknown {
    if (typeof value === 'string') return cleaned(value);
    if (Array.isArray(value)) return value.map(redact);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        cleaned(name),
        secretName.test(name) && typeof item === 'string' ? redacted : redact(item),
      ]),
    );
  }
  return redact;
}
