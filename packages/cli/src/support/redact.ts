import { blotSecrets } from '../output/blot-secrets';

const redacted = '[redacted]';

/** Fields and headers that hold what nobody else may read, whatever they look like. */
const secretName = /(authorization|cookie|api-?key|secrets?|password|token)$/i;

/** The same in a text that quotes JSON, or broke off: `"secret": "…`, or a list of them. */
const secretField =
  /(\\*"[\w-]*(?:authorization|cookie|api-?key|secrets?|password|token)\\*"\s*:\s*)(?:"(?:[^"\\]|\\.)*|\\+"[^"]*|\[[^\]]*)/gi;

/** A line of a header, or of settings, by its name: `Authorization: …`, also behind an option's `=`. */
const secretLine =
  /^((?:--?[\w-]+=)?[\w-]*(?:authorization|cookie|api-?key|secrets?|password|token)\s*[:=]\s*)(?=\S).*$/is;

/** What an URL has for those who know it: `//name:password@`, and parameters such as `?token=…`. */
const secretInUrl =
  /(\/\/)[^\s/@]+(?=@)|([?&][\w-]*(?:authorization|api-?key|secrets?|password|token)=)[^\s&#"]+/gi;

/** How a key is presented, wherever that is quoted. */
const presented = /\b(bearer\s+)[\w.~+/=-]{8,}/gi;

/**
 * Makes the function that takes the API key and every secret out of a JSON value: by the name of its
 * field, by what it looks like, and the key itself wherever it stands, names included.
 *
 * @param apiKey null when none is known
 */
export function redactorOf(apiKey: string | null): (value: unknown) => unknown {
  function cleaned(text: string): string {
    const keyless = apiKey === null ? text : text.replaceAll(apiKey, redacted);
    const plain = keyless
      .replace(secretLine, `$1${redacted}`)
      .replace(secretInUrl, `$1$2${redacted}`)
      .replace(presented, `$1${redacted}`)
      .replace(secretField, `$1"${redacted}`);
    return blotSecrets(plain);
  }
  function redact(value: unknown, isSecret = false): unknown {
    if (typeof value === 'string') return isSecret ? redacted : cleaned(value);
    if (Array.isArray(value)) return value.map((item) => redact(item, isSecret));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        cleaned(name),
        redact(item, isSecret || secretName.test(name)),
      ]),
    );
  }
  return (value) => redact(value);
}
