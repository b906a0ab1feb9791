/** Who and what a README's placeholders stand for. */
export interface Cast {
  /** Where the real server answers. */
  baseUrl: string;
  /** A webhook's secret. */
  secret: string;
  buyer: { id: string; apiKey: string };
  seller: { id: string; apiKey: string };
  agent: { id: string; apiKey: string };
  /** Real ids by kind, such as `{ key: ['key_…'] }`: the first one fills `key_…`. */
  ids: Record<string, readonly string[]>;
}

/**
 * Fills in what a README leaves to its reader: `<the seller's>` key, `<the secret>`, `--seller usr_…`,
 * `key_…`, the address of the service, and a port that is surely free. Throws when a placeholder has
 * nobody to stand for it.
 */
export function fillIn(text: string, cast: Cast): string {
  return text
    .replace(
      /<the (buyer|seller|agent)'s>/g,
      (_, who: 'buyer' | 'seller' | 'agent') => cast[who].apiKey,
    )
    .replace(/<the secret>/g, cast.secret)
    .replace(
      /--(buyer|seller|agent) usr_…/g,
      (_, who: 'buyer' | 'seller' | 'agent') => `--${who} ${cast[who].id}`,
    )
    .replace(/\b([a-z]{3})_…/g, (placeholder, kind: string) => {
      const real = cast.ids[kind]?.[0];
      if (real === undefined) throw new Error(`There is nothing to fill in for ${placeholder}.`);
      return real;
    })
    .replace(/https:\/\/trade\.example|http:\/\/127\.0\.0\.1:4010/g, cast.baseUrl)
    .replace(/--port \d+/g, '--port 0');
}
