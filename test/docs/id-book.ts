/** An id, API key, secret or request id in full. */
const id = /\b(?:whsec_[0-9A-Za-z+/]{20,}=*|[a-z]{3}_[0-9A-Za-z]{26,})/g;

const kindOf = (text: string) => text.slice(0, text.indexOf('_'));

/** Which real id stands where a README shows one of its own. */
export interface IdBook {
  /** Puts real ids for the README's. One that is new gets the next real one of its kind. */
  toReal(text: string): string;
  /** Puts the README's ids for real ones; what is not known stays. */
  toShown(text: string): string;
  /** Learns from a line of real output, and the one that the README shows, which id is which. */
  learn(shown: string, real: string): void;
}

/**
 * Starts an empty book.
 *
 * @param pools The real ids to give out, by kind: `{ ord: ['ord_…', …] }`. `toReal` throws when they
 *   do not suffice.
 */
export function createIdBook(pools: Record<string, readonly string[]>): IdBook {
  const realOf = new Map<string, string>();
  const shownOf = new Map<string, string>();

  function pair(shown: string, real: string): void {
    if (realOf.has(shown) || shownOf.has(real) || kindOf(shown) !== kindOf(real)) return;
    realOf.set(shown, real);
    shownOf.set(real, shown);
  }

  return {
    toReal: (text) =>
      text.replace(id, (shown) => {
        const free = pools[kindOf(shown)]?.find((real) => !shownOf.has(real));
        if (free !== undefined) pair(shown, free);
        const real = realOf.get(shown);
        if (real === undefined) throw new Error(`There is no real id to put for ${shown}.`);
        return real;
      }),
    toShown: (text) => text.replace(id, (real) => shownOf.get(real) ?? real),
    learn(shown, real) {
      const found = real.match(id) ?? [];
      for (const [index, name] of (shown.match(id) ?? []).entries()) {
        const same = found[index];
        if (same !== undefined) pair(name, same);
      }
    },
  };
}
