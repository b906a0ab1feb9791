import process from 'node:process';

/** API keys, sign-in codes, endpoint secrets and secret keys. */
const keys = /(tpk|tpc|whsec|tpsk)_[\w+/=%-]{8,}/g;
/** A parameter of a URL or a setting of a connection. Neither quotes of JSON nor its escapes are touched, so that a log line stays JSON. */
const password = /(passw(?:or)?d\s*[=:]\s*)('[^'"\\]*'|[^\s&"',;\\]+)/gi;

/**
 * Redacts API keys and secrets in a text, such as a path in which a client sent a key in place of an ID, before it is logged or
 * returned.
 */
export function redactSecrets(text: string): string {
  return text.replace(keys, '$1_…');
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

/** Values of the command line and the environment that may have a password anywhere, even with spaces in it. */
let suspects: string[] | undefined;

/** Returns the values that are redacted as a whole. A part of a list may be quoted by itself. */
export function listSuspects(argv: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const variables = Object.entries(env).filter(([name]) => /^(TRADEPOST|OTEL)_|^PORT$/.test(name));
  const values = [
    ...argv.map((text) => text.replace(/^--[\w-]+=/, '')),
    ...variables.map(([, value = '']) => value),
  ];
  const parts = values.flatMap((value) => [value, ...value.split(',').map((part) => part.trim())]);
  const suspected = parts
    .filter((value) => value.length > 3 && /@|passw/i.test(value))
    // As a log line quotes it, too.
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  // A part after the value that it is a part of.
  return [...new Set(suspected)].sort((one, other) => other.length - one.length);
}

/**
 * Redacts what this process writes for its operator: errors and log lines. They quote values from outside, in which a password may be
 * where none belongs.
 */
export function redactOutput(text: string): string {
  suspects ??= listSuspects(process.argv.slice(2), process.env);
  let shown = text;
  for (const suspect of suspects) shown = shown.replaceAll(suspect, '…');
  const withoutUsers = shown.includes('@') ? shown.replace(/[^\s"'\\]+/g, redactWord) : shown;
  return redactSecrets(withoutUsers).replace(password, '$1…');
}
