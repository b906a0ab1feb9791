/** Search parameters of an address: texts, as people write and read them. */
export type Search = Record<string, string>;

/** Reads the query of an address. */
export function parseSearch(query: string): Search {
  return Object.fromEntries(new URLSearchParams(query));
}

/** Writes search parameters as a query, without those that are empty. */
export function stringifySearch(search: object): string {
  const entries = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  // Commas and colons need no escape in a query, and lists and times are read by people.
  const query = new URLSearchParams(entries)
    .toString()
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':');
  return query === '' ? '' : `?${query}`;
}

/** Returns a function that keeps the parameters of a page and drops all others. */
export function only<const Name extends string>(
  ...names: Name[]
): (search: Record<string, unknown>) => { [One in Name]?: string | undefined } {
  return (search) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return value === undefined || value === '' ? [] : [[name, String(value)]];
      }),
    ) as { [One in Name]?: string | undefined };
}
