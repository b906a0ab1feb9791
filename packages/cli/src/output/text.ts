import { styleText } from 'node:util';
import type { OutputStream } from '../context';

export type StyleName = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan';

export type Style = (name: StyleName, text: string) => string;

/** Returns the style function of a stream. It respects `NO_COLOR` and `FORCE_COLOR`. */
export function getStyle(stream: OutputStream): Style {
  return (name, text) => styleText(name, text, { stream });
}

export function supportsColor(stream: OutputStream): boolean {
  return getStyle(stream)('bold', '-') !== '-';
}

export function formatNumber(number: number): string {
  return number.toLocaleString('en-US');
}

/** Formats a count with its noun: `1 order`, `2 orders`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Formats alternatives: `confirmed, fulfilling or cancelled`. */
export function formatAlternatives(words: readonly string[]): string {
  return words.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/** Formats a time to wait: `45 s`, `2 min`. */
export function formatDuration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Control characters, line and paragraph separators, lone surrogates, and bidirectional controls. */
const controlChars =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The same without what JSON escapes by itself, or uses as white space. */
const controlCharsInJson =
  /[\x7f-\x9f\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Returns `\u009b` for U+009B. All characters above are at most U+FFFF. */
function escapeChar(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Escapes text of the service for a terminal: what could move the cursor, end the line, change the
 * terminal's state or reorder text is shown as its code, such as `\u001b`.
 */
export function escapeControlChars(text: string): string {
  return text.replace(controlChars, escapeChar);
}

/** Escapes the same characters in a JSON text. The JSON keeps its meaning. */
export function escapeControlCharsInJson(json: string): string {
  return json.replace(controlCharsInJson, escapeChar);
}

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
 * Redacts API keys, endpoint secrets and the credentials of URLs: `tpk_…`, `whsec_…`, `//…@`. People paste them in place of IDs, services
 * quote what they received, and stderr ends up in logs.
 *
 * @param text plain text or JSON. JSON stays valid: quotes and escapes are not touched.
 */
export function redactSecrets(text: string): string {
  const withoutUsers = text.includes('@') ? text.replace(/[^\s"'\\]+/g, redactWord) : text;
  return withoutUsers.replace(/(tpk|whsec)_[\w%+/=-]{8,}/g, '$1_…');
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
 * Returns a format for the command `printf` that prints bytes. It consists of printable ASCII without
 * quotes: it is safe within `'…'` in every shell.
 */
export function printfFormat(bytes: Uint8Array): string {
  return Array.from(bytes, (byte, index) => {
    const character = String.fromCharCode(byte);
    if (character === '%') return '%%';
    // Some shells take a leading hyphen for an option.
    const isSafe = /[^'\\!]/.test(character) && !(index === 0 && character === '-');
    const octal = `\\${byte.toString(8).padStart(3, '0')}`;
    return isSafe && byte >= 0x20 && byte < 0x7f ? character : octal;
  }).join('');
}

/**
 * Quotes a text as one word of a POSIX shell. Control characters are written as octal codes.
 *
 * @param encoding how characters become bytes: UTF-8, or one byte each as in headers
 * @throws {RangeError} for a text with NUL, or with a line end at its end, which a shell drops
 */
export function quoteShellWord(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  if (/^[\w./:@-]+$/.test(text)) return text;
  const isAscii = /^[ -~]*$/.test(text);
  if (escapeControlChars(text) === text && (encoding === 'utf8' || isAscii)) {
    return `'${text.replaceAll("'", "'\\''")}'`;
  }
  if (/\0|\n$/.test(text)) throw new RangeError('a shell word cannot contain this text');
  return `"$(printf '${printfFormat(Buffer.from(text, encoding))}')"`;
}
