/** The values of a README's placeholders. */
export interface PlaceholderValues {
  /** The base URL of the real server. */
  baseUrl: string;
  /** A webhook's secret. */
  secret: string;
  buyer: { id: string; apiKey: string };
  seller: { id: string; apiKey: string };
  agent: { id: string; apiKey: string };
  /** Real IDs by prefix, such as `{ key: ['key_…'] }`: the first one fills `key_…`. */
  ids: Record<string, readonly string[]>;
}

/**
 * Fills in the placeholders of a README: `<the seller's>` key, `<the secret>`, `--seller usr_…`, `key_…`, the
 * URL of the service, and port 0. Throws if a placeholder has no value.
 */
export function fillIn(text: string, values: PlaceholderValues): string {
  return text
    .replace(
      /<the (buyer|seller|agent)'s>/g,
      (_, account: 'buyer' | 'seller' | 'agent') => values[account].apiKey,
    )
    .replace(/<the secret>/g, values.secret)
    .replace(
      /--(buyer|seller|agent) usr_…/g,
      (_, account: 'buyer' | 'seller' | 'agent') => `--${account} ${values[account].id}`,
    )
    .replace(/\b([a-z]{3})_…/g, (placeholder, kind: string) => {
      const real = values.ids[kind]?.[0];
      if (real === undefined) throw new Error(`There is no value for ${placeholder}.`);
      return real;
    })
    .replace(/https:\/\/trade\.example|http:\/\/127\.0\.0\.1:4010/g, values.baseUrl)
    .replace(/--port \d+/g, '--port 0');
}
