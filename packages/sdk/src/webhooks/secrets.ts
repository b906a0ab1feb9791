import { guessableSecret } from './checks';

/** What is often pasted in place of a signing secret. Other services may have secrets of any other form. */
const mistaken: readonly [form: RegExp, what: string][] = [
  [/^tpk_/, 'an API key'],
  [/^whk_/, 'the ID of a webhook'],
  [/^[a-z][a-z\d+.-]*:\/\//i, 'a URL'],
  [/^\{.*\}$/s, 'a JSON object'],
  [guessableSecret, 'what a missing value becomes as a text'],
];

/** Removes whitespace and quotes around a secret. */
export function stripSecret(secret: string): string {
  return secret.replace(/^["'\s]+|["'\s]+$/g, '');
}

/**
 * Returns what is wrong with a signing secret, and what to do; undefined if nothing is. The sentence never contains the
 * secret.
 */
export function findSecretMistake(secret: unknown): string | undefined {
  if (typeof secret === 'function') {
    return 'secret is a function, which only webhookReceiver accepts: pass what the function returns.';
  }
  if (typeof secret === 'object' && secret !== null && 'then' in secret) {
    return 'secret is a promise: await it. webhookReceiver also accepts a function that returns it.';
  }
  if (secret !== undefined && secret !== null && typeof secret !== 'string') {
    return `secret is not a text (its type is ${typeof secret}): pass the signing secret, whsec_…, from the registration response.`;
  }
  const bare = stripSecret(secret ?? '');
  if (!bare || bare === 'whsec_') {
    return 'secret is missing or empty: pass the one from the registration response. Is its environment variable set?';
  }
  const what = mistaken.find(([form]) => form.test(bare))?.[1];
  if (what) {
    return `secret is ${what}: pass the signing secret, whsec_…, from the registration response.`;
  }
  return bare === secret
    ? undefined
    : 'secret has whitespace or quotes around it: remove them where it is configured.';
}

/** Returns what is wrong with the first invalid one of several secrets, or with a list that is empty. */
export function findSecretsMistake(secrets: readonly unknown[]): string | undefined {
  const all = secrets.length ? secrets : [undefined];
  return all.map(findSecretMistake).find((mistake) => mistake !== undefined);
}
