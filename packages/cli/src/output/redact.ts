/**
 * Redacts the credentials in a text without white space and quotes, also one that is no valid URL: what is between `//` and `@`, or
 * has a colon before `@`. A path may have an `@`. Searches instead of one pattern, whose time would grow with the square of the length.
 */
function redactWord(word: string): string {
  const at = word.lastIndexOf('@');
  if (at === -1) return word;
  const slashes = word.indexOf('//');
  const start = slashes === -1 || slashes > at ? 0 : slashes + 2;
  const userInfo = word.slice(start, at);
  const hasUser = userInfo.includes(':') || (start > 0 && !/[/?#]/.test(userInfo));
  return hasUser ? `${word.slice(0, start)}…${word.slice(at)}` : word;
}

/**
 * Redacts API keys, sign-in codes, endpoint secrets and the credentials of URLs: `tpk_…`, `tpc_…`, `whsec_…`, `//…@`. People paste them in place of IDs, services
 * quote what they received, and stderr ends up in logs.
 *
 * @param text plain text or JSON. JSON stays valid: quotes and escapes are not touched.
 */
export function redactSecrets(text: string): string {
  const withoutUsers = text.includes('@') ? text.replace(/[^\s"'\\]+/g, redactWord) : text;
  return withoutUsers.replace(/(tpk|tpc|whsec)_[\w%+/=-]{8,}/g, '$1_…');
}

const redacted = '[redacted]';

/** Fields and headers whose values are secret, whatever they look like. */
const secretName = /(authorization|cookie|api-?key|secrets?|password|token)$/i;

/** Such a field in a text that quotes JSON, even truncated: `"secret": "…`, or a list. */
const secretField =
  /(\\*"[\w-]*(?:authorization|cookie|api-?key|secrets?|password|token)\\*"\s*:\s*)(?:"(?:[^"\\]|\\.)*|\\+"[^"]*|\[[^\]]*)/gi;

/** Such a header or setting on a line: `Authorization: …`, also after the `=` of an option. */
const secretLine =
  /^((?:--?[\w-]+=)?[\w-]*(?:authorization|cookie|api-?key|secrets?|password|token)\s*[:=]\s*)(?=\S).*$/is;

/** Credentials in a URL: `//name:password@`, and parameters such as `?token=…`. */
const secretInUrl =
  /(\/\/)[^\s/@]+(?=@)|([?&][\w-]*(?:authorization|api-?key|secrets?|password|token)=)[^\s&#"]+/gi;

const bearerToken = /\b(bearer\s+)[\w.~+/=-]{8,}/gi;

/**
 * Creates a function that redacts a JSON value: secret fields by name, secrets by their form, and the
 * API key itself wherever it occurs, in names too.
 *
 * @param apiKey null if unknown
 */
export function createRedactor(apiKey: string | null): (value: unknown) => unknown {
  function redactText(text: string): string {
    const keyless = apiKey === null ? text : text.replaceAll(apiKey, redacted);
    const plain = keyless
      .replace(secretLine, `$1${redacted}`)
      .replace(secretInUrl, `$1$2${redacted}`)
      .replace(bearerToken, `$1${redacted}`)
      .replace(secretField, `$1"${redacted}`);
    return redactSecrets(plain);
  }
  function redact(value: unknown, isSecret = false): unknown {
    if (typeof value === 'string') return isSecret ? redacted : redactText(value);
    if (Array.isArray(value)) return value.map((item) => redact(item, isSecret));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        redactText(name),
        redact(item, isSecret || secretName.test(name)),
      ]),
    );
  }
  return (value) => redact(value);
}

/**
 * Redacts the headers that the body of a request sets for the deliveries to a webhook: any of them may be a key of the receiver.
 *
 * @param body parsed JSON, or a text that is none
 */
export function redactHeaders(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('headers' in body)) return body;
  const { headers } = body;
  if (typeof headers !== 'object' || headers === null) return body;
  const names = Object.keys(headers);
  return { ...body, headers: Object.fromEntries(names.map((name) => [name, redacted])) };
}
