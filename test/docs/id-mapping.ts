/** A complete ID, API key, secret or request ID. */
const id = /\b(?:whsec_[0-9A-Za-z+/]{20,}=*|[a-z]{3}_[0-9A-Za-z]{26,})/g;

const getPrefix = (text: string) => text.slice(0, text.indexOf('_'));

/** A mapping between the IDs of a README and real ones. */
export interface IdMapping {
  /** Replaces the README's IDs with real ones. A new ID gets the next real one with its prefix. */
  toReal(text: string): string;
  /** Replaces real IDs with those of the README. Keeps unknown IDs. */
  toDocumented(text: string): string;
  /** Pairs the IDs of a line in the README with those of the line of real output. */
  learn(documented: string, real: string): void;
}

/**
 * Creates an empty mapping.
 *
 * @param pools Real IDs by prefix: `{ ord: ['ord_…', …] }`. `toReal` throws when they are used up.
 */
export function createIdMapping(pools: Record<string, readonly string[]>): IdMapping {
  const realIds = new Map<string, string>();
  const documentedIds = new Map<string, string>();

  function pair(documented: string, real: string): void {
    if (
      realIds.has(documented) ||
      documentedIds.has(real) ||
      getPrefix(documented) !== getPrefix(real)
    )
      return;
    realIds.set(documented, real);
    documentedIds.set(real, documented);
  }

  return {
    toReal: (text) =>
      text.replace(id, (documented) => {
        const free = pools[getPrefix(documented)]?.find((real) => !documentedIds.has(real));
        if (free !== undefined) pair(documented, free);
        const real = realIds.get(documented);
        if (real === undefined) throw new Error(`There is no real ID for ${documented}.`);
        return real;
      }),
    toDocumented: (text) => text.replace(id, (real) => documentedIds.get(real) ?? real),
    learn(documented, real) {
      const found = real.match(id) ?? [];
      for (const [index, name] of (documented.match(id) ?? []).entries()) {
        const same = found[index];
        if (same !== undefined) pair(name, same);
      }
    },
  };
}
