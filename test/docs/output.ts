/**
 * Finds the lines of output that a program documents: the comment at the end of a line with `console.log(…)`, or
 * the comments on the lines right below it.
 */
export function findExpectedLines(code: string): string[] {
  const lines: string[] = [];
  let below = false;
  for (const line of code.split('\n')) {
    const beside = /console\.log\(.*\);?\s+\/\/ ?(.*)$/.exec(line)?.[1];
    const under: string | undefined = below ? /^\s*\/\/ ?(.*)$/.exec(line)?.[1] : undefined;
    const expected = beside ?? under;
    if (expected !== undefined) lines.push(expected);
    below = beside === undefined && (under !== undefined || /console\.log\(.*\);?$/.test(line));
  }
  return lines;
}

/** Whether a line matches an expected one, in which `…` stands for anything. */
export function matchesLine(expected: string, line: string): boolean {
  const parts = expected.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(line);
}

/** Returns the expected lines that the output does not contain in order. Other lines may be between them. */
export function findMissingLines(expectedLines: readonly string[], output: string): string[] {
  const lines = output.split('\n');
  let from = 0;
  return expectedLines.filter((expected) => {
    const found = lines.findIndex((line, index) => index >= from && matchesLine(expected, line));
    if (found !== -1) from = found + 1;
    return found === -1;
  });
}

// Keeps the length, so that columns are not shifted.
const withoutTimes = (line: string) =>
  line
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z| [+-]\d\d:\d\d)?/g, (time) => '~'.repeat(time.length))
    // In a column of a steady width.
    .replace(/(\d+ \w+ ago|\bnow) {2,}/g, '(age)  ')
    // At the end of a line, where a length does not matter.
    .replace(/(\d+ \w+ ago|\bnow)(?=\)?$)/, '(age)');

/**
 * Prepares the output in a README and the real output for a comparison line by line. IDs are replaced by those
 * of the README, times are masked, and a line that matches one with `…` counts as equal.
 */
export function compareOutput(
  shown: readonly string[],
  real: readonly string[],
  ids: IdMapping,
): { shown: string[]; real: string[] } {
  const actual = real.map((line, index) => {
    ids.learn(shown[index] ?? '', line);
    return withoutTimes(ids.toDocumented(line));
  });
  const expected = shown.map((line, index) => {
    const pattern = withoutTimes(line);
    const same = actual[index];
    return same !== undefined && matchesLine(pattern, same) ? same : pattern;
  });
  return { shown: expected, real: actual };
}

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
