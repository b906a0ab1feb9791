/** The names of all options of a type. A name that is missing here does not compile. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: true };

/**
 * Finds an option that does not exist, such as a misspelt one, which would have no effect. Returns a
 * sentence about it; undefined when there is none.
 *
 * @param checked matches the names to check
 */
export function findUnknownOption(
  options: object,
  names: object,
  checked = /^/,
): string | undefined {
  for (const name in options) {
    if (Object.hasOwn(names, name) || !checked.test(name)) continue;
    const [closest, distance] = Object.keys(names)
      .map((known) => [known, getDistance(name.toLowerCase(), known.toLowerCase())] as const)
      .reduce((best, one) => (one[1] < best[1] ? one : best));
    const isClose = distance <= closest.length / 2;
    const hint = isClose
      ? `Did you mean ${closest}?`
      : `Options: ${Object.keys(names).join(', ')}.`;
    return `There is no option ${JSON.stringify(name)}. ${hint}`;
  }
  return undefined;
}

/** The number of letters to insert, delete or replace to turn one text into another. */
function getDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const letter of from) {
    let diagonal = row[0] as number;
    const next = [diagonal + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const above = row[at] as number;
      const replaced = diagonal + (letter === to[at - 1] ? 0 : 1);
      next.push(Math.min(above + 1, (next[at - 1] as number) + 1, replaced));
      diagonal = above;
    }
    row = next;
  }
  return row[to.length] as number;
}
