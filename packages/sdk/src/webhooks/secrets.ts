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
  return typeof secret === 'string' && secret.trim()
    ? undefined
    : 'secret is missing or empty: pass the one from the registration response. Is its environment variable set?';
}

/** Returns what is wrong with the first invalid one of several secrets, or with a list that is empty. */
export function findSecretsMistake(secrets: readonly unknown[]): string | undefined {
  const all = secrets.length ? secrets : [undefined];
  return all.map(findSecretMistake).find((mistake) => mistake !== undefined);
}
