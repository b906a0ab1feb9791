import process from 'node:process';

/** API keys, endpoint secrets and secret keys. */
const keys = /(tpk|whsec|tpsk)_[\w+/=%-]{8,}/g;
/** What is between `//` and `@`, also of a text that is no valid URL. A path may have an `@`, unless there is a colon before it. */
const userInfo = /\/\/(?:[^\s"'\\]*:[^\s"'\\]*|[^\s"'\\/?#]*)@/g;
/** The same without `//`. */
const namedPassword = /[\w.%+-]+:(?!\/\/)[^\s"'\\@]+@/g;
/** A parameter of a URL, a setting of a connection, or a field in JSON. */
const password = /(passw(?:or)?d"?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s&"',;]+)/gi;

/**
 * Redacts API keys and secrets in a text, such as a path in which a client sent a key in place of an ID, before it is logged or
 * returned.
 */
export function redactSecrets(text: string): string {
  return text.replace(keys, '$1_…');
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
  const suspected = parts.filter((value) => value.length > 3 && /@|passw/i.test(value));
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
  return redactSecrets(shown)
    .replace(userInfo, '//…@')
    .replace(namedPassword, '…@')
    .replace(password, '$1…');
}
